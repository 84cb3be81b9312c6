package places

import (
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// TestPlaces follows a host that moves, is deleted, is learned elsewhere and whose port goes.
func TestPlaces(t *testing.T) {
	view := netview.New(netview.Limits{})
	facts := view.Facts()
	id := netview.HostID{MAC: packet.MACFromUint64(7), VLAN: 5}
	key := KeyOf(7, 0x1005)
	var p Places
	var rev netview.Revision
	ports := func(numbers ...uint32) {
		sw := &netview.Switch{DPID: 1, Connected: true}
		for _, n := range numbers {
			sw.Ports = append(sw.Ports, netview.Port{Number: n, Up: true})
		}
		facts.Update(func(tx *netview.FactsTx) { tx.PutSwitch(sw) })
	}
	host := func(at netview.Point, state netview.HostState) {
		facts.Update(func(tx *netview.FactsTx) { tx.PutHost(&netview.Host{HostID: id, At: at, State: state}) })
	}
	var before *netview.Snapshot
	expect := func(what string, at netview.Point, known bool, last, was netview.Point, elsewhere bool) {
		t.Helper()
		changes, upto, _ := view.Changes(rev, 100)
		snap := view.Snapshot()
		p.Forget(PortsLeft(before, snap, changes, true), snap)
		rev, before = upto, snap
		var gotWas netview.Point
		gotElsewhere := false
		for i := range changes {
			if changes[i].Kind == netview.KindHost {
				gotWas, gotElsewhere = p.Take(&changes[i], snap)
			}
		}
		if gotElsewhere != elsewhere || elsewhere && gotWas != was {
			t.Errorf("%s: elsewhere %v, it was at %v, want %v, %v", what, gotElsewhere, gotWas, elsewhere, was)
		}
		if got, ok := p.At(key); ok != known || known && got != at || p.Last(key) != last {
			t.Errorf("%s: at %v, %v, last %v, want %v, %v, %v", what, got, ok, p.Last(key), at, known, last)
		}
		if _, remembered := p.forgotten[key]; remembered && known {
			t.Errorf("%s: it is known, and remembered as deleted", what)
		}
	}
	a, b, none := netview.Point{DPID: 1, Port: 2}, netview.Point{DPID: 1, Port: 3}, netview.Point{}
	ports(2, 3)
	host(a, netview.HostConfirmed)
	expect("it is new", a, true, a, none, false)
	host(b, netview.HostConfirmed)
	expect("it has moved", b, true, b, a, true)
	facts.Update(func(tx *netview.FactsTx) { tx.DeleteHost(id) })
	expect("it was deleted", none, false, b, none, false)
	host(a, netview.HostConfirmed)
	expect("it was learned elsewhere", a, true, a, b, true)
	host(a, netview.HostUnconfirmed)
	expect("it is not sure", a, true, a, none, false)
	ports(3)
	expect("its port is gone", none, false, a, none, false)
	host(a, netview.HostUnconfirmed)
	expect("it may be where no port is", none, false, a, none, false)
	p.ForgetSwitch(2)
	expect("another switch is forgotten", none, false, a, none, false)
	p.ForgetSwitch(1)
	expect("its switch is forgotten", none, false, none, none, false)
	host(b, netview.HostConfirmed)
	expect("it is new again", b, true, b, none, false)
	facts.Update(func(tx *netview.FactsTx) { tx.DeleteHost(id) })
	p.Keep(view.Snapshot())
	if at, known := p.At(key); known {
		t.Errorf("no snapshot has it, and it is kept at %v", at)
	}
}
