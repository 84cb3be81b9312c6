package forward

import (
	"fmt"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/topology"
)

// sink is a switch that encodes what it is sent and forgets it.
type sink struct {
	v     openflow.Version
	buf   []byte
	waits []func(error)
}

func (s *sink) FlowMod(m *openflow.FlowMod) (err error) {
	s.buf, err = openflow.Append(s.buf[:0], s.v, 1, m)
	return err
}

func (s *sink) PacketOut(m *openflow.PacketOut) (err error) {
	s.buf, err = openflow.Append(s.buf[:0], s.v, 1, m)
	return err
}

func (s *sink) Barrier(done func(error)) error { s.waits = append(s.waits, done); return nil }
func (s *sink) Flush()                         {}

// confirm answers the barriers.
func (s *sink) confirm() {
	for _, done := range s.waits {
		done(nil)
	}
	clear(s.waits)
	s.waits = s.waits[:0]
}

const benchHosts = 1000

// line is a line of switches with sinks behind them, and hosts at ports 100 and up of the first and
// the last.
func line(switches int, v openflow.Version) (*Forward, []*Datapath, []*sink) {
	view := netview.New(netview.Limits{})
	f := New(Config{Domain: 1})
	var ds []*Datapath
	var sinks []*sink
	view.Facts().Update(func(tx *netview.FactsTx) {
		for i := range switches {
			id := netview.DPID(i + 1)
			ports := []netview.Port{{Number: 1, Up: true, Role: netview.PortLink}, {Number: 2, Up: true, Role: netview.PortLink}}
			tx.PutSwitch(&netview.Switch{DPID: id, Version: v, Tables: 254, Connected: true, Ports: ports})
			sinks = append(sinks, &sink{v: v})
			ds = append(ds, f.Attach(id, nextEpoch(), v, 254, sinks[i]))
			if i > 0 {
				a, b := netview.Point{DPID: id - 1, Port: 2}, netview.Point{DPID: id, Port: 1}
				tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: a, Dst: b}, Up: true, State: netview.LinkConfirmed})
				tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: b, Dst: a}, Up: true, State: netview.LinkConfirmed})
			}
		}
		for h := range benchHosts {
			at := netview.Point{DPID: netview.DPID(1 + h%2*(switches-1)), Port: uint32(100 + h)}
			tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: packet.MACFromUint64(uint64(h))}, At: at})
		}
	})
	snap := view.Snapshot()
	f.Reset(snap, topology.Build(snap))
	return f, ds, sinks
}

// arrival is a packet-in of an unbuffered frame between two hosts.
func arrival(src, dst int) (*openflow.PacketIn, Frame) {
	a, b := packet.MACFromUint64(uint64(src)), packet.MACFromUint64(uint64(dst))
	data := append(packet.AppendEthernet(nil, b, a, 0, 0, packet.TypeIPv4), make([]byte, 50)...)
	return &openflow.PacketIn{Buffer: openflow.NoBuffer, TotalLen: uint16(len(data)), InPort: uint32(100 + src), Data: data},
		Frame{Dst: b.Uint64(), Src: a.Uint64(), EtherType: packet.TypeIPv4}
}

// BenchmarkLocal is a packet-in of a new pair on one switch, and, every 1,000 of them, the end of a
// batch.
func BenchmarkLocal(b *testing.B) {
	_, ds, _ := line(1, openflow.V13)
	pin, fr := arrival(0, 1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		fr.Src, fr.Dst = uint64(i%benchHosts), uint64((i/benchHosts+i+1)%benchHosts)
		pin.InPort = uint32(100 + fr.Src)
		ds[0].PacketIn(pin, fr)
		if i%1000 == 0 {
			ds[0].BatchEnd()
		}
	}
}

// BenchmarkSixHops is a packet-in of a new pair over six switches, confirmed 100 at a time.
func BenchmarkSixHops(b *testing.B) {
	_, ds, sinks := line(6, openflow.V13)
	pin, fr := arrival(0, 1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		fr.Src, fr.Dst = uint64(2*(i%500)), uint64(2*((i/500+i)%500)+1)
		pin.InPort = uint32(100 + fr.Src)
		ds[0].PacketIn(pin, fr)
		if i%100 == 0 {
			ds[0].BatchEnd()
			for _, s := range sinks {
				s.confirm()
			}
		}
	}
}

// TestKnownPairAllocatesNothing holds the fast path to its budget.
func TestKnownPairAllocatesNothing(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		_, ds, sinks := line(1, v)
		pin, fr := arrival(0, 1)
		ds[0].PacketIn(pin, fr)
		ds[0].BatchEnd()
		if len(sinks[0].buf) == 0 {
			t.Fatal("nothing was sent")
		}
		if n := testing.AllocsPerRun(1000, func() { ds[0].PacketIn(pin, fr); ds[0].BatchEnd() }); n != 0 {
			t.Errorf("OpenFlow %s: a packet-in allocates %.1f times, want 0", v, n)
		}
	}
}

// BenchmarkKnownPair is a packet-in of a pair that has its rules: its ingress's is sent again, and the packet.
func BenchmarkKnownPair(b *testing.B) {
	for _, switches := range []int{1, 6} {
		b.Run(fmt.Sprintf("%dswitches", switches), func(b *testing.B) {
			_, ds, sinks := line(switches, openflow.V13)
			pin, fr := arrival(0, 1)
			ds[0].PacketIn(pin, fr)
			ds[0].BatchEnd()
			for _, s := range sinks {
				s.confirm()
			}
			b.ReportAllocs()
			for b.Loop() {
				ds[0].PacketIn(pin, fr)
			}
		})
	}
}
