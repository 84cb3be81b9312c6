package netlab

import (
	"encoding/binary"
	"net"
	"strconv"
	"time"
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
func (w *Turnarounds) see(at time.Time, frame []byte) {
	const least = ethernetHeader + ipv4Header + 20
	if len(frame) < least || frame[ethernetHeader+9] != 6 {
		return
	}
	tcp := frame[ethernetHeader+int(frame[ethernetHeader]&15)*4:]
	if len(tcp) < 20 || len(tcp) < int(tcp[12]>>4)*4+8 {
		return
	}
	kind := tcp[int(tcp[12]>>4)*4+1]
	from, to := binary.BigEndian.Uint16(tcp), binary.BigEndian.Uint16(tcp[2:])
	switch {
	case to == w.port && kind == typePacketIn && w.asked.IsZero():
		w.asked = at
	case from == w.port && kind == typeFlowMod && !w.asked.IsZero():
		w.took, w.asked = append(w.took, at.Sub(w.asked)), time.Time{}
	}
}
