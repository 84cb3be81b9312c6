package broadcast

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Limits on what is flooded by packet-outs. What is over them is dropped, and counted.
const (
	// FloodsPerSecond is how many packets a second are flooded.
	FloodsPerSecond = 200
	// FloodsPort is how many of these one port may use.
	FloodsPort = 50
	// quotaPorts is how many port numbers are counted one by one; higher ones share the last count.
	quotaPorts = 4096
)

// floodQuota counts the floods of each port of a switch in a second.
type floodQuota struct {
	ports  []uint16
	second uint32
}

// take takes one of a port's floods of this second; false if none is left.
func (q *floodQuota) take(port, second uint32) bool {
	if second != q.second {
		clear(q.ports)
		q.second = second
	}
	i := int(min(port, quotaPorts-1))
	if n := i + 1 - len(q.ports); n > 0 {
		q.ports = append(q.ports, make([]uint16, n)...)
	}
	if q.ports[i] >= FloodsPort {
		return false
	}
	q.ports[i]++
	return true
}

// Flood sends a packet out of every edge port of the network but the one it came from, by packet-outs to
// each switch, so that no switch on the way sees it again. It is called on the goroutine that reads from the
// switch that the packet came to; pin is valid during the call only. Packets that come from another switch are
// not flooded: the switch where they entered has done it.
func (b *Broadcast) Flood(dpid netview.DPID, pin *openflow.PacketIn) {
	if s := b.sessions.get(dpid); s != nil {
		s.flood(pin)
	}
}

// flood is Flood at this switch.
func (s *Session) flood(pin *openflow.PacketIn) {
	b, all := s.b, s.b.edges.all()
	if len(pin.Data) < int(pin.TotalLen) || !all.has(netview.Point{DPID: s.dpid, Port: pin.InPort}) {
		return
	}
	if !s.floods.take(pin.InPort, b.seconds.Load()) || b.floodsLeft.Add(-1) < 0 {
		b.count.Dropped.Add(1)
		return
	}
	b.count.Flooded.Add(1)
	var out openflow.PacketOut
	for _, e := range all {
		to, inPort := s, pin.InPort
		if e.dpid != s.dpid {
			if to = b.sessions.get(e.dpid); to == nil {
				continue
			}
			inPort = openflow.PortController
		}
		out = openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: inPort, Data: pin.Data, Actions: out.Actions[:0]}
		for _, port := range e.ports {
			if e.dpid != s.dpid || port != pin.InPort {
				out.Actions = append(out.Actions, openflow.Output(port))
			}
		}
		if len(out.Actions) == 0 {
			continue
		}
		if err := to.out.PacketOut(&out); err != nil {
			b.count.Unsent.Add(1)
		} else if to != s {
			to.out.Flush()
		}
	}
}
