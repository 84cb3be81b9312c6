package forward

import (
	"testing"

	"github.com/weirnet/weir/app/forward/admission"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/topology"
)

// A port at which addresses are invented gets its share of pairs and no more, on its own switch and
// across the network; its neighbour is not touched, and when its pairs have gone it may begin
// again.
func TestAPortHasItsShareOfPairs(t *testing.T) {
	for _, remote := range []bool{false, true} {
		view := netview.New(netview.Limits{})
		f := New(Config{Domain: 1, MaxPairsPort: 10})
		host := func(n int, dpid netview.DPID, port uint32) *netview.Host {
			return &netview.Host{HostID: netview.HostID{MAC: packet.MACFromUint64(uint64(n))},
				At: netview.Point{DPID: dpid, Port: port}}
		}
		var ds [2]*Datapath
		var sinks [2]*sink
		view.Facts().Update(func(tx *netview.FactsTx) {
			for i := range ds {
				id := netview.DPID(i + 1)
				tx.PutSwitch(&netview.Switch{DPID: id, Version: openflow.V13, Tables: 8, Connected: true, Ports: []netview.Port{
					{Number: 1, Up: true, Role: netview.PortLink}, {Number: 2, Up: true, Role: netview.PortEdge},
					{Number: 3, Up: true, Role: netview.PortEdge}}})
				sinks[i] = &sink{v: openflow.V13}
				ds[i] = f.Attach(id, nextEpoch(), openflow.V13, 8, sinks[i])
			}
			a, b := netview.Point{DPID: 1, Port: 1}, netview.Point{DPID: 2, Port: 1}
			tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: a, Dst: b}, Up: true, State: netview.LinkConfirmed})
			tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: b, Dst: a}, Up: true, State: netview.LinkConfirmed})
			for n := range 100 {
				tx.PutHost(host(1000+n, 1, 2))
			}
			tx.PutHost(host(1, 1, 3))
			tx.PutHost(host(2, 2, 2))
		})
		snap := view.Snapshot()
		f.Reset(snap, topology.Build(snap))
		dst := uint64(1)
		if remote {
			dst = 2
		}
		begin := func(src uint64, port uint32) {
			pin := &openflow.PacketIn{Buffer: openflow.NoBuffer, InPort: port, Data: make([]byte, 60), TotalLen: 60, Cookie: 1}
			ds[0].PacketIn(pin, Frame{Dst: dst, Src: src, EtherType: 0x0800})
			ds[0].BatchEnd()
			for _, s := range sinks {
				s.confirm()
			}
		}
		for n := range uint64(100) {
			begin(1000+n, 2)
		}
		if n := ds[0].Pairs(); n != 10 {
			t.Errorf("across the network %v: %d pairs began, want 10", remote, n)
		}
		if c := f.Counts(); c.Unruled.Load() != 90 || c.Released.Load() != 100 {
			t.Errorf("across the network %v: %d released, %d without a rule, want 100 and 90", remote,
				c.Released.Load(), c.Unruled.Load())
		}
		dst = 1000
		begin(1, 3)
		if n := ds[0].Pairs(); n != 11 {
			t.Errorf("across the network %v: the neighbour's pair did not begin", remote)
		}
		ds[0].mu.Lock()
		ds[0].pairs = pairs.Table{}
		ds[0].mu.Unlock()
		for range admission.RecountSeconds {
			f.clock.seconds.Add(1)
		}
		dst = 1
		if remote {
			dst = 2
		}
		begin(1050, 2)
		if n := ds[0].Pairs(); n != 1 {
			t.Errorf("across the network %v: %d pairs after all had gone, want 1", remote, n)
		}
		for n := range uint64(60) { // of hosts that nobody knows: there are too many
			if n%20 == 0 {
				f.clock.seconds.Add(admission.RecountSeconds)
			}
			begin(5000+n, 2)
		}
		if n := ds[0].Pairs(); remote && n != 10 {
			t.Errorf("%d pairs of unknown hosts, and one, began at a port, want 10", n)
		}
	}
}
