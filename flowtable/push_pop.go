package flowtable

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// tagAt is where tags begin: after the addresses.
const tagAt = 12

// insert makes room for four bytes at an offset and returns them.
func (p *pass) insert(at int) []byte {
	b := append(p.writable(), 0, 0, 0, 0)
	copy(b[at+4:], b[at:])
	p.frame, p.s.scratch[p.level] = b, b
	return b[at : at+4]
}

// cut takes four bytes out.
func (p *pass) cut(at int) {
	b := p.writable()
	copy(b[at:], b[at+4:])
	p.frame = b[:len(b)-4]
}

// outerType is the type after the addresses: that of the outermost tag or label, if there is one.
func (p *pass) outerType() uint16 { return binary.BigEndian.Uint16(p.frame[tagAt:]) }

// tagged reports whether the frame begins with a whole VLAN tag.
func (p *pass) tagged() bool {
	t := p.outerType()
	return (t == packet.TypeVLAN || t == packet.TypeQinQ) && len(p.frame) >= tagAt+2+packet.VLANTagLen
}

// pushVLAN adds a tag outside of all others, with the id and priority of the one that was
// outermost, or 0.
func (p *pass) pushVLAN(etherType uint16) {
	tci := uint16(0)
	if p.tagged() {
		tci = binary.BigEndian.Uint16(p.frame[tagAt+2:]) &^ packet.VLANPresent // not the drop-eligible bit
	}
	b := p.insert(tagAt)
	binary.BigEndian.PutUint16(b, etherType)
	binary.BigEndian.PutUint16(b[2:], tci)
}

// popVLAN takes the outermost tag off.
func (p *pass) popVLAN() {
	if p.tagged() {
		p.cut(tagAt)
	}
}

// setTag sets bits of the outermost tag.
func (p *pass) setTag(mask, bits uint16) {
	if !p.tagged() {
		return
	}
	b := p.writable()[tagAt+2:]
	binary.BigEndian.PutUint16(b, binary.BigEndian.Uint16(b)&^mask|bits)
}

// setVLAN10 sets the id or the priority as OpenFlow 1.0 has it: an untagged packet gets a tag.
func (p *pass) setVLAN10(a *openflow.Action) {
	if !p.tagged() {
		p.pushVLAN(packet.TypeVLAN)
	}
	if a.Type == openflow.ActionSetVLANVID {
		p.setTag(packet.VLANMask, uint16(a.ID))
	} else {
		p.setTag(7<<13, uint16(a.ID)<<13)
	}
}

// A label of MPLS: label 20 bits, traffic class 3, bottom of stack 1, TTL 8.
const bottomOfStack = 1 << 8

// innerType is the offset and value of the type after all VLAN tags.
func (p *pass) innerType() (at int, etherType uint16) {
	at, etherType = tagAt, p.outerType()
	for (etherType == packet.TypeVLAN || etherType == packet.TypeQinQ) && len(p.frame) >= at+2+packet.VLANTagLen {
		at += packet.VLANTagLen
		etherType = binary.BigEndian.Uint16(p.frame[at:])
	}
	return at, etherType
}

// label is where the outermost label is; 0 without one, or if it is cut.
func (p *pass) label() int {
	at, t := p.innerType()
	if !isMPLS(t) || len(p.frame) < at+2+mplsLen {
		return 0
	}
	return at + 2
}

// pushMPLS adds a label outside of the others and inside of VLAN tags. Label and traffic class are
// those of the label that was outermost, or 0; so is the TTL, or that of IP. A frame that says its
// length instead of a type stays as it is.
func (p *pass) pushMPLS(etherType uint16) {
	at, t := p.innerType()
	if t < minType {
		return
	}
	shim := uint32(bottomOfStack)
	if label := p.label(); label != 0 {
		shim = binary.BigEndian.Uint32(p.frame[label:]) &^ bottomOfStack
	} else if h := p.locate(); h.l3 != 0 {
		shim |= uint32(p.fields.TTL)
	}
	binary.BigEndian.PutUint32(p.insert(at+2), shim)
	binary.BigEndian.PutUint16(p.frame[at:], etherType)
}

// minType is the lowest EtherType: below it the field is a length.
const minType = 0x0600

// popMPLS takes the outermost label off; what is below it is of the type given.
func (p *pass) popMPLS(etherType uint16) {
	label := p.label()
	if label == 0 {
		return
	}
	p.cut(label)
	binary.BigEndian.PutUint16(p.frame[label-2:], etherType)
}

// setLabel sets bits of the outermost label.
func (p *pass) setLabel(mask, bits uint32) {
	if label := p.label(); label != 0 {
		b := p.writable()[label:]
		binary.BigEndian.PutUint32(b, binary.BigEndian.Uint32(b)&^mask|bits)
	}
}
