package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/intents/wire"
	"github.com/weirnet/weir/api/render"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
)

// hosts are the routes that read hosts.
type hosts struct{ *reader }

func (s *hosts) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: hostsPath, ID: "hosts", Handler: rest.Typed(s.all), Summary: "All hosts"},
		{Method: "GET", Path: hostsPath + "/{id}", ID: "host", Handler: rest.Typed(s.one), Summary: "One host"},
		{Method: "GET", Path: hostsPath + "/{id}/{vlan}", ID: "vlan-host", Handler: rest.Typed(s.oneVLAN),
			Summary: "One host in a VLAN"},
	}
}

func (s *hosts) all(ctx context.Context, in *listInput) (*revision.Page[client.Host], error) {
	return list(ctx, s.reader, in.Paging, "hosts", (*netview.Snapshot).Hosts, render.Host)
}

type hostInput struct {
	ID string `path:"id" maxLength:"64" doc:"MAC, or MAC/vlan."`
	revision.Freshness
}

type vlanHostInput struct {
	ID   string `path:"id" maxLength:"32" doc:"MAC."`
	VLAN string `path:"vlan" maxLength:"8" doc:"VLAN id."`
	revision.Freshness
}

func (s *hosts) one(ctx context.Context, in *hostInput) (*revision.Answer[client.Host], error) {
	id, err := parseHostID(in.ID)
	if err != nil {
		return nil, rest.Refuse(http.StatusBadRequest, "%v", err)
	}
	snap, err := s.Fresh(ctx, in.Freshness)
	if err != nil {
		return nil, err
	}
	h, ok := snap.Host(id)
	if !ok {
		return nil, rest.Refuse(http.StatusNotFound, "no host %s is known: /v1/hosts lists those that are", id)
	}
	return revision.NewAnswer(s.Of(snap), render.Host(snap, h)), nil
}

// oneVLAN takes the slash of an id as it stands, so that nobody needs to escape it.
func (s *hosts) oneVLAN(ctx context.Context, in *vlanHostInput) (*revision.Answer[client.Host], error) {
	return s.one(ctx, &hostInput{ID: in.ID + "/" + in.VLAN, Freshness: in.Freshness})
}

// parseHostID reads MAC or MAC/vlan.
func parseHostID(s string) (netview.HostID, error) {
	id, ok := wire.HostID(s)
	if !ok {
		return id, fmt.Errorf("host id %q: want a MAC, such as 00:00:00:00:00:01, or MAC/vlan with a vlan from 0 to 4095", rest.Truncate(s))
	}
	return id, nil
}
