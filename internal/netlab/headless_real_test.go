//go:build real

package netlab

import (
	"testing"
	"time"
)

// twoNetworks starts Weir and, under it, two rings of four switches with two hosts each, one of
// OpenFlow 1.0 and one of 1.3, and waits until both carry broadcasts.
func twoNetworks(l *Lab) (*Weir, *OVS, [2]*Network) {
	l.t.Helper()
	o := l.StartOVS()
	w, nets := underWeir(l, "ring:4,hosts=2", func(int) *OVS { return o })
	return w, o, nets
}

// ownAddress is where switch N calls Weir, and nobody else does.
const ownAddress = "127.0.1.{N}"

// underWeir starts Weir and two networks of a topology, of OpenFlow 1.0 and of 1.3, whose switches
// have an address of Weir's each, and waits until both carry broadcasts.
func underWeir(l *Lab, description string, of func(i int) *OVS) (*Weir, [2]*Network) {
	l.t.Helper()
	w := l.StartWeir("--openflow", "0.0.0.0:6653")
	topology, err := Parse(description)
	if err != nil {
		l.t.Fatal(err)
	}
	var nets [2]*Network
	for i, v := range versions {
		nets[i] = l.Assemble(topology, v, of, "tcp:"+ownAddress+":6653")
	}
	w.AwaitLinks(Both(nets[0], nets[1]), 60*time.Second)
	for _, n := range nets {
		n.awaitBroadcasts(60 * time.Second)
	}
	return w, nets
}

// rarely is how long a pair is silent that speaks only now and then.
const rarely = 1500 * time.Millisecond

// talk has hosts of both networks speak: several pairs all the time, over IPv4 and IPv6, and some
// only now and then. Every neighbour entry expires within seconds.
func talk(o *OVS, nets [2]*Network) *Traffic {
	t := o.StartTraffic()
	for _, n := range nets {
		h := n.speakers()
		for _, each := range h {
			each.ForgetNeighbours()
		}
		t.Ping(h[0], h[4], false, 100*time.Millisecond)
		t.Ping(h[2], h[6], true, 200*time.Millisecond)
		t.Ping(h[4], h[3], false, 200*time.Millisecond)
		t.Rare(h[1], h[5], false, rarely)
		t.Rare(h[7], h[5], true, rarely*3/2)
	}
	t.Baseline()
	return t
}

// speakers are the first two hosts of each switch.
func (n *Network) speakers() (hosts []*Host) {
	each := len(n.Hosts) / len(n.Switches)
	for i := range n.Switches {
		hosts = append(hosts, n.Hosts[i*each:i*each+2]...)
	}
	return hosts
}

// streams starts datagrams and a TCP connection in each network.
func streams(nets [2]*Network, length time.Duration) (all []*Stream) {
	for _, n := range nets {
		all = append(all, n.Hosts[6].StartStream(n.Hosts[0], true, length), n.Hosts[4].StartStream(n.Hosts[2], false, length))
	}
	return all
}

// unharmed expects that no packet of the traffic was lost, and that no stream of it stood still.
func unharmed(t *testing.T, traffic *Traffic, all []*Stream) {
	t.Helper()
	for _, f := range traffic.Lost() {
		t.Error(f)
	}
	for _, s := range all {
		f := s.Wait(time.Minute)
		t.Logf("%s: %+v", s.name, f)
		if f.Lost > 0 || f.Stalled > 0 {
			t.Errorf("%s: %+v", s.name, f)
		}
	}
}

// TestHeadless: with no instance alive, hosts go on talking though all their neighbour entries
// expire again and again: no packet is lost, and the switches' tables change only by soft rules
// running out. The instance that comes back finds what it wants and writes nothing.
func TestHeadless(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		w, o, nets := twoNetworks(l)
		both := Both(nets[0], nets[1])
		traffic := talk(o, nets)
		flows := streams(nets, deadFor)
		before := both.Tables()
		w.Kill()
		begin := time.Now()
		time.Sleep(deadFor - time.Since(begin)) // the fault itself: so long nobody is there
		for _, c := range Differ(before, both.Tables()) {
			t.Errorf("without an instance, %s", c)
		}
		unharmed(t, traffic, flows)
		if t.Failed() {
			return
		}
		comeBack(t, l, both)
		for _, f := range traffic.Lost() {
			t.Error(f)
		}
	})
}

// comeBack starts an instance over a network that works and expects that it writes at most one in a
// hundred entries, by the switches' own clocks.
func comeBack(t *testing.T, l *Lab, n *Network) *Weir {
	t.Helper()
	begin := time.Now()
	w := l.StartWeir("--openflow", "0.0.0.0:6653")
	w.AwaitLinks(n, 60*time.Second)
	w.awaitSettled(n)
	n.fewWrites(t, begin)
	return w
}

// fewWrites expects that at most one in a hundred of the switches' entries were written since a
// time.
func (n *Network) fewWrites(t *testing.T, since time.Time) {
	t.Helper()
	tables := n.Tables()
	all, young := CountRules(tables, func(Rule) bool { return true }), Younger(tables, time.Since(since))
	t.Logf("%d switches compared; of %d entries %d were written anew", len(n.Switches), all, young)
	if young*100 <= all {
		return
	}
	for i, rules := range tables {
		for _, r := range rules {
			if r.Age < time.Since(since) {
				t.Errorf("switch %d, %s old: %s", i+1, r.Age, r.Text)
			}
		}
	}
}

// awaitSettled waits until all switches are connected, every firm rule is installed, and broadcasts
// reach every host.
func (w *Weir) awaitSettled(n *Network) {
	w.lab.t.Helper()
	w.lab.Eventually(60*time.Second, "every switch is connected", func() bool { return w.connected() == len(n.Switches) })
	w.lab.Eventually(60*time.Second, "every rule that is wanted is installed", func() bool {
		return w.Metric(`weir_flowsync_rules{state="pending"}`) == 0 && w.Metric(`weir_flowsync_rules{state="installed"}`) > 0
	})
}
