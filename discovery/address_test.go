package discovery

import (
	"net/netip"
	"testing"
	"time"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// An address that a server gave is added to a host that is known and confirmed, and to no other;
// its place stays.
func TestAddressed(t *testing.T) {
	view := netview.New(netview.Limits{})
	facts := view.Facts()
	core := NewCore(Config{Key: make([]byte, 16)}, time.Unix(0, 0))
	at := netview.Point{DPID: 1, Port: 1}
	known := netview.HostID{MAC: packet.MAC{2, 0, 0, 0, 0, 1}}
	doubtful, stranger := netview.HostID{MAC: packet.MAC{2, 0, 0, 0, 0, 2}}, netview.HostID{MAC: packet.MAC{2, 0, 0, 0, 0, 3}}
	ip := netip.MustParseAddr("10.0.0.9")
	facts.Update(func(tx *netview.FactsTx) {
		tx.PutSwitch(&netview.Switch{DPID: 1, Connected: true,
			Ports: []netview.Port{{Number: 1, Up: true, Role: netview.PortEdge}}})
		tx.PutHost(&netview.Host{HostID: known, At: at, State: netview.HostConfirmed})
		tx.PutHost(&netview.Host{HostID: doubtful, At: at, State: netview.HostUnconfirmed})
		core.Begin(tx, time.Unix(1, 0))
		for _, id := range []netview.HostID{known, doubtful, stranger} {
			for _, a := range []netip.Addr{ip, netip.MustParseAddr("224.0.0.1"), ip} {
				core.handle(&input{kind: inputAddress, sighting: hosts.Sighting{ID: id, IP: packet.AddrFrom(a), Certain: true}})
			}
		}
	})
	snap := view.Snapshot()
	if h, _ := snap.Host(known); len(h.IPs) != 1 || h.IPs[0] != ip || h.At != at {
		t.Errorf("the host is %+v, want it with %s", h, ip)
	}
	if h, _ := snap.Host(doubtful); len(h.IPs) != 0 {
		t.Errorf("an unconfirmed host got an address: %+v", h)
	}
	if _, ok := snap.Host(stranger); ok {
		t.Error("a host was made out of an address")
	}
}
