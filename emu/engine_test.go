package emu

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/openflow"
)

// stepped is a network that no loop runs: its engines are stepped with a virtual time.
func stepped(t *testing.T, spec string, seed uint64, engines int) *Network {
	t.Helper()
	return flooding(t, Config{Topology: parse(t, spec), Seed: seed, Engines: engines, clock: func() time.Duration { return 0 }})
}

// steppedBy is one with a clock.
func steppedBy(t *testing.T, spec string, clock func() time.Duration) *Network {
	t.Helper()
	return flooding(t, Config{Topology: parse(t, spec), Seed: 1, Engines: 1, clock: clock})
}

// flooding has all switches flood.
func flooding(t *testing.T, cfg Config) *Network {
	t.Helper()
	cfg.stack = newStation
	n, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, sw := range n.switches {
		m := flood().(*openflow.FlowMod)
		if err := sw.data.table.FlowMod(openflow.V13, m, 0, &output{sw: sw}); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// advance steps all engines until nothing is left to do before a time.
func (n *Network) advance(until time.Duration) { n.advanceFrom(0, until) }

// advanceFrom does so from a time on.
func (n *Network) advanceFrom(now, until time.Duration) {
	for now <= until {
		next, busy := until+1, false
		for _, e := range n.engines {
			at, more, ok := e.step(now)
			if more || !e.maySleep() {
				busy = true
			} else if ok {
				next = min(next, at)
			}
		}
		if !busy {
			now = next
		}
	}
}

// TestSteppedNetworkRepeats has a lossy network with jitter do the same again under a virtual
// clock, and something else with another seed.
func TestSteppedNetworkRepeats(t *testing.T) {
	run := func(seed uint64, engines int) string {
		n := stepped(t, "tree:2,3,delay=2ms,jitter=1ms,loss=10%", seed, engines)
		from := n.Hosts()[0]
		for i := range 20 {
			at := time.Duration(i) * 10 * time.Millisecond
			from.do(func(_ stack, _ time.Duration, out host.Output) {
				out.(*hostOutput).now = at
				out.Send(frameBetween(from, n.Hosts()[i%len(n.Hosts())], 60+i))
			})
		}
		n.advance(time.Second)
		var text strings.Builder
		for _, h := range n.Hosts() {
			s := stationOf(h)
			for i := range s.heard {
				fmt.Fprintf(&text, "%s %d %v\n", h.Spec().Name, len(s.heard[i]), s.times[i])
			}
		}
		fmt.Fprintf(&text, "%+v", n.Totals())
		return text.String()
	}
	first, again, other, more := run(1, 1), run(1, 1), run(2, 1), run(1, 3)
	if first != again {
		t.Errorf("with the same seed\n%s\nand then\n%s", first, again)
	}
	if first == other {
		t.Errorf("with another seed the same:\n%s", first)
	}
	if first != more {
		t.Errorf("with one engine\n%s\nwith three\n%s", first, more)
	}
}

// TestHopAllocatesNothing holds the budget of a frame's hop: no allocation.
func TestHopAllocatesNothing(t *testing.T) {
	n := stepped(t, "linear:1,hosts=2", 1, 1)
	e, from := n.engines[0], n.Hosts()[0]
	frame := frameBetween(from, from, 100) // which the other does not keep
	out := &e.hostOutput
	hop := func() {
		out.h, out.now = from, e.now
		e.send(from.out, frame, e.now)
		e.step(e.now)
	}
	for range 100 {
		hop()
	}
	before := n.Totals().Delivered
	if allocs := testing.AllocsPerRun(1000, hop); allocs != 0 {
		t.Errorf("%v allocations a hop", allocs)
	}
	if n.Totals().Delivered == before {
		t.Error("no frame arrived")
	}
}

// TestClocksNeverGoBack has an engine whose round began before a reader's message give its switch
// and its host the later time.
func TestClocksNeverGoBack(t *testing.T) {
	n := stepped(t, "linear:1", 1, 1)
	sw, h := n.Switches()[0], n.Hosts()[0]
	for _, c := range []struct{ now, want time.Duration }{{5, 5}, {3, 5}, {6, 6}} {
		if got := sw.data.clock(c.now); got != c.want {
			t.Errorf("the switch's clock is %v at %v", got, c.now)
		}
		if got := h.clock(c.now); got != c.want {
			t.Errorf("the host's clock is %v at %v", got, c.now)
		}
	}
}
