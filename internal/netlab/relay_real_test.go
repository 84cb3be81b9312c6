//go:build real

package netlab

import (
	"testing"
	"time"
)

// circling is how many packets a relay may carry until it is known to join two ports: broadcasts
// circle so long, one of each host. 33 to 423 were seen, 1,875 on a machine with other work; up to
// 35,000, and pings lost at a full queue, where the ports were only probed in the next round, up to two
// seconds later.
const circling = 5000

// TestRelayOfSilentPorts: a forgotten bridge joins two ports at which no host ever spoke. It is
// shown as indirect, with an alarm, and not used: broadcasts still arrive once. Two interfaces that
// were silent, with carrier, begin to relay all frames both ways while all hosts broadcast: the
// same, nothing circles for long, no path goes over them, and no host whose broadcast circles is
// taken for an attacker. A cable that is plugged in at two ports is used at once.
func TestRelayOfSilentPorts(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		w, o, nets := twoNetworks(l)
		traffic := talk(o, nets)
		n := nets[1]
		one, other := End{Switch: 0, Device: "quiet-a", Port: 21}, End{Switch: 2, Device: "quiet-b", Port: 21}
		l.Silent(one, "tap-a", n.Switches)
		l.Silent(other, "tap-b", n.Switches)
		silent := time.Now()

		a, b := End{Switch: 0, Device: "stray-a", Port: 20}, End{Switch: 2, Device: "stray-b", Port: 20}
		l.Hub(a, b, n.Switches)
		w.indirect(n, a, b)
		l.Eventually(20*time.Second, "an alarm indirect-link", func() bool { return w.alarmed("indirect-link", "") })
		once(t, n, n.Hosts[0])
		l.batch([]string{"link set hub-a down", "link set hub-b down"})

		// Counters of ports come every five seconds: each port has been silent while its switch
		// spoke.
		l.Eventually(60*time.Second, "the ports have been silent for 25 s",
			func() bool { return time.Since(silent) > 25*time.Second })
		relayed := &Cable{A: one, B: other, lab: l}
		before := relayed.packets()
		l.Carry("tap-a", "tap-b")
		for _, h := range n.Hosts {
			l.tags++
			h.Send(h.frame(ARP, l.tags))
		}
		w.indirect(n, one, other)
		l.Eventually(20*time.Second, "an alarm unproven-link", func() bool { return w.alarmed("unproven-link", "") })
		carried := relayed.packets() - before
		t.Logf("%d packets went over the relay until it was known", carried)
		if carried > circling {
			t.Errorf("%d packets went over the relay until it was known, more than %d: broadcasts circled", carried, circling)
		}
		before = relayed.packets()
		once(t, n, n.Hosts[0])
		reachable(t, n)
		probes := 2 * int(time.Since(silent)/time.Second)
		if carried := relayed.packets() - before; carried > probes {
			t.Errorf("%d packets went over the relay, more than probes alone", carried)
		}

		l.Run("ip", "link", "add", "new-a", "type", "veth", "peer", "name", "new-b")
		ends := []End{{Switch: 0, Device: "new-a", Port: 22}, {Switch: 2, Device: "new-b", Port: 22}}
		for _, e := range ends {
			l.Run("sysctl", "-q", "-w", "net.ipv6.conf."+e.Device+".disable_ipv6=1")
			o.AddPort(n.Switches[e.Switch].Name, e.Device, e.Port)
		}
		l.batch([]string{"link set new-a up", "link set new-b up"})
		l.Eventually(10*time.Second, "the cable that was plugged in is a link, both ways", func() bool {
			return w.state(Direction{n.Place(ends[0]), n.Place(ends[1])}) == "confirmed" &&
				w.state(Direction{n.Place(ends[1]), n.Place(ends[0])}) == "confirmed"
		})
		once(t, n, n.Hosts[0])
		if w.alarmed("host-hijack", "") {
			t.Errorf("a broadcast that circled raised an alarm host-hijack: %+v", w.Alarms())
		}
		for _, f := range traffic.Lost() {
			t.Error(f)
		}
	})
}
