package intent

import (
	"runtime"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// nothing is a journal that keeps nothing: what is appended is durable at once.
type nothing struct{ waiting []func(uint64, error) }

func (j *nothing) Append(_ []Record, done func(uint64, error)) error {
	j.waiting = append(j.waiting, done)
	return nil
}

func (j *nothing) commit() {
	for _, done := range j.waiting {
		done(1, nil)
	}
	j.waiting = j.waiting[:0]
}

// mesh is a torus of switches with one port for hosts each, and an engine whose orders are
// confirmed at once.
type mesh struct {
	network  *network
	engine   *Engine
	journal  nothing
	orders   []ruleset.Order
	outcomes []ruleset.Outcome
	side     int
}

func newMesh(b testing.TB, side int) *mesh {
	m := &mesh{side: side, network: newNetwork(b, side*side)}
	id := func(x, y int) netview.DPID { return netview.DPID(1 + (x+side)%side*side + (y+side)%side) }
	for x := range side {
		for y := range side {
			m.network.cable(id(x, y), 1, id(x+1, y), 2)
			m.network.cable(id(x, y), 3, id(x, y+1), 4)
		}
	}
	m.engine = m.newEngine()
	return m
}

func (m *mesh) newEngine() *Engine { return m.engineWith(nil) }

func (m *mesh) engineWith(loaded *Loader) *Engine {
	return New(Config{
		Loaded:  loaded,
		Journal: &m.journal, View: m.network.view, Now: func() time.Time { return m.network.now },
		Orders: func(list []ruleset.Order) { m.orders = append(m.orders, list...) },
	})
}

// settle has all orders confirmed until there are none.
func (m *mesh) settle() (orders int) {
	for {
		m.engine.Step(time.Time{})
		if len(m.orders) == 0 {
			return orders
		}
		orders += len(m.orders)
		m.confirm()
	}
}

func (m *mesh) confirm() {
	m.outcomes = m.outcomes[:0]
	for _, o := range m.orders {
		what := ruleset.Installed
		if o.Remove {
			what = ruleset.Removed
		}
		m.outcomes = append(m.outcomes, ruleset.Outcome{Rules: o.Rules, Rule: o.Rule, Result: what})
	}
	m.orders = m.orders[:0]
	m.engine.OnOutcomes(m.outcomes)
}

// request is a path between switches that are far from each other: of side/2 + 2 hops, mostly.
func (m *mesh) request(i int) Request {
	n := m.side * m.side
	from, across := i%n, (i/n*7+m.side/2)%m.side
	to := (from/m.side+across)%m.side*m.side + (from%m.side+m.side/2-across+m.side)%m.side
	if to == from {
		to = (from + 1) % n
	}
	return Request{Op: Create, Spec: flow(name(i), at(netview.DPID(from+1), 9), at(netview.DPID(to+1), 9), uint32(i))}
}

// apart is such a path, but from one of eight ports to one of eight: nearly each has a way of its
// own.
func (m *mesh) apart(i int) Request {
	r := m.request(i)
	lot := uint32(i) * 2654435761 >> 16
	r.Spec.Src[0].Point.Port, r.Spec.Dst[0].Point.Port = 5+lot%8, 5+lot/8%8
	return r
}

func name(i int) string {
	b := []byte("intent-0000000")
	for k := len(b) - 1; i > 0; k-- {
		b[k] = byte('0' + i%10)
		i /= 10
	}
	return string(b)
}

// ask sends requests in batches of 256 and has them become durable.
func (m *mesh) ask(b testing.TB, reqs []Request) {
	for len(reqs) > 0 {
		k := min(256, len(reqs))
		err := m.engine.SubmitAsync(reqs[:k], false, func(a []Answer, err error) {
			if err != nil || a[0].Status != Accepted {
				b.Fatal(err, a[0])
			}
		})
		if err != nil {
			b.Fatal(err)
		}
		m.journal.commit()
		reqs = reqs[k:]
	}
}

func (m *mesh) requests(n int) []Request {
	list := make([]Request, n)
	for i := range list {
		list[i] = m.request(i)
		list[i].Checked = list[i].Spec.Check() == nil // as package wire has done
	}
	return list
}

// BenchmarkPath is one path in each of its stages: admitted, installed (core: a path look-up and
// the orders, then their outcomes), withdrawn.
func BenchmarkPath(b *testing.B) {
	m := newMesh(b, 14)
	m.installed(b, m.requests(10000))
}

// BenchmarkPathApart is the same of paths that share few ways, beside a hundred thousand others.
func BenchmarkPathApart(b *testing.B) {
	const n, others = 10000, 100000
	m := newMesh(b, 14)
	reqs := make([]Request, others+n)
	for i := range reqs {
		reqs[i] = m.apart(i)
	}
	m.ask(b, reqs[n:])
	m.settle()
	m.installed(b, reqs[:n])
}

// installed installs and withdraws paths, again and again.
func (m *mesh) installed(b *testing.B, reqs []Request) {
	n := len(reqs)
	rules := 0
	var admit, install, withdraw time.Duration
	var mallocs uint64
	var before, after runtime.MemStats
	b.ReportAllocs()
	for b.Loop() {
		runtime.ReadMemStats(&before)
		t := time.Now()
		m.ask(b, reqs)
		t1 := time.Now()
		rules += m.settle()
		t2 := time.Now()
		runtime.ReadMemStats(&after)
		mallocs += after.Mallocs - before.Mallocs
		ends := make([]Request, n)
		for i := range ends {
			ends[i] = Request{Op: Withdraw, ID: reqs[i].Spec.ID}
		}
		t3 := time.Now()
		m.ask(b, ends)
		m.settle()
		t4 := time.Now()
		admit, install, withdraw = admit+t1.Sub(t), install+t2.Sub(t1), withdraw+t4.Sub(t3)
	}
	per := float64(b.N * n)
	b.ReportMetric(float64(admit.Nanoseconds())/per, "admit-ns/path")
	b.ReportMetric(float64(install.Nanoseconds())/per, "install-ns/path")
	b.ReportMetric(float64(withdraw.Nanoseconds())/per, "withdraw-ns/path")
	b.ReportMetric(float64(rules)/per, "rules/path")
	b.ReportMetric(float64(mallocs)/per, "allocs/install")
}

// BenchmarkReroute is a link that fails under 1,000 intents: until all orders of their next paths
// are out.
func BenchmarkReroute(b *testing.B) {
	m := newMesh(b, 14)
	var reqs []Request
	k := link(1, 1, 15, 2) // of the one shortest path of six switches from 169 to 43
	for i := range 1000 {
		from, to := at(169, uint32(5+i%12)), at(43, uint32(5+i/12%12))
		reqs = append(reqs, Request{Op: Create, Spec: flow(name(i), from, to, uint32(i))})
	}
	m.ask(b, reqs)
	m.settle()
	var took time.Duration
	b.ReportAllocs()
	for b.Loop() {
		was := m.engine.core.counts.Reroutes
		m.network.put(k, false, netview.LinkConfirmed)
		t := time.Now()
		m.engine.Step(time.Time{})
		took += time.Since(t)
		if n := m.engine.core.counts.Reroutes - was; n != 1000 {
			b.Fatalf("%d re-routed", n)
		}
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
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N)/1000, "core-ns/intent")
}

