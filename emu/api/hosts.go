package api

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/host"
)

// hosts are found by name.
type hosts struct{ operator *control.Operator }

func (r hosts) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: "/v1/hosts", ID: "hosts", Handler: rest.Typed(r.all),
			Summary: "All hosts and what they count"},
		{Method: "GET", Path: "/v1/hosts/{name}", ID: "host", Handler: rest.Typed(r.one), Summary: "One host"},
	}
}

// Host is an end host, and its totals.
type Host struct {
	Name     string       `json:"name"`
	MAC      string       `json:"mac"`
	IPv4     string       `json:"ipv4,omitempty"`
	IPv6     string       `json:"ipv6,omitempty"`
	VLAN     uint16       `json:"vlan,omitempty"`
	At       LinkEnd      `json:"at"`
	Link     string       `json:"link" doc:"id of its link"`
	Counters HostCounters `json:"counters"`
}

// HostCounters are a host's totals.
type HostCounters struct {
	RxPackets   uint64 `json:"rx_packets"`
	RxBytes     uint64 `json:"rx_bytes"`
	TxPackets   uint64 `json:"tx_packets"`
	TxBytes     uint64 `json:"tx_bytes"`
	NotMine     uint64 `json:"not_mine" doc:"frames for other stations: copies of floods"`
	Malformed   uint64 `json:"malformed"`
	BadChecksum uint64 `json:"bad_checksum"`
	Resolved    uint64 `json:"resolved" doc:"neighbours learned from an answer"`
	Unresolved  uint64 `json:"unresolved" doc:"neighbours that did not answer"`
	Echoed      uint64 `json:"echoed" doc:"echo requests answered"`
	Unsent      uint64 `json:"unsent" doc:"frames for neighbours that did not answer"`
}

func hostItem(h *emu.Host) Host {
	spec := h.Spec()
	item := Host{Name: spec.Name, MAC: spec.MAC.String(), VLAN: spec.VLAN, Link: h.Link().ID}
	item.At = linkItem(h.Link(), LinkEnd{Host: spec.Name}).B
	if spec.IPv4.IsValid() {
		item.IPv4 = spec.IPv4.String()
	}
	if spec.IPv6.IsValid() {
		item.IPv6 = spec.IPv6.String()
	}
	var c host.Counters
	h.Do(func(stack *host.Host, _ time.Duration, _ host.Output) { c = stack.Counters() })
	item.Counters = HostCounters{RxPackets: c.FramesIn, RxBytes: c.BytesIn, TxPackets: c.FramesOut,
		TxBytes: c.BytesOut, NotMine: c.NotMine,
		Malformed: c.Malformed, BadChecksum: c.BadChecksum, Resolved: c.Resolved, Unresolved: c.Failed,
		Echoed: c.Echoed, Unsent: c.Unsent}
	return item
}

func (r hosts) all(context.Context, *none) (*list[Host], error) {
	return listOf(r.operator.Network().Hosts(), hostItem)
}

type hostInput struct {
	Name string `path:"name"`
}

func (r hosts) one(_ context.Context, in *hostInput) (*one[Host], error) {
	h := r.operator.Host(in.Name)
	if h == nil {
		return nil, huma.Error404NotFound("there is no host " + in.Name + ": GET /v1/hosts lists what there is")
	}
	return &one[Host]{hostItem(h)}, nil
}
