package sim

import (
	"maps"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/store"
)

// act has an event happen, and what ends it asked for.
func (w *world) act(e Event) {
	w.say("%s", e)
	w.monitor.exempt(e)
	defer w.monitor.note()
	end := func(do func()) {
		w.After(e.For, func() {
			do()
			w.monitor.note()
		})
	}
	switches := w.net.Switches()
	switch e.Kind {
	case CutLink:
		l := w.net.Links()[e.A]
		l.SetUp(false)
		end(func() { l.SetUp(true) })
	case BreakPort:
		sw := switches[e.A]
		port := sw.Ports()[e.B%len(sw.Ports())]
		_ = sw.SetPort(port, false)
		end(func() { _ = sw.SetPort(port, true) })
	case PowerOff:
		sw := switches[e.A]
		sw.Down()
		end(sw.Up)
	case KillInstance:
		w.kill()
		end(w.start)
	case PauseInstance:
		if w.running != nil {
			w.paused = later(w.paused, w.now.Add(e.For/4))
		}
	case MoveHost:
		h, to := w.stations[e.A], w.sockets[e.B]
		if to.station == nil && h.socket != nil {
			h.pull()
			w.After(min(e.For, 2*time.Second), func() { h.settle(to) })
		}
	case Talk:
		if a, b := w.stations[e.A], w.stations[e.B]; a != b {
			a.ping(b, 1+int(e.For/time.Second), time.Second/2, time.Second)
		}
	case Shout:
		w.stations[e.A].shout(uint32(e.At))
	case AskIntent, DropIntent:
		w.intents.ask(e)
	case StoreTrouble:
		w.troubleStore(e, end)
	case CutControl, LoseControl, NoControl, SlowControl, StallControl:
		w.control(e, end)
	case DeleteByHand, ChangeByHand, AddByHand, EmptyByHand:
		w.byHand(e, switches[e.A])
	default:
		w.operate(e, end)
	}
}

// troubleStore has writes to the store fail for a while: half of them, in one way.
func (w *world) troubleStore(e Event, end func(func())) {
	fault := []store.Fault{store.Unavailable, store.Full, store.UnknownDone, store.UnknownLost, store.UnknownLate}[e.B]
	r := w.random(randAct, uint64(e.At))
	w.store.Inject(func(c store.Call) store.Fault {
		if c.Name == "Txn" && r.IntN(2) == 0 {
			return fault
		}
		return store.None
	})
	end(func() { w.store.Inject(nil); w.store.Settle() })
}

// settle plugs a station in, somewhere else if somebody was faster.
func (h *station) settle(to *socket) {
	for i := range h.w.sockets {
		s := h.w.sockets[(to.index+i)%len(h.w.sockets)]
		if s.station == nil {
			h.plug(s)
			return
		}
	}
}

// control does something to the connections of a switch.
func (w *world) control(e Event, mend func(func())) {
	sw := w.net.Switches()[e.A]
	var live []*wire
	for _, c := range w.wires {
		if c.sw == e.A && !c.over() {
			live = append(live, c)
		}
	}
	each := func(do func(*end)) {
		for _, c := range live {
			for _, x := range c.ends {
				do(x)
			}
		}
	}
	switch e.Kind {
	case CutControl:
		for _, c := range live {
			c.cut(true)
		}
	case LoseControl:
		for _, c := range live {
			c.cut(false)
		}
	case NoControl:
		_ = sw.Control().CutOff(emu.AllControllers, true)
		mend(func() { _ = sw.Control().CutOff(emu.AllControllers, false) })
	case SlowControl:
		each(func(x *end) { x.slow = time.Duration(e.B) * time.Millisecond })
		mend(func() { each(func(x *end) { x.slow = 0 }) })
	case StallControl:
		stall := func(on bool) {
			for _, c := range live {
				c.ends[atSwitch].stalled = on
				c.ends[atSwitch].wake(0)
			}
		}
		stall(true)
		mend(func() { stall(false) })
	}
}

