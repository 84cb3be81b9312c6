package intent

import (
	"net/netip"
	"slices"
	"strings"
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

func (n *network) wantWide(ids ...string) {
	n.t.Helper()
	count, got := n.engine.Wide(2)
	if count != len(ids) || !slices.Equal(got, ids[:min(2, len(ids))]) {
		n.t.Fatalf("%d wide intents, the first %v, want %v", count, got, ids)
	}
}

// TestWide: what takes packets of others is refused with the cure, unless it says that it is meant;
// then it is counted. An address that a host elsewhere has is no source of one's own.
func TestWide(t *testing.T) {
	n := square(t)
	n.hostWith(hostID(1), at(1, 9), "10.0.0.1") // the source of flow 1
	n.hostWith(hostID(2), at(2, 9), "10.0.0.2")
	all := toward("all", at(1, 9), at(4, 9), 0x0b000001)
	said := all
	all.Wide, all.ID = false, "not-said"
	home := flow("home", at(1, 9), at(4, 9), 1)
	away := flow("away", at(1, 9), at(4, 9), 2)
	meant := flow("meant", at(1, 10), at(4, 10), 2)
	meant.Wide, meant.Priority = true, 7
	unknown := flow("unknown", at(1, 9), at(4, 9), 3)
	merge := flow("merge", at(3, 9), at(4, 12), 2)
	merge.Kind, merge.Src, merge.Priority = spec.MultipointToPoint, []spec.End{{Point: at(2, 9)}, {Point: at(3, 9)}}, 9
	local := toward("local", at(3, 10), at(3, 11), 0x0b000001)
	local.Wide = false
	said.Priority = 50
	for _, c := range []struct {
		s    spec.Spec
		want string // of the refusal
	}{
		{all, "wide: true (--wide)"},
		{said, ""},
		{home, ""},
		{away, "10.0.0.2, which host 02:00:00:00:00:02 at 0000000000000002/9 has, given, want an address that only hosts where packets come in have"},
		{meant, ""},
		{unknown, ""},
		{merge, ""}, // it is at one of its ingresses
		{local, ""},
	} {
		a := n.submit(false, Request{Op: Create, Spec: c.s})[0]
		if (a.Status == Accepted) != (c.want == "") || !strings.Contains(a.Text, c.want) {
			t.Errorf("%s: %v %q, want %q", c.s.ID, a.Status, a.Text, c.want)
		}
	}
	n.rest()
	n.wantWide("all", "meant")
	n.hostWith(hostID(3), at(4, 15), "10.0.0.3", "10.0.0.99")
	n.wantWide("all", "meant", "unknown")
	n.wantState("unknown", "installed") // it stays
	n.start()
	n.rest()
	n.wantWide("all", "meant", "unknown")
	n.hostWith(hostID(3), at(1, 9), "10.0.0.3")
	n.wantWide("all", "meant")
	n.hostWith(hostID(2), at(1, 10), "10.0.0.7")
	n.wantWide("all")
	all.ID = "all"
	if a := n.submit(false, Request{Op: Replace, Spec: all})[0]; a.Status != Invalid {
		t.Errorf("replaced by one that does not say it: %+v", a)
	}
	n.submit(false, Request{Op: Withdraw, ID: "all"})
	n.wantWide()
	n.rest()
	n.wantWide()
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
