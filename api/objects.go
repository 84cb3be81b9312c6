package api

import (
	"context"
	"iter"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
)

// objects are the routes that read the groups and meters of switches.
type objects struct {
	*reader
	groups func(netview.DPID) []client.Group
	meters func(netview.DPID) []client.Meter
}

func (s *objects) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: "/v1/groups", ID: "groups", Handler: rest.Typed(s.allGroups),
			Summary: "The groups that are wanted, or that switches have under numbers of Weir's, and their state"},
		{Method: "GET", Path: "/v1/meters", ID: "meters", Handler: rest.Typed(s.allMeters),
			Summary: "The meters that are wanted, or that switches have under numbers of Weir's, and their state"},
	}
}

type objectsInput struct {
	Paging
	DPID string `query:"dpid" maxLength:"32" doc:"Only those of this switch: up to 16 hexadecimal digits. Of OpenFlow 1.0 there are none."`
}

func (s *objects) allGroups(ctx context.Context, in *objectsInput) (*revision.Page[client.Group], error) {
	return objectsOf(ctx, s.reader, in, "groups", s.groups)
}

func (s *objects) allMeters(ctx context.Context, in *objectsInput) (*revision.Page[client.Meter], error) {
	return objectsOf(ctx, s.reader, in, "meters", s.meters)
}

// objectsOf lists what switches have.
func objectsOf[T any](ctx context.Context, rd *reader, in *objectsInput, query string,
	of func(netview.DPID) []T) (*revision.Page[T], error) {
	var only netview.DPID
	if in.DPID != "" {
		_, sw, err := rd.findSwitch(ctx, in.DPID, in.Freshness)
		if err != nil {
			return nil, err
		}
		query += " " + sw.DPID.String()
		only = sw.DPID
	}
	rows := func(snap *netview.Snapshot) iter.Seq[T] {
		return func(yield func(T) bool) {
			for sw := range snap.Switches() {
				if in.DPID != "" && sw.DPID != only {
					continue
				}
				for _, item := range of(sw.DPID) {
					if !yield(item) {
						return
					}
				}
			}
		}
	}
	return list(ctx, rd, in.Paging, query, rows, as[T])
}
