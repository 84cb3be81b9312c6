package host

import (
	"runtime"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// trash is a link into nothing.
type trash struct{ frames int }

func (o *trash) Send([]byte) { o.frames++ }

// TestMemoryBudgetOfAnIdleHost measures hosts that have announced themselves and answered one
// request.
func TestMemoryBudgetOfAnIdleHost(t *testing.T) {
	need.NoRace(t)
	const n, limit = 1000, 2048
	hosts := make([]*Host, n)
	request := arpRequest()
	var o trash
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range hosts {
		cfg := config(2)
		cfg.Announce = true
		h, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		h.Step(0, &o)
		h.Receive(request, 0, &o)
		hosts[i] = h
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := int64(after.HeapAlloc-before.HeapAlloc) / n
	t.Logf("%d bytes a host", each)
	if each > limit {
		t.Errorf("%d bytes a host, want at most %d", each, limit)
	}
	if o.frames != 3*n {
		t.Errorf("%d frames of %d hosts, want 3 each", o.frames, n)
	}
	runtime.KeepAlive(hosts)
}

// arpRequest is the first frame of a host that looks for config(2)'s address.
func arpRequest() []byte {
	var first []byte
	w := newHub(nil, 1)
	h, _ := New(config(1))
	w.hosts = append(w.hosts, h)
	w.seen = func(_ time.Duration, _ int, f []byte, _ bool) { first = append([]byte(nil), f...) }
	h.Ping(PingSpec{Dst: addr4, Count: 1}, 0)
	h.Step(0, plug{w, 0})
	return first
}

// cross is a cable between two hosts without delay or memory: what one sends the other receives
// when both are done.
type cross struct {
	frame []byte
	n     int
}

func (c *cross) Send(frame []byte) { c.frame = append(c.frame[:0], frame...); c.n++ }

// TestAllocationBudgetOfDatagrams sends a datagram, receives it, and has it echoed back, over IPv4
// and IPv6.
func TestAllocationBudgetOfDatagrams(t *testing.T) {
	need.NoRace(t)
	for _, c := range []struct {
		name string
		spec FlowSpec
	}{
		{"constant", FlowSpec{Dst: addr4, Port: EchoPort, Rate: 1000, Size: 1000}},
		{"poisson", FlowSpec{Dst: addr6, Port: EchoPort, Rate: 1000, Pattern: Poisson}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, a, b := pair(t, 1)
			f, err := a.UDP(c.spec, 0)
			if err != nil {
				t.Fatal(err)
			}
			w.run(time.Second) // addresses are known, histograms made
			now := w.now
			var to, back cross
			n := testing.AllocsPerRun(1000, func() {
				now = f.at
				a.Step(now, &to)
				b.Receive(to.frame, now, &back)
				a.Receive(back.frame, now, &to)
			})
			if n != 0 {
				t.Errorf("%.2f allocations a datagram", n)
			}
			if r := f.Report(); r.Echoed < 1900 {
				t.Errorf("the flow did not go on: %+v", r)
			}
		})
	}
}

func BenchmarkDatagram(b *testing.B) {
	w, a, z := pair(b, 1)
	a.link.cfg.NeighbourLife = 1000 * time.Hour // the cable carries no ARP
	f, err := a.UDP(FlowSpec{Dst: addr4, Rate: 1000}, 0)
	if err != nil {
		b.Fatal(err)
	}
	w.run(time.Second)
	var to, back cross
	b.ReportAllocs()
	for b.Loop() {
		now := f.at
		a.Step(now, &to)
		z.Receive(to.frame, now, &back)
	}
}

func BenchmarkSegment(b *testing.B) {
	w, a, z := pair(b, 1)
	a.link.cfg.NeighbourLife, z.link.cfg.NeighbourLife = 1000*time.Hour, 1000*time.Hour
	s, err := a.TCP(StreamSpec{Dst: addr4, Rate: 8 * 1460 * 1000}, 0)
	if err != nil {
		b.Fatal(err)
	}
	w.delay = 100 * time.Microsecond
	w.run(2*time.Second + 900*time.Microsecond)
	var to, back cross
	b.ReportAllocs()
	for b.Loop() {
		now := s.app.at
		a.Step(now, &to)
		z.Receive(to.frame, now, &back)
		a.Receive(back.frame, now, &to)
	}
}
