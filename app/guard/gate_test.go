package guard

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// What comes is counted once, by port and kind, whatever the numbers of the ports; above the bound
// ports share a count.
func TestGateCounts(t *testing.T) {
	g := newGate(7, 1, nil, Config{Limits: Limits{Counted: 50}}.withDefaults().Limits)
	r := rand.New(rand.NewPCG(1, 2))
	want := map[uint32][2]uint64{}
	for range 100_000 {
		port := r.Uint32N(80)
		if port >= 40 {
			port = port << 24 // high numbers
		}
		probe := r.Uint32N(4) == 0
		if !g.Admit(port, probe) {
			t.Fatal("a port without a limit was held")
		}
		if _, seen := want[port]; !seen && len(want) >= 50 {
			port = openflow.PortAny
		}
		n := want[port]
		if probe {
			n[1]++
		} else {
			n[0]++
		}
		want[port] = n
	}
	samples := g.sample(nil)
	if len(samples) != len(want) || len(want) != 51 {
		t.Fatalf("%d samples, want %d", len(samples), len(want))
	}
	for _, s := range samples {
		if n := want[s.At.Port]; s.Data != n[0] || s.Probes != n[1] || s.Shed != 0 || s.At.DPID != 7 {
			t.Errorf("%+v, want %v", s, n)
		}
	}
	if again := g.sample(nil); len(again) != 0 {
		t.Errorf("taken twice: %v", again)
	}
}

// A port that is held back gets its share of each step and no more; its neighbours get all.
func TestGateSheds(t *testing.T) {
	g := newGate(1, 1, nil, Config{}.withDefaults().Limits)
	held := func(at netview.Point) (Class, uint32) {
		if at.Port == 1 {
			return ClassData, 200
		}
		return 0, 0
	}
	let := map[uint32]int{}
	var shed uint64
	take := func() {
		for _, s := range g.sample(nil) {
			shed += s.Shed
		}
	}
	g.Admit(1, false)
	for range 20 {
		take()
		g.setLimits(held, 100*time.Millisecond)
		for range 5000 {
			for port := range uint32(3) {
				if g.Admit(port, false) {
					let[port]++
				}
			}
		}
		if !g.Admit(1, true) {
			t.Fatal("a discovery frame was shed, and only data is held")
		}
	}
	if let[1] != 400 || let[0] != 100_000 || let[2] != 100_000 {
		t.Errorf("let through %v, want 400 of port 1 and all of the others", let)
	}
	take()
	if shed != 99_600 {
		t.Errorf("%d counted as shed, want 99600", shed)
	}
	g.setLimits(func(netview.Point) (Class, uint32) { return 0, 0 }, 100*time.Millisecond)
	if !g.Admit(1, false) || g.limited {
		t.Error("a port that was let go is still held")
	}
}

func TestAdmitAllocatesNothing(t *testing.T) {
	g := newGate(1, 1, nil, Config{}.withDefaults().Limits)
	g.Admit(3, false)
	g.Admit(1<<20, false)
	if n := testing.AllocsPerRun(100, func() {
		g.Admit(3, false)
		g.Admit(3, true)
		g.Admit(1<<20, false)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAdmit(b *testing.B) {
	g := newGate(1, 1, nil, Config{}.withDefaults().Limits)
	for i := range b.N {
		g.Admit(uint32(i)&31, false)
	}
}

// A step with many quiet ports costs little: this is what idle switches cost ten times a second.
func BenchmarkTakeQuiet(b *testing.B) {
	g := newGate(1, 1, nil, Config{}.withDefaults().Limits)
	for port := range uint32(48) {
		g.Admit(port, false)
	}
	g.sample(nil)
	for b.Loop() {
		g.sample(nil)
	}
}
