package flowtable

import "github.com/weirnet/weir/openflow"

// Output takes what comes of a call. It is called during the call; what it is given is valid until
// it returns.
type Output interface {
	// Transmit sends a frame out of a port that is up. Its counters are done. Queue is 0 unless the
	// entry chose one that the port has.
	Transmit(port, queue uint32, frame []byte)
	// PacketIn shows a packet to the controllers.
	PacketIn(p *PacketIn)
	// FlowRemoved reports the end of an entry with the flag openflow.FlagSendFlowRemoved.
	FlowRemoved(m *openflow.FlowRemoved)
	// PortStatus reports a port that came, went or changed.
	PortStatus(reason openflow.PortReason, p openflow.Port)
}

// DropOutput may be implemented by an Output that wants to know of packets that are sent to one
// port which is down, and go nowhere. Copies of a flood are not among them.
type DropOutput interface {
	Undelivered(port uint32)
}

// PacketIn is a packet for the controllers, whole. Message makes the message of it.
type PacketIn struct {
	Reason openflow.PacketInReason
	// Only10 is set for a packet that no entry matched: OpenFlow 1.0 shows it, 1.3 drops it.
	Only10 bool
	Table  uint8
	// MissLen: the packet is cut at the connection's miss_send_len and not at MaxLen.
	MissLen  bool
	MaxLen   uint16 // bytes; openflow.ControllerNoCut for all
	Cookie   uint64 // of the entry; all ones without one
	InPort   uint32
	Metadata uint64
	Tunnel   uint64
	Buffer   uint32 // openflow.NoBuffer if the switch keeps no copy
	Frame    []byte
}

// Message fills m with the packet-in for a connection of version v whose miss_send_len is missLen.
// The frame is cut only where the switch keeps a copy. m.Data is a view of p.Frame; m.Match, of
// OpenFlow 1.3, uses the memory it has.
func (p *PacketIn) Message(m *openflow.PacketIn, v openflow.Version, missLen uint16) {
	n := p.MaxLen
	if p.MissLen {
		n = missLen
	}
	m.Buffer, m.Data = p.Buffer, p.Frame
	if n == openflow.ControllerNoCut {
		m.Buffer = openflow.NoBuffer
	} else if m.Buffer != openflow.NoBuffer && int(n) < len(p.Frame) {
		m.Data = p.Frame[:n:n]
	}
	m.TotalLen = uint16(min(len(p.Frame), 0xffff))
	m.Reason, m.Table, m.Cookie, m.InPort = p.Reason, p.Table, p.Cookie, p.InPort
	oxm := m.Match.OXM[:0]
	m.Match = openflow.Match{}
	if v == openflow.V10 {
		return
	}
	oxm = appendField(oxm, openflow.FieldInPort, uint64(p.InPort), 0)
	if p.Metadata != 0 {
		oxm = appendField(oxm, openflow.FieldMetadata, p.Metadata, 0)
	}
	if p.Tunnel != 0 {
		oxm = appendField(oxm, openflow.FieldTunnelID, p.Tunnel, 0)
	}
	m.Match.OXM = oxm
}
