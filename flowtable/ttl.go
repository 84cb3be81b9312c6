package flowtable

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// actTTL does the actions on the time to live.
func (p *pass) actTTL(a *openflow.Action) {
	label := p.label()
	switch a.Type {
	case openflow.ActionSetNwTTL:
		p.setIPTTL(a.TTL)
	case openflow.ActionDecNwTTL:
		if ttl, ok := p.ipTTL(); ok && p.ttlLeft(ttl) {
			p.setIPTTL(ttl - 1)
		}
	case openflow.ActionSetMPLSTTL:
		p.setLabel(0xff, uint32(a.TTL))
	case openflow.ActionDecMPLSTTL:
		if label != 0 && p.ttlLeft(p.frame[label+3]) {
			p.setLabel(0xff, uint32(p.frame[label+3]-1))
		}
	case openflow.ActionCopyTTLOut:
		if ttl, set := p.below(label); set != nil {
			p.setLabel(0xff, uint32(ttl))
		}
	case openflow.ActionCopyTTLIn:
		if _, set := p.below(label); set != nil {
			set(p, p.frame[label+3])
		}
	}
}

// ttlLeft reports whether a TTL can be decremented. If not, the packet goes to the controllers, and
// no further.
func (p *pass) ttlLeft(ttl uint8) bool {
	if ttl > 1 {
		return true
	}
	p.packetIn(PacketIn{Reason: openflow.ReasonBadTTL, MissLen: true})
	p.done = true
	return false
}

// ipTTL is the TTL or hop limit of the packet.
func (p *pass) ipTTL() (ttl uint8, ok bool) {
	h := p.locate()
	if h.l3 == 0 || p.fields.Layers.Has(packet.LayerARP) {
		return 0, false
	}
	return p.fields.TTL, true
}

func (p *pass) setIPTTL(ttl uint8) {
	if _, ok := p.ipTTL(); ok {
		h := p.locate()
		writeTTL(p.writable()[h.l3:], ttl)
	}
}

// writeTTL sets the TTL of the IP packet b.
func writeTTL(b []byte, ttl uint8) {
	if b[0]>>4 == 6 {
		b[7] = ttl
		return
	}
	old := [2]byte{b[8], b[9]}
	b[8] = ttl
	addDelta(b[10:], sumDelta(0, old[:], b[8:10]))
}

// below is the TTL of the header under the outermost label: of the next label, or of IP, and what
// sets it; nil if there is none. What is under the last label is IP if it looks like it: MPLS does
// not say.
func (p *pass) below(label int) (ttl uint8, set func(p *pass, ttl uint8)) {
	if label == 0 {
		return 0, nil
	}
	shim := binary.BigEndian.Uint32(p.frame[label:])
	rest := p.frame[label+mplsLen:]
	switch {
	case shim&bottomOfStack == 0 && len(rest) >= mplsLen:
		return rest[3], func(p *pass, ttl uint8) { p.writable()[p.label()+mplsLen+3] = ttl }
	case shim&bottomOfStack == 0:
		return 0, nil
	case packet.IPv4(rest).Valid():
		ttl = rest[8]
	case packet.IPv6(rest).Valid():
		ttl = rest[7]
	default:
		return 0, nil
	}
	return ttl, func(p *pass, ttl uint8) { writeTTL(p.writable()[p.label()+mplsLen:], ttl) }
}
