package intent

import (
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
)

// Depending are the intents that depend on something that is to be forgotten, by their ids, in the order of their numbers.
type Depending struct {
	Ends        []string // an end of theirs is there; those that are being withdrawn left out
	Passing     []string // of the others, those whose packets pass a switch
	Withdrawing []string // being withdrawn, with rules at the switch
}

// OnSwitch are the intents that depend on a switch. It costs time in the number of all intents. False: the engine is over.
func (e *Engine) OnSwitch(dpid netview.DPID) (d Depending, ok bool) {
	snap := e.config.View.Snapshot()
	d.Ends = e.ids(func(in *Intent) bool {
		return in.State != Withdrawing && slices.ContainsFunc(endsOf(&in.Spec, snap), func(at netview.Point) bool { return at.DPID == dpid })
	})
	ends := make(map[string]bool, len(d.Ends))
	for _, id := range d.Ends {
		ends[id] = true
	}
	d.Passing = e.ids(func(in *Intent) bool { return in.State != Withdrawing && !ends[in.Spec.ID] && visits(in.Program, dpid) })
	ok = e.Ask(func(c *Core) {
		for n := range c.entries.last() {
			if e := c.entries.at(n); e.content != "" && e.has(leaving) && e.change.waitsAt(dpid) {
				d.Withdrawing = append(d.Withdrawing, idOf(e.content))
			}
		}
	})
	return d, ok
}

// OfHost are the intents that have a host as an end, of which nothing passes it.
func (e *Engine) OfHost(id netview.HostID) Depending {
	return Depending{Ends: e.ids(func(in *Intent) bool {
		s := &in.Spec
		return in.State != Withdrawing && s.Kind == spec.HostToHost && (s.Src[0].Host == id || s.Dst[0].Host == id)
	})}
}

func (e *Engine) ids(keep func(*Intent) bool) (ids []string) {
	for after := uint32(0); ; {
		list, next := e.List(after, 1024, keep)
		for i := range list {
			ids = append(ids, list[i].Spec.ID)
		}
		if next == 0 {
			return ids
		}
		after = next
	}
}

// endsOf are where an intent's packets come in and go out: of hosts, where they are.
func endsOf(s *spec.Spec, snap *netview.Snapshot) (ends []netview.Point) {
	if s.Kind != spec.HostToHost {
		return s.Egress(s.Ingress(nil))
	}
	for _, end := range [...]spec.End{s.Src[0], s.Dst[0]} {
		if h, ok := snap.Host(end.Host); ok {
			ends = append(ends, h.At)
		}
	}
	return ends
}

func visits(g *program.Program, dpid netview.DPID) bool {
	return g != nil && slices.ContainsFunc(g.Legs, func(l program.Leg) bool {
		return slices.ContainsFunc(l.Route.Hops, func(h *program.Hop) bool { return h.DPID == dpid })
	})
}

// waitsAt reports whether rules that go are still at a switch, as far as it has said.
func (ch *change) waitsAt(dpid netview.DPID) bool {
	if ch == nil {
		return false
	}
	for i := range ch.past {
		p := &ch.past[i]
		for rule := range p.program.Len() {
			_, hop := p.program.At(rule)
			if hop.DPID == dpid && (!p.ordered || p.await.has(uint16(rule))) {
				return true
			}
		}
	}
	return false
}
