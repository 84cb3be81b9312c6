package netlab

import (
	"net"
	"strconv"
	"time"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe/nic"
)

// Turnarounds is what the lab's loopback shows of a controller: how long each answer took, as its
// switch has it.
type Turnarounds struct {
	o     *observer
	port  uint16
	asked time.Time // when the packet-in came that has no answer yet
	took  []time.Duration
}

// Turnarounds watches the connections to a controller on loopback, until End.
func (l *Lab) Turnarounds(controller string) *Turnarounds {
	l.t.Helper()
	_, text, err := net.SplitHostPort(controller)
	if err != nil {
		l.t.Fatal(err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		l.t.Fatal(err)
	}
	w := &Turnarounds{port: uint16(port)}
	w.o = (&Host{lab: l, Name: "loopback", Netns: "/proc/self/ns/net", Dev: "lo"}).watch(w.see)
	return w
}

// End tells of each flow-mod how long before it the first packet-in came since the flow-mod before.
func (w *Turnarounds) End() []time.Duration {
	w.o.end()
	return w.took
}

// Types of OpenFlow messages.
const (
	typePacketIn = 10
	typeFlowMod  = 14
)

// see looks at the first message of a segment.
func (w *Turnarounds) see(f *nic.Frame) {
	_, _, _, etherType, at, _ := packet.ParseEthernet(f.Bytes)
	p, ok := packet.ParsePart(etherType, f.Bytes[at:])
	tcp := packet.TCP(p.Payload)
	if !ok || p.Proto != packet.ProtoTCP || !tcp.Valid() || len(tcp.Payload()) < 8 {
		return
	}
	kind, now := tcp.Payload()[1], time.Unix(0, f.At)
	switch {
	case tcp.DstPort() == w.port && kind == typePacketIn && w.asked.IsZero():
		w.asked = now
	case tcp.SrcPort() == w.port && kind == typeFlowMod && !w.asked.IsZero():
		w.took, w.asked = append(w.took, now.Sub(w.asked)), time.Time{}
	}
}
