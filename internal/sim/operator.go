package sim

import (
	"maps"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// operate does what operators do: it holds for the life of the instance that decides at most.
func (w *world) operate(e Event, end func(func())) {
	l := w.decider()
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
		a, b := l.w.net.linkEnds(e.A)
		s.Links[netview.LinkKey{Src: a, Dst: b}] = netview.LinkSettings{Drained: on}
		s.Links[netview.LinkKey{Src: b, Dst: a}] = netview.LinkSettings{Drained: on}
	}
	l.settings = s
	l.inputs.Set(s)
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
