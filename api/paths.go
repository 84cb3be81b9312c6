package api

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
)

// paths is the route that finds paths.
type paths struct {
	*revision.Clock
	finder PathFinder // nil: the instance computes none
}

func (s *paths) routes() []rest.Route {
	lacking := rest.Refuse(http.StatusNotFound, "this instance computes no paths")
	return []rest.Route{
		{Method: "GET", Path: "/v1/paths", ID: "paths", Handler: rest.Provided(s.finder != nil, lacking, s.find),
			Summary: "The path that the system takes between two ends, and alternatives"},
	}
}

type pathsInput struct {
	Src      string `query:"src" required:"true" maxLength:"64" doc:"A host by its id or IP address, or a switch by its datapath id or name."`
	Dst      string `query:"dst" required:"true" maxLength:"64" doc:"A host by its id or IP address, or a switch by its datapath id or name."`
	K        int    `query:"k" default:"1" minimum:"1" maximum:"64" doc:"At most so many paths."`
	Disjoint string `query:"disjoint" enum:"none,link,switch,true,false" doc:"What the paths must not share: no link (link, true), or no switch between the ends either (switch)."`
	revision.Freshness
}

// end is one end of a path: a switch, or a host at a port of one.
type end struct {
	dpid netview.DPID
	host *netview.Host
}

func (s *paths) find(ctx context.Context, in *pathsInput) (*revision.Page[client.Path], error) {
	snap, err := s.Fresh(ctx, in.Freshness)
	if err != nil {
		return nil, err
	}
	src, err := findEnd(snap, "src", in.Src)
	if err != nil {
		return nil, err
	}
	dst, err := findEnd(snap, "dst", in.Dst)
	if err != nil {
		return nil, err
	}
	found := s.finder.Paths(snap, PathQuery{Src: src.dpid, Dst: dst.dpid, SrcHost: src.host, DstHost: dst.host,
		K: in.K, Disjoint: parseDisjoint(in.Disjoint)})
	p := &revision.Page[client.Path]{Body: client.Page[client.Path]{Items: make([]client.Path, len(found)), Revision: s.Of(snap)}}
	for i := range found {
		p.Body.Items[i] = pathItem(src, dst, found[i])
	}
	return p, nil
}

func parseDisjoint(s string) Disjoint {
	switch s {
	case "link", "true":
		return ShareSwitches
	case "switch":
		return ShareNothing
	}
	return ShareAll
}

// findEnd finds a host by its id or address, or a switch by its id or name. A datapath id with
// colons has seven of them and two digits between them; a MAC has five.
func findEnd(snap *netview.Snapshot, name, s string) (end, error) {
	if strings.Count(s, ":") == 5 && !strings.Contains(s, "::") {
		id, err := parseHostID(s)
		if err != nil {
			return end{}, rest.Refuse(http.StatusBadRequest, "%s: %v", name, err)
		}
		h, ok := snap.Host(id)
		if !ok {
			return end{}, rest.Refuse(http.StatusNotFound, "%s: no host %s is known: /v1/hosts lists those that are", name, id)
		}
		return end{h.At.DPID, h}, nil
	}
	if ip, err := netip.ParseAddr(s); err == nil && !isDPIDWithColons(s) {
		h, err := resolveAddress(snap, ip)
		if err != nil {
			return end{}, withParameter(name, err)
		}
		return end{h.At.DPID, h}, nil
	}
	sw, err := resolveSwitch(snap, s)
	var p huma.StatusError
	switch {
	case errors.As(err, &p) && p.GetStatus() == http.StatusNotFound:
		return end{}, rest.Refuse(http.StatusNotFound, "%s: %q is neither the datapath id or name of a switch nor the id (MAC, or "+
			"MAC/vlan) or IP address of a host that is known: /v1/switches and /v1/hosts list those that are", name, rest.Truncate(s))
	case err != nil:
		return end{}, withParameter(name, err)
	}
	return end{dpid: sw.DPID}, nil
}

// withParameter says of which parameter a problem is.
func withParameter(name string, err error) error {
	var p huma.StatusError
	if errors.As(err, &p) {
		return rest.Refuse(p.GetStatus(), "%s: %v", name, err)
	}
	return err
}

// pathItem turns links into hops: a hop is a switch, in by the link before and out by the link
// after.
func pathItem(src, dst end, p Path) client.Path {
	item := client.Path{Cost: p.Cost, InUse: p.InUse, Intents: p.Intents, Hops: make([]client.Hop, len(p.Links)+1)}
	item.Hops[0].DPID = src.dpid.String()
	for i, l := range p.Links {
		out, in := l.Src.Port, l.Dst.Port
		item.Hops[i].Out = &out
		item.Hops[i+1] = client.Hop{DPID: l.Dst.DPID.String(), In: &in}
	}
	if src.host != nil {
		in := src.host.At.Port
		item.Hops[0].In = &in
	}
	if dst.host != nil {
		out := dst.host.At.Port
		item.Hops[len(p.Links)].Out = &out
	}
	return item
}
