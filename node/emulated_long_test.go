//go:build long

package node_test

import (
	"testing"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/openflow"
)

// TestEveryHostReachesEveryHostOfAWAN has an instance find a mesh of 206 switches, and each of its
// hosts ping all others: in rounds, in each of which every host pings one.
func TestEveryHostReachesEveryHostOfAWAN(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V13, openflow.V10} {
		t.Run(v.String(), func(t *testing.T) {
			begin := time.Now()
			i, n := emulate(t, "wan:206", v)
			found(i, n)
			t.Logf("all switches, links and hosts are found after %v", time.Since(begin))
			hosts := n.Hosts()
			for round := 1; round < len(hosts); round++ {
				pings := make([]*host.Ping, len(hosts))
				for k, from := range hosts {
					to := hosts[(k+round)%len(hosts)].Spec().IPv4.Addr()
					from.Do(func(s *host.Host, now time.Duration, _ host.Output) {
						var err error
						if pings[k], err = s.Ping(host.PingSpec{Dst: to, Count: 1, Timeout: patience / 3}, now); err != nil {
							t.Fatal(err)
						}
					})
				}
				for k, from := range hosts {
					report := func() (r host.PingReport) {
						from.Do(func(*host.Host, time.Duration, host.Output) { r = pings[k].Report() })
						return r
					}
					i.await("the end of a ping", func() bool { return report().Done })
					if r := report(); r.Received != 1 {
						t.Errorf("round %d: %s: %+v, %+v", round, from.Spec().Name, r, n.Totals())
					}
				}
			}
			t.Logf("all %d pairs of hosts have talked after %v: %+v", len(hosts)*(len(hosts)-1), time.Since(begin), n.Totals())
		})
	}
}
