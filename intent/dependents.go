package intent

import (
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// Dependents are the ids of the intents that depend on a switch or host that is to be forgotten, in
// the order of their numbers.
type Dependents struct {
	Ends        []string // with an end there, and not being withdrawn
	Transit     []string // of the others, those whose path passes the switch
	Withdrawing []string // being withdrawn, with rules on the switch
}

// SwitchDependents returns the intents that depend on a switch. It takes time proportional to the
// number of all intents. It returns false after shutdown.
func (e *Engine) SwitchDependents(dpid netview.DPID) (d Dependents, ok bool) {
	snap := e.config.View.Snapshot()
	d.Ends = e.catalog.ids(func(in *Intent) bool {
		return in.State != Withdrawing && slices.ContainsFunc(endsOf(&in.Spec, snap),
			func(at netview.Point) bool { return at.DPID == dpid })
	})
	ends := make(map[string]bool, len(d.Ends))
	for _, id := range d.Ends {
		ends[id] = true
	}
	d.Transit = e.catalog.ids(func(in *Intent) bool {
		return in.State != Withdrawing && !ends[in.Spec.ID] && in.Rules.Passes(dpid)
	})
	ok = e.Query(func(c *Core) {
		for n := range c.entries.End() {
			if e := c.entries.At(n); e.content != "" && e.has(withdrawing) && e.transition.retiringAt(dpid) {
				d.Withdrawing = append(d.Withdrawing, idOf(e.content))
			}
		}
	})
	return d, ok
}

// HostDependents returns the intents that have a host as an end; no path passes a host.
func (e *Engine) HostDependents(id netview.HostID) Dependents {
	return Dependents{Ends: e.catalog.ids(func(in *Intent) bool {
		s := &in.Spec
		return in.State != Withdrawing && s.Kind == spec.HostToHost && (s.Src[0].Host == id || s.Dst[0].Host == id)
	})}
}

// ids returns those of the intents that keep wants, in the order of their numbers.
func (cat *catalog) ids(keep func(*Intent) bool) (ids []string) {
	for p := range cat.copies(0, 512) {
		if in := p.intent(); keep(&in) {
			ids = append(ids, in.Spec.ID)
		}
	}
	return ids
}

// endsOf returns the points where an intent's packets enter and leave; for hosts, where they are.
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
