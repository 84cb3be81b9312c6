package api

import (
	"context"
	"net/http"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
)

// auditLog is the route that reads the audit log.
type auditLog struct {
	*revision.Clock
	log rest.Auditor // nil: there is none
}

func (s *auditLog) routes() []rest.Route {
	lacking := rest.Refuse(http.StatusNotFound, "this instance has no audit log")
	return []rest.Route{
		{Method: "GET", Path: auditPath, ID: "audit", Handler: rest.Provided(s.log != nil, lacking, s.read), Role: rest.RoleAdmin,
			Summary: "The newest records of the audit log, the oldest first; needs role admin"},
	}
}

type auditInput struct {
	Since time.Time `query:"since" doc:"Only records of this time or later, RFC 3339."`
	Limit int       `query:"limit" default:"1000" minimum:"1" maximum:"100000" doc:"At most so many, the newest."`
}

func (s *auditLog) read(_ context.Context, in *auditInput) (*revision.Page[client.AuditRecord], error) {
	list, err := s.log.Read(in.Since, in.Limit)
	if err != nil {
		return nil, rest.Refuse(http.StatusServiceUnavailable, "the audit log cannot be read: %v", err)
	}
	if list == nil {
		list = []client.AuditRecord{}
	}
	p := &revision.Page[client.AuditRecord]{}
	p.Body.Items, p.Body.Revision = list, s.Of(s.View.Snapshot())
	return p, nil
}
