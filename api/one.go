package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/wire"
	"github.com/weirnet/weir/netview"
)

// singleAnswer is an answer that is one item.
type singleAnswer[T any] struct {
	Revision string `header:"Weir-Revision" doc:"The revision of the view that it was read at. Opaque."`
	Body     T
}

// DPIDParam is a switch in a path.
type DPIDParam struct {
	DPID string `path:"dpid" maxLength:"32" doc:"Datapath id: up to 16 hexadecimal digits, with 0x or without."`
}

type switchInput struct {
	DPIDParam
	Freshness
}

func (s *Server) oneSwitch(ctx context.Context, in *switchInput) (*singleAnswer[client.Switch], error) {
	snap, sw, err := s.findSwitch(ctx, in.DPID, in.Freshness)
	if err != nil {
		return nil, err
	}
	item := switchItem(snap, sw)
	item.Sync = s.syncOf(sw.DPID)
	return &singleAnswer[client.Switch]{s.revision(snap), item}, nil
}

func (s *Server) revision(snap *netview.Snapshot) string {
	return s.run.text(position{revision: snap.Revision()})
}

// findSwitch returns the switch of an id as a request gave it.
func (s *Server) findSwitch(ctx context.Context, id string, f Freshness) (*netview.Snapshot, *netview.Switch, error) {
	dpid, err := client.ParseDPID(id)
	if err != nil {
		return nil, nil, refuse(http.StatusBadRequest, "%v", err)
	}
	snap, err := s.fresh(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	sw, ok := snap.Switch(netview.DPID(dpid))
	if !ok {
		return nil, nil, refuse(http.StatusNotFound, "no switch %016x is known: /v1/switches lists those that are", dpid)
	}
	return snap, sw, nil
}

type hostInput struct {
	ID string `path:"id" maxLength:"64" doc:"MAC, or MAC/vlan."`
	Freshness
}

type vlanHostInput struct {
	ID   string `path:"id" maxLength:"32" doc:"MAC."`
	VLAN string `path:"vlan" maxLength:"8" doc:"VLAN id."`
	Freshness
}

func (s *Server) oneHost(ctx context.Context, in *hostInput) (*singleAnswer[client.Host], error) {
	id, err := parseHostID(in.ID)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "%v", err)
	}
	snap, err := s.fresh(ctx, in.Freshness)
	if err != nil {
		return nil, err
	}
	h, ok := snap.Host(id)
	if !ok {
		return nil, refuse(http.StatusNotFound, "no host %s is known: /v1/hosts lists those that are", id)
	}
	return &singleAnswer[client.Host]{s.revision(snap), hostItem(snap, h)}, nil
}

// oneVLANHost takes the slash of an id as it stands, so that nobody needs to escape it.
func (s *Server) oneVLANHost(ctx context.Context, in *vlanHostInput) (*singleAnswer[client.Host], error) {
	return s.oneHost(ctx, &hostInput{ID: in.ID + "/" + in.VLAN, Freshness: in.Freshness})
}

// parseHostID reads MAC or MAC/vlan.
func parseHostID(s string) (netview.HostID, error) {
	id, ok := wire.HostID(s)
	if !ok {
		return id, fmt.Errorf("host id %q: want a MAC, such as 00:00:00:00:00:01, or MAC/vlan with a vlan from 0 to 4095", truncate(s))
	}
	return id, nil
}
