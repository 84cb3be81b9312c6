package node

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
	"github.com/weirnet/weir/program"
	"github.com/weirnet/weir/topology"
)

// differenceAstray is the kind of differences between what a rule does and what it is for.
const differenceAstray = "astray"

// astrayMax is how many of them are kept of one switch.
const astrayMax = 100

// meanings are the pairs' rules that were found, as switches were read for a comparison, not to do what their paths mean.
type meanings struct {
	checks atomic.Int32 // comparisons under way
	mu     sync.Mutex
	astray map[netview.DPID][]forward.Astray // as each switch was read last
}

// read takes in the pairs' rules that a switch listed. Only a comparison wants to know.
func (m *meanings) read(f *forward.Forward, dpid netview.DPID, rules []forward.Former) {
	if m.checks.Load() == 0 {
		return
	}
	list := f.Meaning(dpid, rules)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.astray == nil {
		m.astray = make(map[netview.DPID][]forward.Astray)
	}
	m.astray[dpid] = list[:min(len(list), astrayMax)]
}

// of are those of one switch, as differences.
func (m *meanings) of(dpid netview.DPID) (list []client.Difference) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.astray[dpid] {
		a := &m.astray[dpid][i]
		list = append(list, client.Difference{
			Kind: differenceAstray, Priority: plan.PriorityPair, Match: a.Match.String(), Owner: forward.Owner, Wanted: a.Wanted, Held: a.Held,
		})
	}
	return list
}

// forget forgets a switch that is gone for good.
func (m *meanings) forget(dpid netview.DPID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.astray, dpid)
}

// intentsAstray are the intents that are installed and do not lead from end to end, by the switch where the path begins: a host of
// theirs is elsewhere, or a link is not there.
func intentsAstray(e *intent.Engine, snap *netview.Snapshot, m *topology.Map) map[netview.DPID][]client.Difference {
	found := make(map[netview.DPID][]client.Difference)
	if e == nil || m == nil {
		return found
	}
	e.Taking(func(*program.Route) bool { return true }, func(in *intent.Intent, r *program.Route) bool {
		if wanted, held := astray(in, r, snap, m); wanted != "" {
			at := r.Hops[0].DPID
			found[at] = append(found[at], client.Difference{
				Kind: differenceAstray, Priority: plan.BandIntent.Low + in.Spec.Priority, Owner: "intent " + in.Spec.ID, Wanted: wanted, Held: held,
			})
		}
		return true
	})
	return found
}

// astray says what is wrong with a route of an intent; nothing if it leads where it should, or the intent is changing. Trees are held to
// nothing here: their ends are places that were asked for.
func astray(in *intent.Intent, r *program.Route, snap *netview.Snapshot, m *topology.Map) (wanted, held string) {
	if in.State != intent.Installed || in.Spec.Kind == spec.MultipointToPoint || in.Spec.Kind == spec.PointToMultipoint {
		return "", ""
	}
	for _, l := range linksOf(r) {
		if _, known := m.LinkCost(l); known && !m.Up(l) {
			return "a path over links that are up", fmt.Sprintf("a path over %s, which is down", l)
		}
	}
	if in.Spec.Kind != spec.HostToHost {
		return "", ""
	}
	first, last := r.Hops[0], r.Hops[len(r.Hops)-1]
	from, to := netview.Point{DPID: first.DPID, Port: first.In}, netview.Point{DPID: last.DPID, Port: last.Out[0]}
	a, known1 := snap.Host(in.Spec.Src[0].Host)
	b, known2 := snap.Host(in.Spec.Dst[0].Host)
	if !known1 || !known2 || a.At == from && b.At == to || b.At == from && a.At == to {
		return "", ""
	}
	return fmt.Sprintf("a path between %s and %s", a.At, b.At), fmt.Sprintf("a path from %s to %s", from, to)
}
