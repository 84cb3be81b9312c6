package intent

import (
	"testing"
	"time"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// planEvent changes what operators say of the network, or asks for another content with the same
// ends, or lets time go by.
func (w *twin) planEvent() {
	s := &netview.Settings{Links: map[netview.LinkKey]netview.LinkSettings{}}
	k := w.links[w.r.IntN(len(w.links))]
	switch w.r.IntN(4) {
	case 0:
		w.drained[k] = !w.drained[k]
		w.note("link %v drained %t", k, w.drained[k])
	case 1:
		w.costs[k] = uint64(1 + w.r.IntN(5))
		w.note("link %v costs %d", k, w.costs[k])
	case 2:
		if w.refuse != nil { // a path of hops that is refused is failed
			return
		}
		w.replace()
	default:
		w.now = w.now.Add(time.Duration(w.r.IntN(40)) * time.Second)
		w.engine.Step(time.Time{})
		return
	}
	for l, d := range w.drained {
		s.Links[l] = netview.LinkSettings{Drained: d, Cost: w.costs[l]}
	}
	for l, c := range w.costs {
		s.Links[l] = netview.LinkSettings{Drained: w.drained[l], Cost: c}
	}
	w.inputs.Set(s)
	w.engine.Step(time.Time{})
}

// replace has a path go by other hops between the same ends.
func (w *twin) replace() {
	list, _ := w.engine.List(0, 1<<30, nil)
	for _, in := range list {
		s := in.Spec
		if s.Kind != spec.Path || w.r.IntN(3) > 0 {
			continue
		}
		m := w.engine.core.network.Map
		hops, ok := m.PathBetween(s.Ingress(nil)[0], s.Egress(nil)[0], w.r.Uint64(), nil)
		if s.Hops = hops; ok {
			w.note("intent %s by %v", s.ID, hops)
			w.submit(false, Request{Op: Replace, Spec: s})
		}
	}
}

// TestPlannedChangesLoseNothing looks after every write of every planned change whether the packets
// of every intent that was installed arrive, and none goes round. Switches answer in any order, and
// some refuse.
func TestPlannedChangesLoseNothing(t *testing.T) {
	need.OneGoroutine(t)
	moves, backs := uint64(0), uint64(0)
	for seed := range uint64(260) {
		w := newTwin(t, seed)
		w.note("seed %d", seed)
		for range 6 {
			w.ask()
		}
		w.check()
		var list []Intent
		w.moment = func() {
			for i := range list {
				// its new hops are another's
				if in, _ := w.engine.Get(list[i].Spec.ID); in.State == Failed && in.Spec.Kind == spec.Path {
					list[i].Rules = nil
				}
				if list[i].Rules == nil {
					continue
				}
				if bad := w.deliver(&list[i]); bad != "" {
					w.fatal("during a planned change intent %s loses: %s", list[i].Spec.ID, bad)
				}
			}
		}
		for range 10 {
			all, _ := w.engine.List(0, 1<<30, nil)
			list = list[:0]
			for _, in := range all {
				if in.State == Installed {
					list = append(list, in)
				}
			}
			if w.r.IntN(4) == 0 { // refuses what is new, not what is there
				dpid := netview.DPID(w.r.IntN(6) + 1)
				w.refuse = func(at ruleAt) string {
					if _, had := w.holds[at]; at.dpid == dpid && !had {
						return "full"
					}
					return ""
				}
			}
			for range 1 + w.r.IntN(3) {
				w.planEvent()
				w.some()
			}
			for range w.r.IntN(3) {
				w.some()
			}
			w.refuse = nil
			w.rest()
			w.moment()
			w.checkWanted(w.fatal)
		}
		moves += w.engine.core.counts.Moves
		backs += w.engine.core.counts.Refusals
	}
	t.Logf("%d planned changes, %d refusals", moves, backs)
	if moves < 1000 || backs < 20 {
		t.Errorf("only %d planned changes and %d refusals", moves, backs)
	}
}

// TestSwappedOrder replaces a path by one that passes two places in the opposite order: changed
// from its ingress on, packets would go round.
func TestSwappedOrder(t *testing.T) {
	w := &twin{network: newNetwork(t, 6)}
	for i, pair := range [][2]netview.DPID{{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {1, 4}, {5, 2}, {3, 6}} {
		w.cable(pair[0], uint32(i+1), pair[1], uint32(i+1))
	}
	hop := func(dpid netview.DPID, in, out uint32) topology.Hop {
		return topology.Hop{DPID: dpid, In: in, Out: out}
	}
	there := []topology.Hop{hop(1, 9, 1), hop(2, 1, 2), hop(3, 2, 3), hop(4, 3, 4), hop(5, 4, 5), hop(6, 5, 9)}
	swapped := []topology.Hop{hop(1, 9, 6), hop(4, 6, 4), hop(5, 4, 7), hop(2, 7, 2), hop(3, 2, 8), hop(6, 8, 9)}
	s := spec.Spec{ID: "p", Wide: true, Kind: spec.Path, Priority: 1, Hops: there}
	w.submit(false, Request{Op: Create, Spec: s})
	w.rest()
	list, _ := w.engine.List(0, 10, nil)
	w.moment = func() {
		if bad := w.deliver(&list[0]); bad != "" {
			t.Fatal(bad)
		}
	}
	s.Hops = swapped
	w.submit(false, Request{Op: Replace, Spec: s})
	w.rest()
	w.wantState("p", "installed")
	w.checkWanted(t.Fatalf)
}
