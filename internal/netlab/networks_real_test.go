//go:build real

package netlab

import (
	"fmt"
	"testing"
	"time"
)

var versions = []string{"1.0", "1.3"}

// each runs a test in a lab of its own for each topology and version of OpenFlow; labs do not see
// each other, and run beside each other.
func each(t *testing.T, topologies []string, body func(t *testing.T, l *Lab, topology, version string)) {
	for _, topology := range topologies {
		for _, version := range versions {
			t.Run(topology+"/"+version, func(t *testing.T) {
				t.Parallel()
				Inside(t, func(t *testing.T, l *Lab) { body(t, l, topology, version) })
			})
		}
	}
}

// controlled starts Weir and a network of Mininet's under it, and waits until all its links are
// known and broadcasts reach every host. (Weir floods to a port only when it is sure that no switch
// is behind it.)
func controlled(l *Lab, topology, version string) (*Weir, *Network) {
	l.t.Helper()
	w := l.StartWeir()
	n := l.StartOVS().Mininet(topology, version, OpenFlow)
	w.AwaitLinks(n, 60*time.Second)
	n.awaitBroadcasts(60 * time.Second)
	return w, n
}

// awaitBroadcasts waits until a broadcast reaches every host. On the way there none may come twice.
func (n *Network) awaitBroadcasts(limit time.Duration) {
	n.lab.t.Helper()
	var missed []string
	defer func() {
		if n.lab.t.Failed() && len(missed) > 0 {
			n.lab.t.Logf("from %s, a broadcast did not reach %v", n.Hosts[0].Name, missed)
		}
	}()
	n.lab.Eventually(limit, "a broadcast reaches every host", func() bool {
		missed = nil
		for host, copies := range n.copiesWithin(time.Second, n.Hosts[0], UDP, 1) {
			if copies[0] > 1 {
				n.lab.t.Errorf("before the network is settled, %s got %d copies of a broadcast", host, copies[0])
			}
			if copies[0] == 0 {
				missed = append(missed, host)
			}
		}
		return len(missed) == 0
	})
}

// TestMininet: every host reaches every host over IPv4 and IPv6, and each other host gets exactly
// one copy of a broadcast, before any host has sent a packet and after all have.
func TestMininet(t *testing.T) {
	t.Parallel()
	each(t, networks, func(t *testing.T, l *Lab, topology, version string) {
		_, n := controlled(l, topology, version)
		once(t, n, n.Hosts[0])
		reachable(t, n)
		once(t, n, n.Hosts[len(n.Hosts)-1])
	})
}

// reachable expects an answer to the first ping of every pair, over IPv4 and IPv6.
func reachable(t *testing.T, n *Network) {
	t.Helper()
	for _, six := range []bool{false, true} {
		if lost := n.PingAll(six); len(lost) != 0 {
			t.Errorf("IPv6 %v: %d pairs without exactly one answer: %v", six, len(lost), lost)
		}
	}
}

// once expects exactly one copy of each frame for everybody, from a host.
func once(t *testing.T, n *Network, from *Host) {
	t.Helper()
	for _, kind := range []Kind{UDP, ARP, ND} {
		for host, copies := range n.Copies(from, kind, 5) {
			for _, c := range copies {
				if c != 1 {
					t.Errorf("%s frames from %s reached %s in %v copies", kind, from.Name, host, copies)
					break
				}
			}
		}
	}
}

// TestLinkCut: a cable in use is cut and restored under ping over IPv4 and IPv6; the view shows it,
// pings come through again on another way, and broadcasts still arrive once. Lost is what was sent
// before the switches told of the cut and until the path was moved; when the cable is back,
// nothing but what Open vSwitch itself says that it dropped.
func TestLinkCut(t *testing.T) {
	t.Parallel()
	each(t, []string{"ring:4", "torus:3x3"}, func(t *testing.T, l *Lab, topology, version string) {
		w, n := controlled(l, topology, version)
		reachable(t, n)
		from, to := n.Hosts[0], n.Hosts[len(n.Hosts)/2]
		const interval = 20 * time.Millisecond
		pings := []*Pinger{from.StartPing(to.IP4, interval), from.StartPing(to.IP6, interval)}
		await(pings, 10)
		cable := n.Busiest(200, func() { await(pings, 100) })

		outage := n.CutObserved(cable)
		allowed := outage.Lost(interval)
		w.AwaitLinks(n, 20*time.Second, cable)
		await(pings, 50)
		var lost []int
		for i, p := range pings {
			lost = append(lost, len(p.Gaps()))
			t.Logf("%s, OpenFlow %s, IPv%d: %s cut, which its switches told after %s: %d of %d lost", topology,
				version, 4+2*i, cable, outage.Told(),
				lost[i], p.Latest())
			if lost[i] > allowed {
				t.Errorf("IPv%d: %d lost by the cut, allowed are %d: %v", 4+2*i, lost[i], allowed, p.Gaps())
			}
		}
		once(t, n, from)
		reachable(t, n)

		dropped := n.Dropped()
		cable.Restore()
		w.AwaitLinks(n, 60*time.Second)
		await(pings, 50)
		once(t, n, from)
		reachable(t, n)

		for i, p := range pings {
			p.Await(10, 10*time.Second)
			if more := len(p.Gaps()) - lost[i]; more > n.Dropped()-dropped || p.Twice() > 0 {
				t.Errorf(
					"IPv%d: %d more lost when the cable was back, of which Open vSwitch dropped at most %d; %d came twice", 4+2*i, more,
					n.Dropped()-dropped, p.Twice())
			}
			p.Stop()
		}
	})
}

func await(pings []*Pinger, n int) { AwaitAll(pings, n, 10*time.Second) }

// TestOneSwitch: the smallest network, and the exit code of a good end.
func TestOneSwitch(t *testing.T) {
	t.Parallel()
	each(t, []string{"linear:1,hosts=3"}, func(t *testing.T, l *Lab, topology, version string) {
		w := l.StartWeir()
		wanted, err := Parse(topology)
		if err != nil {
			t.Fatal(err)
		}
		n := l.StartOVS().Build(wanted, version, Controller)
		l.Eventually(10*time.Second, "the switch is connected", func() bool { return w.connected() == 1 })
		n.awaitBroadcasts(60 * time.Second)
		reachable(t, n)
		once(t, n, n.Hosts[0])
		if code := w.End(2 * time.Second); code != 0 {
			t.Errorf("SIGTERM within 2 s: exit code %d, want 0", code)
		}
	})
}

// connected counts the switches with a session.
func (w *Weir) connected() (n int) {
	var list struct {
		Items []struct {
			Connected bool   `json:"connected"`
			OpenFlow  string `json:"openflow"`
		} `json:"items"`
	}
	if err := w.Get("/v1/switches", &list); err != nil {
		w.lab.t.Fatal(fmt.Errorf("switches: %w", err))
	}
	for _, s := range list.Items {
		if s.Connected {
			n++
		}
	}
	return n
}
