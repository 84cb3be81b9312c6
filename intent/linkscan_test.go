package intent

import (
	"testing"
	"time"

	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// TestFirstReroutesBeforeTheScan: of many paths over a link that fails, each with intents of its own, the
// first ones are re-routed before the others are looked at, and all of them once.
func TestFirstReroutesBeforeTheScan(t *testing.T) {
	m := newMesh(t, 4)
	reqs := make([]Request, 4000)
	for i := range reqs {
		reqs[i] = m.apart(i)
	}
	m.ask(t, reqs)
	m.settle()
	c, k := m.engine.core, link(1, 1, 5, 2)
	crosses := func(p *paths.Path) bool { return p.Passes(k) || p.Passes(k.Reverse()) }
	over := map[uint32]bool{}
	for n := range c.entries.End() {
		if e := c.entries.At(n); e.rules != nil && c.registry.Any(e.rules, crosses) {
			over[n] = true
		}
	}
	var portions []int
	scanning := 0
	moved := map[uint32]int{}
	m.engine.config.Orders = func(list []ruleset.Order) {
		m.orders = append(m.orders, list...)
		numbers := map[uint32]bool{}
		for i := range list {
			numbers[list[i].Rules.Number] = true
		}
		for n := range numbers {
			moved[n]++
		}
		portions = append(portions, len(numbers))
		if c.status.Pending() {
			scanning++
		}
	}
	before := c.counts.Reroutes
	m.network.put(k, false, netview.LinkConfirmed)
	for range 2 { // the second finds nothing to do
		m.engine.Step(time.Time{})
	}
	if scanning != 1 || portions[0] != firstReroutes || portions[1] != 2*firstReroutes {
		t.Errorf("portions of %v, %d of them before all paths were looked at, want %d then", portions, scanning, firstReroutes)
	}
	if got := int(c.counts.Reroutes - before); got != len(over) || len(moved) != len(over) || len(over) < 100 {
		t.Errorf("%d intents re-routed in %d transitions, want %d", len(moved), got, len(over))
	}
	for n := range over {
		if moved[n] != 1 || c.registry.Any(c.entries.At(n).rules, func(p *paths.Path) bool { return p.Down() || crosses(p) }) {
			t.Fatalf("intent %d was re-routed %d times, and its path is down", n, moved[n])
		}
	}
	m.settle()
	for n := range over {
		if e := c.entries.At(n); e.state != Installed {
			t.Fatalf("intent %d is %v", n, e.state)
		}
	}
	d := link(2, 1, 6, 2)
	drained := func() (list []*paths.Path) {
		for path := range c.registry.All() {
			if path.Used() && (path.Passes(d) || path.Passes(d.Reverse())) {
				list = append(list, path)
			}
		}
		return list
	}
	if n := len(drained()); n <= scanAtOnce {
		t.Fatalf("%d paths over the link that drains, want more than are looked at in one step", n)
	}
	m.network.view.Inputs().Set(&netview.Settings{Links: map[netview.LinkKey]netview.LinkSettings{d: {Drained: true}}})
	m.settle()
	if list := drained(); len(list) > 0 {
		t.Errorf("%d paths are left over a link that drains", len(list))
	}
}

// BenchmarkFailure is a link that fails under about 400 of 16,000 intents whose paths differ: until the
// first orders are out, and until all are.
func BenchmarkFailure(b *testing.B) {
	m := newMesh(b, 14)
	reqs := make([]Request, 16000)
	for i := range reqs {
		reqs[i] = m.apart(i)
	}
	m.ask(b, reqs)
	m.settle()
	var first, all time.Duration
	moved := uint64(0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d := netview.DPID(1 + i*37%196) // another one each time: of paths that cost the same the one in force is kept
		k := link(d, 1, (d+13)%196+1, 2)
		was := m.engine.core.counts.Reroutes
		m.network.put(k, false, netview.LinkConfirmed)
		var began, firstAt time.Time
		m.engine.config.Orders = func(list []ruleset.Order) {
			if firstAt.IsZero() {
				firstAt = time.Now()
			}
			m.orders = append(m.orders, list...)
		}
		began = time.Now()
		m.engine.Step(time.Time{})
		all += time.Since(began)
		first += firstAt.Sub(began)
		n := m.engine.core.counts.Reroutes - was
		moved += n
		b.StopTimer()
		m.settle()
		m.network.put(k, true, netview.LinkConfirmed)
		m.network.now = m.network.now.Add(time.Minute)
		for range 70 { // until all are back, and the failure is forgiven
			m.settle()
			m.network.now = m.network.now.Add(time.Second)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(first.Nanoseconds())/float64(b.N), "first-ns")
	b.ReportMetric(float64(all.Nanoseconds())/float64(moved), "core-ns/intent")
	b.ReportMetric(float64(moved)/float64(b.N), "intents")
}
