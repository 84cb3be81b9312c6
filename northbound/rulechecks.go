package northbound

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// differenceMisrouted is the kind of differences between a rule's outputs and its path.
const differenceMisrouted = "astray"

// mismatchesMax bounds how many of them are kept of one switch.
const mismatchesMax = 100

// RuleChecks are the pair rules that did not agree with their paths when switches were read for a
// comparison.
type RuleChecks struct {
	checks     atomic.Int32 // comparisons in progress
	mu         sync.Mutex
	mismatches map[netview.DPID][]forward.Mismatch // as each switch was read last
}

// Read checks the pair rules that a switch listed, if a comparison is in progress.
func (m *RuleChecks) Read(f *forward.Forward, dpid netview.DPID, rules []forward.SoftRule) {
	if m.checks.Load() == 0 {
		return
	}
	list := f.CheckRules(dpid, rules)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mismatches == nil {
		m.mismatches = make(map[netview.DPID][]forward.Mismatch)
	}
	m.mismatches[dpid] = list[:min(len(list), mismatchesMax)]
}

// of returns those of one switch, as differences.
func (m *RuleChecks) of(dpid netview.DPID) (list []client.Difference) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.mismatches[dpid] {
		a := &m.mismatches[dpid][i]
		list = append(list, client.Difference{
			Kind: differenceMisrouted, Priority: plan.PriorityPair, Match: a.Match.String(), Owner: forward.Owner,
			Wanted: a.Desired, Held: a.Held,
		})
	}
	return list
}

// forget forgets a switch that is gone for good.
func (m *RuleChecks) forget(dpid netview.DPID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.mismatches, dpid)
}

// misroutedIntents returns the intents that are installed and do not lead from end to end, by the
// switch where the path begins: a host of theirs has moved, or a link is gone.
func misroutedIntents(e *intent.Engine, snap *netview.Snapshot, m *topology.Map) map[netview.DPID][]client.Difference {
	found := make(map[netview.DPID][]client.Difference)
	if e == nil || m == nil {
		return found
	}
	e.EachRoute(func(*ruleset.Route) bool { return true }, func(in *intent.Intent, r *ruleset.Route) bool {
		if wanted, held := misrouted(in, r, snap, m); wanted != "" {
			at := r.Hops[0].DPID
			found[at] = append(found[at], client.Difference{
				Kind: differenceMisrouted, Priority: plan.BandIntent.Low + in.Spec.Priority,
				Owner: "intent " + in.Spec.ID, Wanted: wanted, Held: held,
			})
		}
		return true
	})
	return found
}

// misrouted returns what is wrong with a route of an intent; nothing if it leads where it should,
// or the intent is changing. Trees are not checked: their ends are connect points.
func misrouted(in *intent.Intent, r *ruleset.Route, snap *netview.Snapshot, m *topology.Map) (wanted, held string) {
	if in.State != intent.Installed || in.Spec.Kind == spec.MultipointToPoint || in.Spec.Kind == spec.PointToMultipoint {
		return "", ""
	}
	for _, l := range linksOf(r) {
		if _, up, known := m.LinkCost(l); known && !up {
			return "a path over links that are up", fmt.Sprintf("a path over %s, which is down", l)
		}
	}
	if in.Spec.Kind != spec.HostToHost {
		return "", ""
	}
	first, last := r.Hops[0], r.Hops[len(r.Hops)-1]
	from, to := netview.Point{DPID: first.DPID, Port: first.In}, netview.Point{DPID: last.DPID, Port: last.Out()[0]}
	a, known1 := snap.Host(in.Spec.Src[0].Host)
	b, known2 := snap.Host(in.Spec.Dst[0].Host)
	if !known1 || !known2 || a.At == from && b.At == to || b.At == from && a.At == to {
		return "", ""
	}
	return fmt.Sprintf("a path between %s and %s", a.At, b.At), fmt.Sprintf("a path from %s to %s", from, to)
}
