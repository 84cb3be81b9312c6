package api

import (
	"context"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/topo"
)

// switches are found by datapath id or name, and given faults.
type switches struct{ operator *control.Operator }

func (r switches) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: "/v1/switches", ID: "switches", Handler: rest.Typed(r.all),
			Summary: "All switches and their faults"},
		{Method: "GET", Path: "/v1/switches/{dpid}", ID: "switch", Handler: rest.Typed(r.one),
			Summary: "One switch; it may be given by its name"},
		{Method: "PATCH", Path: "/v1/switches/{dpid}", ID: "change-switch", Handler: rest.Typed(r.change),
			Summary: "Give a switch faults, or take them away"},
		{Method: "PATCH", Path: "/v1/switches/{dpid}/controllers/{number}", ID: "change-controller",
			Handler: rest.Typed(r.changeControl), Summary: "Cut, stall or slow one control channel, or mend it"},
	}
}

// Faults are what is wrong with a switch.
type Faults struct {
	Down    bool `json:"down" doc:"it has no power"`
	Stalled bool `json:"stalled" doc:"it reads nothing from any controller"`
	Slow    Span `json:"slow" doc:"what a controller sends waits so long before it is seen"`
	Lying   bool `json:"lying" doc:"it does not do what it answers to have done"`
	Lies    Lies `json:"lies"`
}

// Lies are what a lying switch does.
type Lies struct {
	DropFlowMods   float64 `json:"drop_flow_mods" minimum:"0" maximum:"1" doc:"share of flow-mods that are thrown away unread"`
	ForgetFlowMods bool    `json:"forget_flow_mods" doc:"flow-mods are checked and not kept"`
	HideEntries    float64 `json:"hide_entries" minimum:"0" maximum:"1" doc:"share of entries that are left out of statistics"`
}

// Controller is a control channel.
type Controller struct {
	Number     int    `json:"number"`
	Controller string `json:"controller" doc:"as it was given"`
	Connected  bool   `json:"connected"`
	OpenFlow   string `json:"openflow,omitempty" doc:"while it is connected"`
	Up         bool   `json:"up" doc:"it is not cut off"`
	Stalled    bool   `json:"stalled"`
	Slow       Span   `json:"slow"`
	Trouble    string `json:"trouble,omitempty" doc:"why it is not connected"`
}

// Switch is an emulated switch.
type Switch struct {
	DPID      string `json:"dpid"`
	Name      string `json:"name"`
	Profile   string `json:"profile" doc:"how it behaves; GET /v1/profiles says what that means"`
	Connected bool   `json:"connected" doc:"to a controller at least"`
	Faults
	Entries     int          `json:"entries" doc:"flow entries"`
	Ports       []uint32     `json:"ports" nullable:"false"`
	Controllers []Controller `json:"controllers" nullable:"false"`
}

func switchItem(sw *emu.Switch) Switch {
	item := Switch{DPID: client.FormatDPID(sw.DatapathID()), Name: sw.Name(), Profile: sw.Profile().Name,
		Entries: sw.Entries(), Ports: sw.Ports(), Controllers: []Controller{}}
	l := sw.Misbehaviour()
	item.Faults = Faults{Down: !sw.On(), Lying: l != emu.Misbehaviour{}, Lies: Lies(l)}
	for i, c := range sw.Controls() {
		one := Controller{Number: i, Controller: c.Controller, Connected: c.Connected, Up: !c.CutOff,
			Stalled: c.Stalled, Slow: Span(c.Slow), Trouble: c.Trouble}
		if c.Connected {
			one.OpenFlow, item.Connected = c.Version.String(), true
		}
		item.Stalled = (i == 0 || item.Stalled) && c.Stalled
		item.Slow = max(item.Slow, one.Slow)
		item.Controllers = append(item.Controllers, one)
	}
	return item
}

func (r switches) all(context.Context, *none) (*list[Switch], error) {
	return listOf(r.operator.Network().Switches(), switchItem)
}

// SwitchName names a switch in a path.
type SwitchName struct {
	DPID string `path:"dpid" doc:"datapath id in hexadecimal, or name"`
}

func (r switches) find(id string) (*emu.Switch, error) {
	if sw := r.operator.Switch(id); sw != nil {
		return sw, nil
	}
	return nil, huma.Error404NotFound("there is no switch " + id + ": GET /v1/switches lists what there is")
}

func (r switches) one(_ context.Context, in *SwitchName) (*one[Switch], error) {
	sw, err := r.find(in.DPID)
	if err != nil {
		return nil, err
	}
	return &one[Switch]{switchItem(sw)}, nil
}

type switchChange struct {
	SwitchName
	Body struct {
		Down    *bool `json:"down,omitempty" doc:"true takes the power away: tables are lost, links lose their carrier"`
		Stalled *bool `json:"stalled,omitempty" doc:"true: it reads nothing from any controller"`
		Slow    *Span `json:"slow,omitempty" example:"300ms" doc:"what controllers send waits so long; 0s ends it"`
		Lying   *bool `json:"lying,omitempty" doc:"true: flow-mods are answered for and not kept; false: it is honest"`
		Lies    *Lies `json:"lies,omitempty" doc:"what it does instead, where lying is not given"`
	}
}

func (r switches) change(_ context.Context, in *switchChange) (*one[Switch], error) {
	sw, err := r.find(in.DPID)
	if err != nil {
		return nil, err
	}
	b := &in.Body
	if b.Lying != nil && b.Lies != nil {
		return nil, huma.Error422UnprocessableEntity("lying and lies given, want one of them")
	}
	if err := r.operator.Do(topo.SwitchAction{Switch: sw.Index, Down: b.Down, Stalled: b.Stalled,
		Slow: b.Slow.duration(), Lying: b.Lying}); err != nil {
		return nil, refuse(err)
	}
	if l := b.Lies; l != nil {
		sw.Misbehave(emu.Misbehaviour(*l))
	}
	return &one[Switch]{switchItem(sw)}, nil
}

type controlChange struct {
	SwitchName
	Number int `path:"number" minimum:"0" doc:"of the controller, from 0, in the order in which they were given"`
	Body   struct {
		Up      *bool `json:"up,omitempty" doc:"false cuts the connection, and keeps it cut"`
		Stalled *bool `json:"stalled,omitempty"`
		Slow    *Span `json:"slow,omitempty"`
	}
}

func (r switches) changeControl(_ context.Context, in *controlChange) (*one[Switch], error) {
	sw, err := r.find(in.DPID)
	if err != nil {
		return nil, err
	}
	if n := len(r.operator.Network().Controllers()); in.Number >= n {
		return nil, huma.Error404NotFound(fmt.Sprintf("there is no controller number %d, want less than %d", in.Number, n))
	}
	b := &in.Body
	if b.Slow != nil {
		err = sw.Control().Slow(in.Number, *b.Slow.duration())
	}
	if err == nil && b.Stalled != nil {
		err = sw.Control().Stall(in.Number, *b.Stalled)
	}
	if err == nil && b.Up != nil {
		err = sw.Control().CutOff(in.Number, !*b.Up)
	}
	if err != nil {
		return nil, refuse(err)
	}
	return &one[Switch]{switchItem(sw)}, nil
}
