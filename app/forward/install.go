package forward

import (
	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/topology"
)

// install is a pair whose path is being installed: the rules downstream of this switch are sent,
// and its own rule and the packets wait until they are confirmed.
type install struct {
	pr     pairs.Pair
	path   *pairs.Path // held for this install; passes to the pair
	first  int         // hop of this switch: 0, but for a pair that came in elsewhere and lost its rules from here on
	moving bool        // the pair had another path
	held   []heldPacket
	// wrote: a switch that the pair's old path passes may have been written, so that packets take the old
	// head and the new tail.
	wrote bool
	// refused: a switch will not take its rule, so that the packets that wait go by the controller.
	refused   bool
	abandoned bool // its confirmations are ignored
	failed    bool // it is not to go on

	// Transition has the hops of the path as rules: that of this switch comes last.
	pathing.Transition
}

// hop returns this switch's hop.
func (w *install) hop() topology.Hop { return w.path.Hops[w.first] }

// flow returns what the pair has when it is installed.
func (w *install) flow() pairs.Flow { return pairs.Flow{Path: w.path.ID, Out: w.hop().Out} }

// heldPacket is a packet that waits at its ingress switch.
type heldPacket struct {
	buffer uint32
	inPort uint32
	frame  []byte // own memory; nil if buffered or cut short
}

// waiting are the packets that wait for installs at a switch: at most MaxHeld for each, and MaxHeldSwitch for all. The
// lock of the switch's pairs is held.
type waiting struct {
	*shared
	sender  *sender
	packets int
}

// full reports whether no install may begin for a packet.
func (q *waiting) full() bool { return q.packets >= MaxHeldSwitch }

// hold keeps a packet until its pair's path is confirmed.
func (q *waiting) hold(w *install, pin *openflow.PacketIn) {
	if len(w.held) >= MaxHeld || q.full() {
		q.count.HeldDropped.Add(1)
		return
	}
	h := heldPacket{buffer: pin.Buffer, inPort: pin.InPort}
	if pin.Buffer == openflow.NoBuffer {
		h.frame = append([]byte(nil), outlet.Frame(pin)...)
	}
	w.held = append(w.held, h)
	q.packets++
}

// take takes the packets of an install out.
func (q *waiting) take(w *install) (held []heldPacket) {
	held, w.held = w.held, nil
	q.packets -= len(held)
	return held
}

// drop drops them.
func (q *waiting) drop(w *install) { q.count.NoPath.Add(uint64(len(q.take(w)))) }

// direct sends them straight to where their pair's destination is, since a rule was refused.
func (q *waiting) direct(out *outlet.Conn, w *install) {
	for _, h := range q.take(w) {
		q.sender.direct(out, h.inPort, w.pr, h.frame)
	}
}

// release sends them on by a port.
func (q *waiting) release(out *outlet.Conn, held []heldPacket, port uint32) {
	for _, h := range held {
		q.sender.Release(out, h.buffer, h.inPort, port, h.frame)
	}
}