// BenchmarkMillion is a start with 1 M intents and their decisions: what loading takes, and what
// they take of memory.
func BenchmarkMillion(b *testing.B) { million(b, (*mesh).request) }

// BenchmarkMillionApart is the same of paths that share few ways.
func BenchmarkMillionApart(b *testing.B) { million(b, (*mesh).apart) }

func million(b *testing.B, request func(*mesh, int) Request) {
	const n = 1_000_000
	m := newMesh(b, 14)
	content, chosen := make([][]byte, n), make([][]byte, n)
	m.engine.Step(time.Time{})
	c := m.engine.core
	for i := range n {
		r := request(m, i)
		content[i] = r.Spec.Append(nil)
		g, p := c.compiler.compile(uint32(i+1), &r.Spec, topology.Filter{})
		if p.code != NoCode {
			b.Fatal(p.text)
		}
		chosen[i] = c.decisions.append(nil, g)
	}
	var load, begin, order time.Duration
	var used uint64
	for b.Loop() {
		m.engine, c = nil, nil
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		t := time.Now()
		loader := NewLoader(Config{View: m.network.view, Now: func() time.Time { return m.network.now }})
		for i := range n {
			if err := loader.Intent(Record{Number: uint32(i + 1), Data: content[i]}); err != nil {
				b.Fatal(err)
			}
		}
		for i := range n {
			loader.Decision(Record{Number: uint32(i + 1), Data: chosen[i]})
		}
		load += time.Since(t)
		t = time.Now()
		if loader.End(); loader.Bad() > 0 {
			b.Fatal(loader.Bad())
		}
		e := m.engineWith(loader)
		m.engine = e
		begin += time.Since(t)
		t = time.Now()
		e.config.Orders = func(list []ruleset.Order) { m.orders = append(m.orders[:0], list...); m.confirm() }
		for e.Waiting() {
			e.Step(time.Time{})
		}
		order += time.Since(t)
		m.orders, m.outcomes = nil, nil
		runtime.GC()
		runtime.ReadMemStats(&after)
		used = after.HeapAlloc - before.HeapAlloc
		if got := e.Counts().ByState[Installed]; got != n {
			b.Fatalf("%d installed", got)
		}
	}
	b.ReportMetric(load.Seconds()/float64(b.N), "load-s")
	b.ReportMetric(begin.Seconds()/float64(b.N), "begin-s")
	b.ReportMetric(order.Seconds()/float64(b.N), "order-s")
	b.ReportMetric(float64(used)/n, "bytes/intent")
}

// TestAllocationBudgetOfPaths: what a path costs beside what is kept of it.
func TestAllocationBudgetOfPaths(t *testing.T) {
	need.NoRace(t)
	m := newMesh(t, 8)
	reqs := m.requests(6000)
	m.ask(t, reqs[:3000])
	m.settle()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m.ask(t, reqs[3000:])
	m.settle()
	runtime.ReadMemStats(&after)
	if n := float64(after.Mallocs-before.Mallocs) / 3000; n > 6 {
		t.Errorf("%.1f allocations a path", n)
	} else {
		t.Logf("%.1f allocations a path", n)
	}
}
