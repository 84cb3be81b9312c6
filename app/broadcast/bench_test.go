package broadcast

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// mesh is a network as large as wan:206, in which rules are confirmed at once, and an application
// that follows it.
type mesh struct {
	view   *netview.View
	facts  *netview.Facts
	status *netview.Status
	b      *Broadcast
	rev    netview.Revision
	cables []netview.LinkKey
	cold   []byte          // is read before each step, if there is any, so that the caches hold nothing else
	took   []time.Duration // by each step
}

// newMesh has switches in a ring, each with an edge port, and cables across.
func newMesh(switches, cables int) *mesh {
	view := netview.New(netview.Limits{})
	s := &mesh{view: view, facts: view.Facts(), status: view.Status(), b: New(Config{Domain: 1}, view.Desired(RowOwner))}
	rng := rand.New(rand.NewPCG(1, 1))
	rows := make([]*netview.Switch, switches)
	for i := range rows {
		id := netview.DPID(i + 1)
		rows[i] = &netview.Switch{DPID: id, Version: openflow.V13, Tables: 254, State: netview.SwitchReady,
			Connected: true, Settled: true}
		rows[i].Ports = []netview.Port{{Number: 1, Up: true, Role: netview.PortEdge}}
	}
	port := func(i int) netview.Point {
		p := netview.Port{Number: uint32(len(rows[i].Ports) + 1), Up: true, Role: netview.PortLink}
		rows[i].Ports = append(rows[i].Ports, p)
		return netview.Point{DPID: rows[i].DPID, Port: p.Number}
	}
	for i := range cables {
		a, b := i, (i+1)%switches
		if i >= switches {
			a, b = rng.IntN(switches), rng.IntN(switches-1)
			if b >= a {
				b++
			}
		}
		s.cables = append(s.cables, netview.LinkKey{Src: port(a), Dst: port(b)})
	}
	s.facts.Update(func(tx *netview.FactsTx) {
		for _, row := range rows {
			tx.PutSwitch(row)
		}
		for _, key := range s.cables {
			tx.PutLink(&netview.Link{LinkKey: key, Up: true, State: netview.LinkConfirmed})
			tx.PutLink(&netview.Link{LinkKey: key.Reverse(), Up: true, State: netview.LinkConfirmed})
		}
		tx.SetSettled()
	})
	snap := view.Snapshot()
	s.rev = snap.Revision()
	s.b.Apply(topology.Update{Reset: true, Upto: s.rev, Snap: snap})
	s.confirm()
	s.took = s.took[:0]
	return s
}

// step has the application take what has changed, and notes how long it took; false if nothing has.
func (s *mesh) step() bool {
	changes, upto, _ := s.view.Changes(s.rev, 1<<20)
	if len(changes) == 0 {
		return false
	}
	snap := s.view.Snapshot()
	s.rev = upto
	sum := byte(0)
	for i := 0; i < len(s.cold); i += 64 {
		sum += s.cold[i]
	}
	begun := time.Now()
	s.b.Apply(topology.Update{Changes: changes, Upto: upto, Snap: snap})
	s.took = append(s.took, time.Since(begun)+time.Duration(sum))
	return true
}

// confirm says, one switch after the other, that each holds what is desired, until nothing more is.
func (s *mesh) confirm() {
	for s.step() {
		for sw := range s.view.Snapshot().Switches() {
			var results []netview.RuleResult
			for r := range s.view.Snapshot().Rules(sw.DPID) {
				if r.State == netview.RulePending {
					results = append(results, netview.RuleResult{Key: r.Key(), Rule: r, State: netview.RuleInstalled})
				}
			}
			if len(results) > 0 {
				s.status.Set(results)
				s.step()
			}
		}
	}
}

// set takes a cable down, or up: the ends say so one after the other.
func (s *mesh) set(key netview.LinkKey, up bool) {
	for _, end := range []netview.LinkKey{key, key.Reverse()} {
		s.facts.Update(func(tx *netview.FactsTx) {
			old, _ := tx.Switch(end.Src.DPID)
			row := *old
			row.Ports = slices.Clone(old.Ports)
			p := &row.Ports[end.Src.Port-1]
			p.Up, p.Role = up, netview.PortUnknown
			if up {
				p.Role = netview.PortLink
			}
			tx.PutSwitch(&row)
			for _, k := range []netview.LinkKey{key, key.Reverse()} {
				tx.PutLink(&netview.Link{LinkKey: k, Up: up, State: netview.LinkConfirmed})
			}
		})
		s.step()
	}
}

// TestAllocationBudgetOfLinkChange: what a link that fails and comes back allocates does not grow
// with the network.
func TestAllocationBudgetOfLinkChange(t *testing.T) {
	need.NoRace(t)
	allocated := func(switches int) float64 {
		s := newMesh(switches, 2*switches)
		s.took = make([]time.Duration, 0, 1<<16)
		key := s.cables[slices.IndexFunc(s.cables, s.b.core.forest.Has)]
		return testing.AllocsPerRun(20, func() {
			s.set(key, false)
			s.set(key, true)
		})
	}
	small, large := allocated(60), allocated(600)
	if large > small+small/4 {
		t.Errorf("%.0f allocations with 60 switches, %.0f with 600", small, large)
	}
}

// BenchmarkLinkChange takes one cable after the other down and up again. What is measured is Step:
// for the two messages that say so, and for the confirmations of what it decided.
func BenchmarkLinkChange(b *testing.B) {
	for _, size := range []int{206, 2060} {
		for _, inTree := range []bool{false, true} {
			for _, cold := range []int{0, 64 << 20} {
				b.Run(fmt.Sprintf("switches=%d/tree=%t/cold=%t", size, inTree, cold > 0), func(b *testing.B) {
					s := newMesh(size, 2*size)
					s.cold = make([]byte, cold)
					at := make(map[string][]time.Duration)
					note := func(what string) {
						at[what] = append(at[what], s.took...)
						s.took = s.took[:0]
					}
					for i := 0; b.Loop(); i++ {
						key := s.cables[i%len(s.cables)]
						for s.b.core.forest.Has(key) != inTree {
							i++
							key = s.cables[i%len(s.cables)]
						}
						s.set(key, false)
						note("down")
						s.confirm()
						note("confirmed")
						s.set(key, true)
						note("up")
						s.confirm()
						note("confirmed")
					}
					for what, took := range at {
						slices.Sort(took)
						b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, what+"-µs")
						b.ReportMetric(float64(len(took))/float64(b.N), what+"-steps/op")
					}
				})
			}
		}
	}
}
