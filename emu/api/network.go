package api

import (
	"context"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu"
)

// overview is the network as a whole.
type overview struct{ net *emu.Network }

func (r overview) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: "/v1/network", ID: "network", Handler: rest.Typed(r.network),
			Summary: "The network in numbers"},
		{Method: "GET", Path: "/v1/fidelity", ID: "fidelity", Handler: rest.Typed(r.fidelity),
			Summary: "How well the network keeps the times that it promises"},
		{Method: "GET", Path: "/v1/profiles", ID: "profiles", Handler: rest.Typed(r.profiles),
			Summary: "How switches behave, and where each figure comes from"},
	}
}

// Network is an emulated network in numbers.
type Network struct {
	Name        string            `json:"name"`
	Age         Span              `json:"age"`
	Controllers []string          `json:"controllers" nullable:"false"`
	Switches    int               `json:"switches"`
	Links       int               `json:"links" doc:"between switches"`
	Hosts       int               `json:"hosts"`
	On          int               `json:"on" doc:"switches that have power"`
	Connected   int               `json:"connected" doc:"switches that are connected to a controller at least"`
	Sessions    int               `json:"sessions" doc:"connections to controllers"`
	LinksUp     int               `json:"links_up"`
	Entries     int64             `json:"entries" doc:"flow entries in all switches"`
	PacketHops  uint64            `json:"packet_hops" doc:"frames that switches took from links"`
	Delivered   uint64            `json:"delivered" doc:"frames that hosts took"`
	PacketIns   uint64            `json:"packet_ins"`
	PacketOuts  uint64            `json:"packet_outs"`
	FlowMods    uint64            `json:"flow_mods"`
	Frames      int64             `json:"frames" doc:"on their way now"`
	Lost        map[string]uint64 `json:"lost" doc:"by cause"`
}

func (r overview) network(context.Context, *none) (*one[Network], error) {
	return &one[Network]{networkItem(r.net)}, nil
}

func networkItem(n *emu.Network) Network {
	t := n.Totals()
	return Network{Name: n.Topology().Name, Age: Span(n.Age()), Controllers: append([]string{}, n.Controllers()...),
		Switches: t.Switches,
		Links:    t.Links, Hosts: t.Hosts, On: t.On, Connected: t.Connected, Sessions: t.Sessions, LinksUp: t.LinksUp,
		Entries:    t.Entries,
		PacketHops: t.PacketHops, Delivered: t.Delivered, PacketIns: t.PacketIns, PacketOuts: t.PacketOuts,
		FlowMods: t.FlowMods, Frames: t.Frames,
		Lost: dropsItem(t.Drops)}
}
