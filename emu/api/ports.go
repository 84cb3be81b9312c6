package api

import (
	"context"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/packet"
)

// ports are found by their switch and number.
type ports struct{ of switches }

func (r ports) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: "/v1/ports", ID: "ports", Handler: rest.Typed(r.all), Summary: "All ports"},
		{Method: "GET", Path: "/v1/ports/{dpid}/{port}", ID: "port", Handler: rest.Typed(r.one), Summary: "One port"},
		{Method: "PATCH", Path: "/v1/ports/{dpid}/{port}", ID: "change-port", Handler: rest.Typed(r.change),
			Summary: "Break a port, or mend it"},
	}
}

// Port is a port of a switch.
type Port struct {
	DPID    string `json:"dpid"`
	Port    uint32 `json:"port"`
	Name    string `json:"name"`
	MAC     string `json:"mac"`
	Up      bool   `json:"up" doc:"it is not broken by a request or an event"`
	Stopped bool   `json:"stopped" doc:"a controller has set it down"`
	Carrier bool   `json:"carrier" doc:"its link carries frames"`
	Link    string `json:"link" doc:"id of its link"`
}

func portItem(sw *emu.Switch, number uint32) (Port, bool) {
	p, ok := sw.Port(number)
	if !ok {
		return Port{}, false
	}
	return Port{DPID: client.FormatDPID(sw.DatapathID()), Port: number, Name: p.Name,
		MAC: packet.MAC(p.HWAddr).String(), Up: p.Up, Stopped: p.Stopped,
		Carrier: p.Carrier, Link: p.Link.ID}, true
}

func (r ports) all(context.Context, *none) (*list[Port], error) {
	var items []Port
	for _, sw := range r.of.operator.Network().Switches() {
		for _, number := range sw.Ports() {
			item, _ := portItem(sw, number)
			items = append(items, item)
		}
	}
	return listOf(items, itself[Port])
}

// PortName names a port in a path.
type PortName struct {
	SwitchName
	Port uint32 `path:"port" doc:"its number"`
}

func (r ports) find(in *PortName) (*emu.Switch, *one[Port], error) {
	sw, err := r.of.find(in.DPID)
	if err != nil {
		return nil, nil, err
	}
	item, ok := portItem(sw, in.Port)
	if !ok {
		return nil, nil, huma.Error404NotFound(fmt.Sprintf("switch %s has no port %d: it has %v", in.DPID, in.Port, sw.Ports()))
	}
	return sw, &one[Port]{item}, nil
}

func (r ports) one(_ context.Context, in *PortName) (*one[Port], error) {
	_, item, err := r.find(in)
	return item, err
}

type portChange struct {
	PortName
	Body struct {
		Up bool `json:"up" doc:"false breaks the port: its link loses the carrier at both ends"`
	}
}

func (r ports) change(_ context.Context, in *portChange) (*one[Port], error) {
	sw, _, err := r.find(&in.PortName)
	if err != nil {
		return nil, err
	}
	if err := sw.SetPort(in.Port, in.Body.Up); err != nil {
		return nil, refuse(err)
	}
	_, item, err := r.find(&in.PortName)
	return item, err
}
