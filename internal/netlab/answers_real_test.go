//go:build real

package netlab

import (
	"strings"
	"testing"
	"time"
)

// TestAnswers: a host whose own ARP and neighbour discovery are silent is found all the same, by
// ARP and ND, because the network knows where it is; without the application it is not.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			Inside(t, func(t *testing.T, l *Lab) { answers(t, l, version) })
		})
	}
}

func answers(t *testing.T, l *Lab, version string) {
	wanted, err := Parse("linear:2,hosts=2")
	if err != nil {
		t.Fatal(err)
	}
	w, o := l.StartWeir(), l.StartOVS()
	n := o.Build(wanted, version, Controller)
	w.AwaitLinks(n, 60*time.Second)
	n.awaitBroadcasts(60 * time.Second)
	target, other, asker := n.Hosts[0], n.Hosts[1], n.Hosts[3]
	if got := other.Ping(target.IP4, 2); got.Received != 2 {
		t.Fatalf("before: %+v", got)
	}
	for range 2 { // the target asks, and says by that who it is
		target.Run("ip", "neigh", "flush", "all")
		target.Ping(other.IP4, 1)
		target.Ping(other.IP6, 1)
		time.Sleep(300 * time.Millisecond)
	}
	// From now on it answers nobody's questions.
	target.Run("sysctl", "-q", "-w", "net.ipv4.conf.all.arp_ignore=8")
	target.Run("ip6tables", "-A", "OUTPUT", "-p", "icmpv6", "--icmpv6-type", "neighbour-advertisement", "-j", "DROP")
	asker.Run("ip", "neigh", "flush", "all")
	for _, six := range []bool{false, true} {
		l.Eventually(20*time.Second, "the silent host is found",
			func() bool { return asker.Ping(target.Addr(six), 1).Received == 1 })
		if entry := asker.Run("ip", "neigh", "show", target.Addr(six).String()); !strings.Contains(entry, target.MAC) {
			t.Errorf("IPv6 %v: the asker believes %q, want %s", six, entry, target.MAC)
		}
	}
	if answered := w.Metric(`weir_proxyarp_total{kind="answered"}`); answered < 2 {
		t.Errorf("%v answers counted", answered)
	}
}
