package flowtable

import (
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// PacketOut sends a packet that a controller of version v gave, or that was kept for it. The error
// is an *Error.
func (s *Switch) PacketOut(v openflow.Version, m *openflow.PacketOut, now time.Duration, out Output) error {
	s.begin(now, out)
	defer s.end()
	if !s.validInPort(v, m.InPort) {
		return refuse(openflow.BadRequestBadPort, "packet_out with in_port %s", openflow.PortText(m.InPort))
	}
	frame := m.Data
	if m.Buffer != openflow.NoBuffer {
		b, err := s.buffers.find(m.Buffer)
		if err != nil {
			return err
		}
		frame = s.kept(b)
	}
	if len(frame) < packet.EthernetLen {
		return refuse(openflow.BadRequestBadPacket, "packet_out of a frame of %d bytes", len(frame))
	}
	p := &s.pass
	p.beginUnread(s, frame, m.InPort)
	c := checker{s: s, strict: v != openflow.V10, packetOut: true}
	if slices.ContainsFunc(m.Actions, func(a openflow.Action) bool { return a.Type != openflow.ActionOutput }) {
		c.see(&p.frame)
	}
	if err := c.actions(m.Actions); err != nil {
		return err
	}
	s.buffers.forget(m.Buffer)
	p.v10 = v == openflow.V10
	p.apply(m.Actions)
	return nil
}

// validInPort reports whether a packet-out may name a port as where its packet came in.
func (s *Switch) validInPort(v openflow.Version, no uint32) bool {
	switch no {
	case openflow.PortController, openflow.PortLocal:
		return true
	case openflow.PortAny:
		return true // OFPP_NONE in OpenFlow 1.0; common in 1.3
	}
	return no <= openflow.PortMax && (no != 0 || v == openflow.V10)
}

// see takes over the fields of the packet itself.
func (c *checker) see(f *frame) {
	f.refresh()
	k := &f.key
	c.tagged = k.get(openflow.FieldVLANVID) != 0
	c.etherType, c.proto = k.get(openflow.FieldEthType), k.get(openflow.FieldIPProto)
	if f.fields.Layers.Has(packet.LayerIPv6 | packet.LayerND) {
		c.icmpv6 = uint64(f.fields.ICMPType)
	}
}

// fromTable sends the packet of a packet-out through the tables, as it is now. Whatever the tables
// do to it, actions after this one meet it as it was before.
func (p *pass) fromTable() {
	saved := *p
	p.frame.fork()
	p.set.clear()
	p.pipeline(0)
	saved.budget = p.budget
	*p = saved
}
