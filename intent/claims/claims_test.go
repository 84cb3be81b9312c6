package claims

import (
	"net/netip"
	"testing"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// flow is a point-to-point intent with a source and a destination.
func flow(t *testing.T, from, to netview.DPID, tag uint32) *spec.Spec {
	s := &spec.Spec{ID: "f", Kind: spec.PointToPoint, Priority: 100,
		Src: []spec.End{{Point: netview.Point{DPID: from, Port: 9}}}, Dst: []spec.End{{Point: netview.Point{DPID: to, Port: 9}}}}
	s.Selector.SetUint(openflow.FieldEthType, 0x0800)
	s.Selector.SetUint(openflow.FieldIPv4Src, uint64(0x0a000000+tag))
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	return s
}

// held is a view, and Claims of contents.
type held struct {
	*Claims
	view     *netview.View
	facts    *netview.Facts
	seen     netview.Revision
	contents map[uint32]string
}

func newHeld() *held {
	h := &held{view: netview.New(netview.Limits{}), contents: make(map[uint32]string)}
	h.facts = h.view.Facts()
	h.facts.Update(func(tx *netview.FactsTx) {
		for dpid := range netview.DPID(5) {
			tx.PutSwitch(&netview.Switch{DPID: dpid, State: netview.SwitchReady, Connected: true})
		}
	})
	h.Claims = New(h.view, func(n uint32) string { return h.contents[n] })
	return h
}

func (h *held) hold(n uint32, s *spec.Spec) {
	h.contents[n] = string(s.Append(nil))
	h.Hold(s, n)
}

// learn has it learn what has changed in the view.
func (h *held) learn() {
	changes, _, snap, ok := h.view.Follow(h.seen, 1<<30)
	h.seen = snap.Revision()
	h.Learn(!ok, changes, snap)
}

func (h *held) host(i int, at netview.DPID, ips ...netip.Addr) {
	id := netview.HostID{MAC: packet.MAC{2, 0, 0, byte(i >> 16), byte(i >> 8), byte(i)}}
	h.facts.Update(func(tx *netview.FactsTx) {
		tx.PutHost(&netview.Host{HostID: id, At: netview.Point{DPID: at, Port: 9}, IPs: ips})
	})
}

// TestHold: who holds packets is named to others, and not to himself, until he releases them.
func TestHold(t *testing.T) {
	h := newHeld()
	one := flow(t, 1, 4, 1)
	h.hold(1, one)
	if h.Len() != Count(one) || h.senders.sourced != 1 {
		t.Errorf("%d claims of %d are held, %d sources", h.Len(), Count(one), h.senders.sourced)
	}
	for _, c := range []struct {
		s          *spec.Spec
		self, want uint32
	}{{flow(t, 1, 3, 1), 0, 1}, {one, 1, 0}, {flow(t, 2, 4, 1), 0, 0}, {flow(t, 1, 4, 2), 0, 0}} {
		if got := h.Other(c.s, c.self); got != c.want {
			t.Errorf("%s: %d, want %d", c.s, got, c.want)
		}
	}
	h.Release(h.contents[1], 1)
	if h.Len() != 0 || h.Other(one, 0) != 0 || h.senders.sourced != 0 {
		t.Errorf("%d claims are left, %d sources", h.Len(), h.senders.sourced)
	}
}

// TestAddressesAreBounded: addresses that hosts had are kept for a bounded number of hosts, an
// address that very many claim one after the other included; and hosts with very many addresses are
// not looked at anew with each change.
func TestAddressesAreBounded(t *testing.T) {
	h := newHeld()
	h.hold(1, flow(t, 1, 4, 1))
	h.learn()
	nine := netip.MustParseAddr("10.0.0.9")
	for round := range 4 {
		for i := range 3000 {
			h.host(1+round*3000+i, 2, nine)
			id := netview.HostID{MAC: packet.MAC{2, 0, 0, 0, byte((1 + round*3000 + i) >> 8), byte(1 + round*3000 + i)}}
			h.facts.Update(func(tx *netview.FactsTx) { tx.DeleteHost(id) })
		}
		h.learn()
		if kept := len(h.senders.hosts[nine]); kept != h.senders.hostCount || kept > maxStaleHosts+3000 {
			t.Fatalf("%d hosts are kept that had an address, counted %d", kept, h.senders.hostCount)
		}
	}
	h.facts.Update(func(tx *netview.FactsTx) {
		for i := range 2000 {
			one := &netview.Host{HostID: netview.HostID{MAC: packet.MAC{2, 0, 1, 0, byte(i >> 8), byte(i)}},
				At: netview.Point{DPID: 2, Port: 9}}
			for k := range 12 {
				one.IPs = append(one.IPs, netip.AddrFrom4([4]byte{10, byte(1 + k), byte(i >> 8), byte(i)}))
			}
			tx.PutHost(one)
		}
	})
	h.learn()
	h.TakeAddresses()
	h.host(2, 2, netip.MustParseAddr("10.0.0.2"))
	h.learn()
	if news := h.TakeAddresses(); len(news) > 1 {
		t.Errorf("one address is new, and intents are to be looked at for %d", len(news))
	}
}

// TestWide: an intent is wide while a host elsewhere has its source address.
func TestWide(t *testing.T) {
	h := newHeld()
	h.hold(7, flow(t, 1, 4, 1))
	h.learn()
	if got := h.Wide(); len(got) > 0 {
		t.Errorf("%v are wide of no host", got)
	}
	h.host(1, 2, netip.MustParseAddr("10.0.0.1"))
	h.learn()
	h.CheckSource(7, h.TakeAddresses())
	if got := h.Wide(); len(got) != 1 || got[0] != 7 {
		t.Errorf("%v are wide, want 7", got)
	}
	h.host(1, 1, netip.MustParseAddr("10.0.0.1"))
	h.learn()
	if got := h.Wide(); len(got) > 0 {
		t.Errorf("%v are wide, the host is at the ingress", got)
	}
}
