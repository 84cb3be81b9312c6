package up

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/topo"
)

// TestDemoIntentsHaveDifferentPairs draws as many intents as there are pairs of hosts that can
// reach each other, and no more.
func TestDemoIntentsHaveDifferentPairs(t *testing.T) {
	k := newPinger(topology(t, "ring:4,hosts=2"), 1)
	for n, want := range map[int]int{5: 5, 28: 28, 100: 28} {
		had := map[[2]int]bool{}
		for _, w := range newDemoIntents(k, n, 7) {
			pair := [2]int{min(w.from, w.to), max(w.from, w.to)}
			if w.from == w.to || had[pair] {
				t.Errorf("of %d: intent %s is between %d and %d", n, w.id, w.from, w.to)
			}
			had[pair] = true
		}
		if len(had) != want {
			t.Errorf("of %d: %d intents, want %d", n, len(had), want)
		}
	}
	if got := hostID(&topo.Host{VLAN: 7}); got != "00:00:00:00:00:00/7" {
		t.Errorf("a host in a VLAN is %s", got)
	}
}

func TestIntentStates(t *testing.T) {
	a := newIntentStates([]demoIntent{{id: "a"}, {id: "b"}})
	for _, e := range []struct {
		id, state string
		gone      bool
	}{{"a", "installing", false}, {"a", "installed", false}, {"b", "waiting", false}, {"a", "rerouting", false},
		{"a", "rerouting", false},
		{"a", "installed", false}, {"a", "rerouting", false}, {"c", "installed", false}, {"b", "failed", true}} {
		a.update(e.id, e.state, e.gone)
	}
	n := a.counts()
	if a.reroutes != 2 || len(a.installed) != 1 || len(n) != 1 || n["rerouting"] != 1 {
		t.Errorf("%d re-routes, %v installed, %v", a.reroutes, a.installed, n)
	}
}

// TestRedundantLink draws no link whose loss partitions the network.
func TestRedundantLink(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	if i := redundantLink(topology(t, "linear:3"), map[int]bool{}, r); i >= 0 {
		t.Errorf("link %d of a line is drawn", i)
	}
	ring := topology(t, "ring:4")
	if i := redundantLink(ring, map[int]bool{}, r); i < 0 {
		t.Error("no link of a ring is drawn")
	}
}

func TestPageShowsIntents(t *testing.T) {
	s := living()
	s.Intents = IntentStats{All: 300, States: map[string]int{"installed": 296, "rerouting": 3, "waiting": 1},
		Reroutes: 41, Sent: 12345, Lost: 7, Cuts: 5, CutNow: 1}
	s.IntentsAfter, s.Links.Now = 212*time.Millisecond, 415
	page := s.Page(0)
	for _, want := range []string{
		"wan:206   1:02:03   1 link is cut\n",
		"  intents     [#######################.]  296 of 300 installed, 3 rerouting, 1 waiting\n",
		"  re-routed             41  times away from links that failed   5 links cut, 1 now\n",
		"  survived          12,338  packets over intents answered, 7 lost of 12,345\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if got, want := s.IntentsAnnouncement(),
		"300 intents between hosts are installed 212 ms after they were asked for"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := s.Line(), ", intents installed 296 of 300, 3 rerouting, 1 waiting, re-routed 41, links cut 5, packets over intents 12,345, lost 7"; !strings.Contains(got, want) {
		t.Errorf("no %q in %q", want, got)
	}
}
