package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/topo"
)

// links are those of switches, hosts and devices, found by id.
type links struct{ operator *control.Operator }

func (r links) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: "/v1/links", ID: "links", Handler: rest.Typed(r.all),
			Summary: "All links, those of hosts included"},
		{Method: "GET", Path: "/v1/links/{id}", ID: "link", Handler: rest.Typed(r.one), Summary: "One link"},
		{Method: "PATCH", Path: "/v1/links/{id}", ID: "change-link", Handler: rest.Typed(r.change),
			Summary: "Cut a link or mend it; change how it carries frames"},
	}
}

// LinkEnd is where a link ends: at a port of a switch, at a host, or at a device of the machine.
type LinkEnd struct {
	Host   string `json:"host,omitempty"`
	Device string `json:"device,omitempty" doc:"of the machine (weir emulate --attach)"`
	Switch string `json:"switch,omitempty" doc:"name"`
	DPID   string `json:"dpid,omitempty"`
	Port   uint32 `json:"port,omitempty"`
}

// LinkSpec is how one way carries frames.
type LinkSpec struct {
	Delay  Span    `json:"delay"`
	Jitter Span    `json:"jitter"`
	Loss   float64 `json:"loss" doc:"share of frames, 0 to 1"`
	Rate   Rate    `json:"rate" doc:"bits a second, or none"`
	Queue  int     `json:"queue" doc:"frames"`
	MTU    int     `json:"mtu,omitempty" doc:"bytes after the Ethernet header and a first VLAN tag; longer frames are lost; absent: any"`
}

// LinkCounters are what one way has carried since the network was made.
type LinkCounters struct {
	Sent  uint64            `json:"sent" doc:"frames that were not lost at once"`
	Bytes uint64            `json:"bytes"`
	OnWay int               `json:"on_way" doc:"frames on their way now"`
	Lost  map[string]uint64 `json:"lost" doc:"frames, by cause"`
}

// LinkWay is one way over a link.
type LinkWay struct {
	LinkSpec
	Counters LinkCounters `json:"counters"`
}

// Link is a link between two switches, or between a host and a switch. Its own delay, jitter, loss,
// rate, queue and MTU are those of the way forward.
type Link struct {
	ID string `json:"id"`
	Up bool   `json:"up" doc:"it carries frames"`
	// Cut says that it was cut; a link that is not can be down because of a port or a switch.
	Cut bool    `json:"cut" doc:"it was cut by a request or an event"`
	A   LinkEnd `json:"a"`
	B   LinkEnd `json:"b"`
	LinkSpec
	Forward LinkWay `json:"forward" doc:"from a to b"`
	Back    LinkWay `json:"back" doc:"from b to a"`
}

func specItem(s topo.LinkSpec) LinkSpec {
	if s.Queue == 0 {
		s.Queue = topo.DefaultQueue
	}
	return LinkSpec{Span(s.Delay), Span(s.Jitter), s.Loss, Rate(s.RateBPS), s.Queue, s.MTU}
}

func wayItem(l *emu.Link, w emu.Direction) LinkWay {
	c := l.Stats(w)
	return LinkWay{specItem(l.Spec(w)), LinkCounters{c.Sent, c.Bytes, c.InFlight, dropsItem(c.Lost)}}
}

// dropsItem names the causes that have happened.
func dropsItem(d emu.Drops) map[string]uint64 {
	lost := map[string]uint64{}
	for _, cause := range emu.Causes() {
		if d[cause] > 0 {
			lost[cause.String()] = d[cause]
		}
	}
	return lost
}

// linkItem returns a link, of which outer is the end that is no port.
func linkItem(l *emu.Link, outer LinkEnd) Link {
	a, aPort, b, bPort := l.Ends()
	end := func(sw *emu.Switch, port uint32) LinkEnd {
		if sw == nil {
			return outer
		}
		return LinkEnd{Switch: sw.Name(), DPID: client.FormatDPID(sw.DatapathID()), Port: port}
	}
	return Link{ID: l.ID, Up: l.Up(), Cut: l.Cut(), A: end(a, aPort), B: end(b, bPort), LinkSpec: specItem(l.Spec(emu.Forward)),
		Forward: wayItem(l, emu.Forward), Back: wayItem(l, emu.Back)}
}

func (r links) all(context.Context, *none) (*list[Link], error) {
	var items []Link
	for _, l := range r.operator.Network().Links() {
		items = append(items, linkItem(l, LinkEnd{}))
	}
	for _, h := range r.operator.Network().Hosts() {
		items = append(items, linkItem(h.Link(), LinkEnd{Host: h.Spec().Name}))
	}
	for _, a := range r.operator.Network().Attachments() {
		items = append(items, linkItem(a.Link(), LinkEnd{Device: a.Name}))
	}
	return listOf(items, itself[Link])
}

// LinkName names a link in a path.
type LinkName struct {
	ID string `path:"id" doc:"of the link: s1-s2"`
}

// link finds a link by its id.
func (r links) find(id string) (*one[Link], error) {
	l := r.operator.Link(id)
	if l == nil {
		return nil, huma.Error404NotFound("there is no link " + id + ": GET /v1/links lists what there is")
	}
	return &one[Link]{linkItem(l, r.outerOf(l))}, nil
}

// outerOf returns the end of a link that is no port; empty if it is between switches.
func (r links) outerOf(l *emu.Link) LinkEnd {
	if l.Index >= 0 {
		return LinkEnd{}
	}
	for _, h := range r.operator.Network().Hosts() {
		if h.Link() == l {
			return LinkEnd{Host: h.Spec().Name}
		}
	}
	for _, a := range r.operator.Network().Attachments() {
		if a.Link() == l {
			return LinkEnd{Device: a.Name}
		}
	}
	return LinkEnd{}
}

func (r links) one(_ context.Context, in *LinkName) (*one[Link], error) { return r.find(in.ID) }

type linkChange struct {
	LinkName
	Body struct {
		Up     *bool  `json:"up,omitempty" doc:"false cuts the link, true mends it"`
		Way    string `json:"way,omitempty" enum:"both,forward,back" doc:"of what follows; default both"`
		Delay  *Span  `json:"delay,omitempty" example:"5ms"`
		Jitter *Span  `json:"jitter,omitempty" doc:"at most the delay"`
		Loss   *Loss  `json:"loss,omitempty"`
		Rate   *Rate  `json:"rate,omitempty" example:"100M" doc:"bits a second, or none"`
		Queue  *int   `json:"queue,omitempty" minimum:"1" doc:"frames"`
		MTU    *int   `json:"mtu,omitempty" minimum:"0" doc:"bytes after the Ethernet header and a first VLAN tag; 0: any"`
	}
}

func (r links) change(_ context.Context, in *linkChange) (*one[Link], error) {
	if _, err := r.find(in.ID); err != nil {
		return nil, err
	}
	b := &in.Body
	a := topo.LinkAction{Link: in.ID, Up: b.Up,
		Change: topo.Change{Delay: b.Delay.duration(), Jitter: b.Jitter.duration(), Loss: (*float64)(b.Loss),
			RateBPS: (*uint64)(b.Rate), Queue: b.Queue, MTU: b.MTU}}
	if b.Way != "" {
		var err error
		if a.Way, err = topo.ParseWay(b.Way); err != nil {
			return nil, refuse(err)
		}
	}
	if err := r.operator.Do(a); err != nil {
		return nil, refuse(err)
	}
	return r.find(in.ID)
}