// byHand changes entries behind the instance's back.
func (w *world) byHand(e Event, sw *emu.Switch) {
	flows := sw.Flows(w.plan.Version)
	m := openflow.FlowMod{Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	switch {
	case e.Kind == EmptyByHand:
		m.Command, m.Table = openflow.FlowDelete, openflow.TableAll
		if w.plan.Version == openflow.V10 {
			m.Table = 0
		}
	case e.Kind == AddByHand:
		m.Priority, m.Cookie = 100+uint16(e.B%1000), 0xabc
		m.Match = openflow.Match{OXM: []byte{0x80, 0, byte(openflow.FieldEthType) << 1, 2, 0x88, byte(0xb6 + e.B%4)}}
		m.Instructions = []openflow.Instruction{openflow.Apply(openflow.Output(sw.Ports()[0]))}
	case len(flows) == 0:
		return
	default:
		f := &flows[e.B%len(flows)]
		if plan.Decode(f.Cookie).Kind.Soft() && e.Kind == ChangeByHand {
			return // the switch is the truth about such entries: nobody would know
		}
		m.Command, m.Table, m.Priority, m.Match, m.Cookie = openflow.FlowDeleteStrict, f.Table, f.Priority, f.Match, f.Cookie
		if e.Kind == ChangeByHand {
			m.Command, m.IdleTimeout, m.HardTimeout, m.Flags = openflow.FlowAdd, f.IdleTimeout, f.HardTimeout, f.Flags
			m.Instructions = nil // packets go nowhere: others would make loops that nobody is to blame for
		}
	}
	_ = sw.ConsoleFlowMod(w.plan.Version, &m)
}

// operate does what operators do: it holds for the life of the instance at most.
func (w *world) operate(e Event, end func(func())) {
	l := w.running
	if l == nil {
		return
	}
	switch e.Kind {
	case DrainSwitch, DrainLink:
		l.drain(e, true)
		end(func() { l.drain(e, false) })
	case WantRules:
		l.want(e.A, e.B, uint16(e.For/time.Millisecond))
		end(func() { l.want(e.A, 0, 0) })
	}
}

// drain drains an object, or ends its drain.
func (l *instanceRun) drain(e Event, on bool) {
	if l.over {
		return
	}
	s := &netview.Settings{Switches: make(map[netview.DPID]netview.SwitchSettings),
		Links: make(map[netview.LinkKey]netview.LinkSettings)}
	maps.Copy(s.Switches, l.settings.Switches)
	maps.Copy(s.Links, l.settings.Links)
	if e.Kind == DrainSwitch {
		s.Switches[netview.DPID(e.A+1)] = netview.SwitchSettings{Drained: on}
	} else {
		a, b := l.w.linkEnds(e.A)
		s.Links[netview.LinkKey{Src: a, Dst: b}] = netview.LinkSettings{Drained: on}
		s.Links[netview.LinkKey{Src: b, Dst: a}] = netview.LinkSettings{Drained: on}
	}
	l.settings = s
	l.inputs.Set(s)
}

// linkEnds are the two ports of a link.
func (w *world) linkEnds(i int) (a, b netview.Point) {
	x, xp, y, yp := w.net.Links()[i].Ends()
	return netview.Point{DPID: netview.DPID(x.DatapathID()), Port: xp},
		netview.Point{DPID: netview.DPID(y.DatapathID()), Port: yp}
}

// want has an operator want some rules at a switch, which match nothing that hosts send.
func (l *instanceRun) want(sw, n int, first uint16) {
	if l.over {
		return
	}
	table := plan.TableForwarding
	if plan.SingleTable(l.w.plan.Version, 254) {
		table = plan.TableSingle
	}
	var rules []netview.Rule
	for i := range n {
		match := openflow.Match{OXM: []byte{0x80, 0, byte(openflow.FieldEthType) << 1, 2, 0x88, 0xc0 + byte(i)}}
		rules = append(rules, netview.Rule{
			Table: table, Priority: plan.BandOperator.Low + first%1000, Match: match,
			Cookie:       plan.Cookie{Domain: plan.DomainDefault, Kind: plan.KindOperator, Owner: uint32(i)}.Encode(),
			Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))},
		})
	}
	l.wanted.Update(func(tx *netview.DesiredTx) { tx.Set(netview.DPID(sw+1), rules) })
}
