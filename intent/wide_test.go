package intent

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// hostWith puts a host with an address somewhere.
func (n *network) hostWith(id netview.HostID, where netview.Point, addresses ...string) {
	h := &netview.Host{HostID: id, At: where, State: netview.HostConfirmed}
	for _, a := range addresses {
		h.IPs = append(h.IPs, netip.MustParseAddr(a))
	}
	n.facts.Update(func(tx *netview.FactsTx) { tx.PutHost(h) })
	n.rest()
}

// wantExposed wants some intents to take packets of others, and no more.
func (n *network) wantExposed(ids ...string) {
	n.t.Helper()
	count, got := n.engine.Wide(2)
	if count != len(ids) || !slices.Equal(got, ids[:min(2, len(ids))]) {
		n.t.Fatalf("%d intents take packets of others, the first %v, want %v", count, got, ids)
	}
}

// wantTagged wants packets of some intents to carry tags on their way, and of no others.
func (n *network) wantTagged(ids ...string) {
	n.t.Helper()
	var got []string
	list, _ := n.engine.List(0, 1<<20, nil)
	for _, in := range list {
		if in.Rules.Tagged() {
			got = append(got, in.Spec.ID)
		}
	}
	if !slices.Equal(got, ids) {
		n.t.Fatalf("packets of %v carry tags, want %v", got, ids)
	}
}

// TestWide: packets of an intent carry tags if its selector does not fix who sends, whatever its request says of that.
// An address that a host elsewhere has is no source of one's own.
func TestWide(t *testing.T) {
	n := square(t)
	n.hostWith(hostID(1), at(1, 9), "10.0.0.1") // the source of flow 1
	n.hostWith(hostID(2), at(2, 9), "10.0.0.2")
	all := toward("all", at(1, 9), at(4, 9), 0x0b000001)
	all.Wide = false
	home := flow("home", at(1, 9), at(4, 9), 1)
	home.Wide = true
	away := flow("away", at(1, 10), at(4, 10), 2)
	away.Priority = 7
	unknown := flow("unknown", at(1, 9), at(4, 9), 3)
	merge := flow("merge", at(3, 9), at(4, 12), 2) // the host is at one of its ingresses
	merge.Kind, merge.Src, merge.Priority = spec.MultipointToPoint, []spec.End{{Point: at(2, 9)}, {Point: at(3, 9)}}, 9
	local := toward("local", at(3, 10), at(3, 11), 0x0b000001)
	local.Wide = false
	all.Priority = 50
	for _, s := range []spec.Spec{all, home, away, unknown, merge, local} {
		if a := n.submit(false, Request{Op: Create, Spec: s})[0]; a.Status != Accepted {
			t.Errorf("%s: %v %q", s.ID, a.Status, a.Text)
		}
		if s.Wide = !s.Wide; s.ID == "home" || s.ID == "all" { // the same request
			if a := n.submit(false, Request{Op: Create, Spec: s})[0]; a.Status != Existing {
				t.Errorf("%s with wide %v: %v %q", s.ID, s.Wide, a.Status, a.Text)
			}
		}
	}
	n.rest()
	n.wantExposed()
	n.wantTagged("all", "away")
	n.hostWith(hostID(3), at(4, 15), "10.0.0.3", "10.0.0.99")
	n.wantExposed("unknown")
	n.rest()
	n.wantExposed()
	n.wantTagged("all", "away", "unknown")
	n.wrote = 0
	n.start()
	n.rest()
	n.wantTagged("all", "away", "unknown")
	if n.wrote > 0 {
		t.Errorf("%d rules written after a restart", n.wrote)
	}
	n.hostWith(hostID(3), at(1, 9), "10.0.0.3")
	n.hostWith(hostID(2), at(1, 10), "10.0.0.7")
	n.wantTagged("all", "away", "unknown") // for good
	n.submit(false, Request{Op: Withdraw, ID: "all"})
	n.rest()
	n.wantTagged("away", "unknown")
	home.Priority = 60
	if a := n.submit(false, Request{Op: Replace, Spec: home})[0]; a.Status != Accepted {
		t.Errorf("replaced by one of its own source: %+v", a)
	}
	n.rest()
	n.start()
	n.rest()
	n.wantSources("home", "away", "unknown", "merge")
}

// wantSources withdraws intents: addresses that hosts get are news as long as an intent with a source is left, and no
// longer.
func (n *network) wantSources(ids ...string) {
	n.t.Helper()
	claims := n.engine.catalog.admission.claims
	for i := range len(ids) + 1 {
		claims.TakeAddresses()
		n.hostWith(hostID(9), at(2, 15), fmt.Sprintf("10.9.0.%d", i+1))
		if news := claims.TakeAddresses(); len(news) > 0 != (i < len(ids)) {
			n.t.Errorf("news are %v where intents with a source are %v", news, ids[i:])
		}
		if i < len(ids) {
			n.submit(false, Request{Op: Withdraw, ID: ids[i]})
			n.rest()
		}
	}
}

// TestSourceIn: the address is found in every form without reading it whole.
func TestSourceIn(t *testing.T) {
	for seed := range uint64(20) {
		w := newTwin(t, seed)
		for range 50 {
			s := w.spec("x")
			if s.Check() != nil {
				continue
			}
			a, ok := s.Source()
			if in, found := spec.SourceIn(string(s.Append(nil))); ok && (!found || in != a) {
				t.Fatalf("%s: %v, want %v", &s, in, a)
			}
		}
	}
}
