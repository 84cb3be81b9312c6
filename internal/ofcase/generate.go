package ofcase

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/weirnet/weir/openflow"
)

// Generate makes the case of a seed.
func Generate(v openflow.Version, seed uint64, opt Options) Case {
	if opt.Steps == 0 {
		opt.Steps = 30
	}
	d := draws{rand.New(rand.NewPCG(seed, uint64(v))), v, opt}
	g := &gen{draws: d, matches: matches{d}, actions: actions{draws: d, tells: d.one(2)},
		groups: map[uint32]bool{}, chained: map[uint32]bool{}}
	c := Case{Version: v, Seed: seed}
	if v == openflow.V13 && !opt.Odd {
		for table := uint8(1); table <= lastTable; table++ {
			c.Steps = append(c.Steps, g.message(func() openflow.Message { return g.miss(table) }))
		}
	}
	c.Base = len(c.Steps)
	if v == openflow.V13 && opt.Groups {
		c.Steps = append(c.Steps, g.message(g.groupMod), g.message(g.groupMod), g.message(g.groupMod))
	}
	if v == openflow.V13 && opt.Meters {
		c.Steps = append(c.Steps, g.message(g.meterMod), g.message(g.meterMod))
	}
	for range 5 {
		c.Steps = append(c.Steps, g.message(g.flowMod))
	}
	for len(c.Steps) < opt.Steps {
		c.Steps = append(c.Steps, g.step())
	}
	return c
}

// gen draws the steps of a case, one after the other, and knows what the switch has after them.
type gen struct {
	draws
	matches matches
	actions actions
	added   []*openflow.FlowMod // the additions so far
	groups  map[uint32]bool     // that exist for sure
	chained map[uint32]bool     // that others may send to, or watch
}

func (g *gen) step() Step {
	switch n := g.IntN(100); {
	case n < 26:
		return g.message(g.flowMod)
	case n < 32 && g.opt.Groups && g.v == openflow.V13:
		return g.message(g.groupMod)
	case n < 35 && g.opt.Meters && g.v == openflow.V13:
		return g.message(g.meterMod)
	case n < 37 && (g.opt.Mods || g.opt.Down) && len(g.opt.Addresses) > 0:
		return g.message(g.portMod)
	case n < 42 && g.opt.Down && len(g.opt.Addresses) > 0:
		return g.message(g.portMod)
	case n < 45:
		return g.message(g.packetOut)
	case n < 54 && !g.opt.Down:
		return g.message(g.query)
	case n < 57 && g.opt.Waits && !g.opt.Down:
		if g.opt.Normal && g.one(3) {
			return Step{Wait: pick(g, []time.Duration{160, 310}) * time.Second}
		}
		return Step{Wait: pick(g, []time.Duration{101, 503, 991, 1013, 1997, 2503}) * time.Millisecond}
	}
	port, frame := g.frame()
	return Step{Port: port, Frame: frame}
}

// message draws messages until one is that the version can say.
func (g *gen) message(draw func() openflow.Message) Step {
	for {
		m := draw()
		b, err := openflow.Append(nil, g.v, 0, m)
		if err == nil {
			return Step{Message: b}
		}
		if !errors.Is(err, openflow.ErrVersion) {
			panic(err)
		}
	}
}

// frame draws a frame and where it comes in, most often such that an entry of the first table takes
// it.
func (g *gen) frame() (port uint32, frame []byte) {
	f := frames{draws: g.draws}
	if len(g.added) > 0 && g.IntN(4) > 0 {
		if old := pick(g, g.added); old.Table == 0 {
			f.like = old.Match
		}
	}
	return f.frame()
}

func (g *gen) packetOut() openflow.Message {
	port, frame := g.frame()
	p := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: port, Data: frame}
	if g.opt.Down || g.one(2) {
		p.InPort = openflow.PortController
		if g.v == openflow.V10 {
			p.InPort = openflow.PortAny
		}
	}
	if g.opt.Normal { // Open vSwitch learns from a packet-out only after all of its actions
		p.Actions = []openflow.Action{openflow.Output(g.port())}
		if [6]byte(frame) != [6]byte(frame[6:]) {
			p.Actions = []openflow.Action{openflow.Output(openflow.PortNormal)}
		}
		return p
	}
	toTable := g.one(4)
	if p.Actions = g.actions.list(kind{}, g.actions.tells && !toTable); toTable {
		p.Actions = append(p.Actions, openflow.Output(openflow.PortTable))
	}
	if id := g.groupID(); g.opt.Down && g.groups[id] {
		p.Actions = []openflow.Action{openflow.Group(id)}
	}
	return p
}

func (g *gen) portMod() openflow.Message {
	port := g.port()
	bits := []uint32{openflow.PortConfigNoFwd}
	if g.opt.Odd {
		bits = append(bits, openflow.PortConfigNoPacketIn)
	}
	if g.opt.Down {
		bits = append(bits, openflow.PortConfigNoRecv, openflow.PortConfigDown, openflow.PortConfigDown)
	}
	if g.v == openflow.V10 {
		bits = append(bits, openflow.PortConfigNoFlood)
	}
	m := &openflow.PortMod{Port: port, HWAddr: g.opt.Addresses[port-1], Mask: pick(g, bits)}
	if g.one(2) {
		m.Config = m.Mask
	}
	switch g.IntN(16) {
	case 0:
		m.Port = 9
	case 1:
		m.HWAddr = macs[0]
	}
	return m
}

// query draws a question for statistics or descriptions.
func (g *gen) query() openflow.Message {
	filter := openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	if g.one(2) {
		filter.Match = g.matches.match(g.matches.kind())
		if len(g.added) > 0 {
			filter.Match = g.matches.wider(pick(g, g.added).Match)
		}
	}
	if g.one(4) {
		filter.OutPort = g.port()
	}
	if g.v == openflow.V13 && g.one(4) {
		filter.Cookie, filter.CookieMask = uint64(g.IntN(4)), 3
	}
	if g.one(3) {
		filter.Table = g.table()
	}
	bodies := []openflow.RequestBody{
		&openflow.FlowRequest{FlowFilter: filter}, &openflow.AggregateRequest{FlowFilter: filter},
		&openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny,
			OutGroup: openflow.GroupAny}},
		&openflow.TableRequest{}, &openflow.PortStatsRequest{Port: g.port()},
	}
	if g.v == openflow.V13 {
		bodies = append(bodies, &openflow.PortDescRequest{})
		if g.opt.Groups {
			bodies = append(bodies, &openflow.GroupRequest{Group: g.groupID()}, &openflow.GroupRequest{Group: openflow.GroupAll},
				&openflow.GroupDescRequest{})
		}
		if g.opt.Meters {
			bodies = append(bodies, &openflow.MeterRequest{Meter: openflow.MeterAll},
				&openflow.MeterConfigRequest{Meter: g.meterID()},
				&openflow.MeterConfigRequest{Meter: openflow.MeterAll})
		}
	}
	return &openflow.MultipartRequest{Body: pick(g, bodies)}
}
