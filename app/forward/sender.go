package forward

import (
	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/openflow"
)

// sender sends packets that came in at a switch, and writes rules. Who holds the lock of the switch's pairs uses it:
// the switch's reader, and others' when they confirm.
type sender struct {
	*shared
	at *target
	outlet.Writer
}

// on sends a packet on without a rule, unless the switch has forwarded it itself.
func (s *sender) on(out *outlet.Conn, pin *openflow.PacketIn, port uint32, copied bool) {
	if !copied {
		s.Release(out, pin.Buffer, pin.InPort, port, outlet.Frame(pin))
	}
}

// unruled sends a packet on for which no rule may be written, unless the switch has forwarded it
// itself.
func (s *sender) unruled(out *outlet.Conn, pin *openflow.PacketIn, pr pairs.Pair, copied bool) {
	if !copied {
		s.direct(out, pin.InPort, pr, outlet.Whole(pin))
	}
}

// direct sends a packet of a pair that can have no rule straight to its destination's switch. Packets above
// admission.DirectPerSecond and truncated ones are dropped.
func (s *sender) direct(out *outlet.Conn, inPort uint32, pr pairs.Pair, frame []byte) {
	to, known := s.places.At(pr.Dst())
	if !known || len(frame) == 0 || !s.refusals.direct.Take() {
		s.count.NoPath.Add(1)
		return
	}
	s.count.Unruled.Add(1)
	if to.DPID == s.at.id {
		s.Release(out, openflow.NoBuffer, inPort, to.Port, frame)
		return
	}
	if out := s.switches.conn(to.DPID); out != nil {
		s.Release(out, openflow.NoBuffer, openflow.PortController, to.Port, frame)
		out.Flush()
	}
}
