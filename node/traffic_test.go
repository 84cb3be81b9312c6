package node_test

import (
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/openflow"
)

// TestTrafficGoesOn counts what an intent between two hosts carries over a re-route and a restart
// of the switch where the packets come in: it never goes back, and what comes afterwards is added.
func TestTrafficGoesOn(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i, n := emulate(t, "ring:3,hosts=1", v)
		found(i, n)
		a, b := n.Hosts()[0], n.Hosts()[1]
		id := func(k int) string { return i.hosts()[k].ID }
		_, err := i.api.CreateIntent(t.Context(), &client.IntentRequest{
			ID: "a", Kind: "host-to-host", Src: client.HostEnd(id(0)), Dst: client.HostEnd(id(1)),
		}, client.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		installed := func() {
			t.Helper()
			i.await("the intent to be installed",
				func() bool { return must[client.Intent](i)(i.api.Intent(t.Context(), "a")).State == "installed" })
		}
		const pings = 5
		ping := func() {
			t.Helper()
			var p *host.Ping
			a.Do(func(s *host.Host, now time.Duration, _ host.Output) {
				p, err = s.Ping(host.PingSpec{Dst: b.Spec().IPv4.Addr(), Count: pings,
					Interval: 10 * time.Millisecond, Timeout: patience / 3}, now)
			})
			if err != nil {
				t.Fatal(err)
			}
			var r host.PingReport
			i.await("the pings",
				func() bool { a.Do(func(*host.Host, time.Duration, host.Output) { r = p.Report() }); return r.Done })
			if r.Lost != 0 {
				t.Fatalf("%+v", r)
			}
		}
		last := uint64(0)
		traffic := func(what string, least uint64) {
			t.Helper()
			got := must[client.Traffic](i)(i.api.IntentTraffic(t.Context(), "a"))
			if uint64(got.Packets) < last+least || got.Missing != "" {
				t.Errorf("%s: %d packets after %d, want %d more at least; missing %q", what, got.Packets, last,
					least, got.Missing)
			}
			last = uint64(got.Packets)
		}
		installed()
		ping()
		traffic("the first time", 2*pings)
		l := n.Links()[0]
		for _, up := range []bool{false, true} {
			if l.SetUp(up); !up {
				i.await("another path", func() bool {
					routes := must[client.Intent](i)(i.api.Intent(t.Context(), "a")).Routes
					return len(routes) == 2 && len(routes[0].Hops) == 3
				})
			}
			installed()
			traffic("after a re-route", 0)
			ping()
			traffic("and on", 2*pings)
		}
		sw := n.Switches()[0]
		sw.Down()
		i.await("the switch to be gone", func() bool { return i.connected() == 2 })
		sw.Up()
		i.await("the switch to be back", func() bool { return i.connected() == 3 })
		i.await("its host", func() bool {
			a.Do(func(s *host.Host, now time.Duration, out host.Output) { s.Announce(now, out) })
			return len(i.hosts()) == 3 && must[client.Intent](i)(i.api.Intent(t.Context(), "a")).State == "installed"
		})
		traffic("after a restart of the switch", 0)
		ping()
		traffic("and on", 2*pings)
	})
}
