package emu

import (
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
)

// output is where a switch's tables send to, during one call of theirs and under the switch's lock:
// by its engine, or by others.
type output struct {
	sw     *Switch
	engine *engine // nil if the caller is none
	now    time.Duration
	from   time.Duration // when what is sent leaves, if it follows from what was promised for a time; 0: now
}

// leaves is when what is sent leaves.
func (o *output) leaves() time.Duration {
	if o.from == 0 {
		return o.now
	}
	return o.from
}

// Transmit sends a frame over the link of a port.
func (o *output) Transmit(number, _ uint32, frame []byte) {
	p := o.sw.ports.find(number)
	if p == nil {
		return
	}
	from := o.leaves()
	if b := o.sw.behaviour; b != nil {
		var ok bool
		if from, ok = b.departs(o, p, frame); !ok {
			return
		}
	}
	p.tap(Sent, frame, o.now)
	if o.engine != nil {
		o.engine.send(p.out, frame, from)
		return
	}
	if t, ok := p.out.begin(frame, from); ok {
		t.frame = newCopy(frame)
		p.out.engine.post([]transit{t})
	}
}

// Undelivered counts a frame for a port that is down as its link does.
func (o *output) Undelivered(number uint32) {
	if p := o.sw.ports.find(number); p != nil {
		p.out.drop(LostOnDownLink)
	}
}

// PacketIn sends a packet to all controllers that get such ones, or has it sent when its time
// comes.
func (o *output) PacketIn(p *flowtable.PacketIn) {
	if b := o.sw.behaviour; b == nil || !b.packetIn(o, p) {
		o.sendPacketIn(p)
	}
}

// sendPacketIn sends a packet to all controllers that get such ones.
func (o *output) sendPacketIn(p *flowtable.PacketIn) {
	sent, refused := o.sw.control.packetIn(p)
	n := &o.sw.engine.counts
	n.packetIns.Add(uint64(sent))
	switch {
	case refused > 0:
		n.drops[LostPacketIn].Add(uint64(refused))
	case sent == 0:
		n.drops[LostUnattended].Add(1)
	}
}

// FlowRemoved tells that an entry went.
func (o *output) FlowRemoved(m *openflow.FlowRemoved) { o.sw.control.flowRemoved(m) }

// PortStatus tells that a port changed.
func (o *output) PortStatus(reason openflow.PortReason, p openflow.Port) {
	o.sw.control.portStatus(reason, p)
}
