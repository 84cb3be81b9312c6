//go:build real

package netlab

import (
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// TestHarnessOnLinear checks the harness itself, with a controller that is not ours: everybody is
// reached, one copy of each broadcast arrives, and a cut cable is seen as loss.
func TestHarnessOnLinear(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		o := l.StartOVS()
		l.Start(need.Program(t, "ovs-testcontroller"), "-O", "OpenFlow13", "ptcp:6653:127.0.0.1")
		topology, err := Parse("linear:3")
		if err != nil {
			t.Fatal(err)
		}
		n := o.Build(topology, "1.3", Controller)
		l.Eventually(10*time.Second, "all bridges connected", func() bool {
			for _, s := range n.Switches {
				if !o.Connected(s.Name) {
					return false
				}
			}
			return true
		})
		exercise(t, l, n)
	})
}

// exercise expects a network without loops that works, and one cable of it that matters.
func exercise(t *testing.T, l *Lab, n *Network) {
	for _, six := range []bool{false, true} {
		if lost := n.PingAll(six); len(lost) != 0 {
			t.Errorf("IPv6 %v: no answer: %v", six, lost)
		}
	}
	for _, kind := range []Kind{UDP, ARP, ND} {
		for host, copies := range n.Copies(n.Hosts[0], kind, 3) {
			for _, c := range copies {
				if c != 1 {
					t.Errorf("%s: %s got %v copies", kind, host, copies)
				}
			}
		}
	}
	last := n.Hosts[len(n.Hosts)-1]
	p := n.Hosts[0].StartPing(last.IP4, 20*time.Millisecond)
	p.Await(20, 10*time.Second)
	n.Cables[0].Cut()
	if c := n.Hosts[0].Ping(last.IP4, 5); c.Received != 0 {
		t.Errorf("through a cut cable: %+v", c)
	}
	n.Cables[0].Restore()
	p.Await(20, 15*time.Second)
	if c := p.Stop(); c.Lost() < 5 || c.Duplicates != 0 {
		t.Errorf("ping over the cut: %+v", c)
	}
}

// TestHarnessCountsLoops checks that the counter of copies sees a storm: a ring of learning
// switches without a tree.
func TestHarnessCountsLoops(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		o := l.StartOVS()
		topology, err := Parse("ring:3")
		if err != nil {
			t.Fatal(err)
		}
		n := o.Build(topology, "1.3")
		for _, s := range n.Switches {
			o.Ofctl("1.3", "add-flow", s.Name, "actions=normal")
		}
		if copies := n.Copies(n.Hosts[0], UDP, 1)["h2"]; len(copies) != 1 || copies[0] < 10 {
			t.Errorf("a storm counts as %v copies", copies)
		}
	})
}

// TestHarnessRunsMininet checks Mininet's way of building, with switches that forward by
// themselves.
func TestHarnessRunsMininet(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		o := l.StartOVS()
		n := o.Mininet("tree:2,2", "1.3", "127.0.0.1:6653")
		if len(n.Switches) != 3 || len(n.Hosts) != 4 || len(n.Cables) != 2 {
			t.Fatalf("%d switches, %d hosts, %d cables", len(n.Switches), len(n.Hosts), len(n.Cables))
		}
		for _, s := range n.Switches {
			o.Ofctl("1.3", "add-flow", s.Name, "actions=normal")
		}
		exercise(t, l, n)
	})
}
