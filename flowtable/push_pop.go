package flowtable

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// tagAt is where tags begin: after the addresses.
const tagAt = 12

// outerType is the type after the addresses: that of the outermost tag or label, if there is one.
func outerType(b []byte) uint16 { return binary.BigEndian.Uint16(b[tagAt:]) }

// tagged reports whether a frame begins with a whole VLAN tag.
func tagged(b []byte) bool {
	t := outerType(b)
	return (t == packet.TypeVLAN || t == packet.TypeQinQ) && len(b) >= tagAt+2+packet.VLANTagLen
}

// pushVLAN adds a tag outside of all others, with the id and priority of the one that was
// outermost, or 0.
func (f *frame) pushVLAN(etherType uint16) {
	tci := uint16(0)
	if tagged(f.bytes) {
		tci = binary.BigEndian.Uint16(f.bytes[tagAt+2:]) &^ packet.VLANPresent // not the drop-eligible bit
	}
	b := f.insert(tagAt)
	binary.BigEndian.PutUint16(b, etherType)
	binary.BigEndian.PutUint16(b[2:], tci)
}

// popVLAN takes the outermost tag off.
func (f *frame) popVLAN() {
	if tagged(f.bytes) {
		f.cut(tagAt)
	}
}

// setTag sets bits of the outermost tag.
func (f *frame) setTag(mask, bits uint16) {
	if !tagged(f.bytes) {
		return
	}
	b := f.writable()[tagAt+2:]
	binary.BigEndian.PutUint16(b, binary.BigEndian.Uint16(b)&^mask|bits)
}

// setVLAN10 sets the id or the priority as OpenFlow 1.0 has it: an untagged packet gets a tag.
func (f *frame) setVLAN10(a *openflow.Action) {
	if !tagged(f.bytes) {
		f.pushVLAN(packet.TypeVLAN)
	}
	if a.Type == openflow.ActionSetVLANVID {
		f.setTag(packet.VLANMask, uint16(a.ID))
	} else {
		f.setTag(7<<13, uint16(a.ID)<<13)
	}
}

// A label of MPLS: label 20 bits, traffic class 3, bottom of stack 1, TTL 8.
const bottomOfStack = 1 << 8

// innerType is the offset and value of the type after all VLAN tags.
func innerType(b []byte) (at int, etherType uint16) {
	at, etherType = tagAt, outerType(b)
	for (etherType == packet.TypeVLAN || etherType == packet.TypeQinQ) && len(b) >= at+2+packet.VLANTagLen {
		at += packet.VLANTagLen
		etherType = binary.BigEndian.Uint16(b[at:])
	}
	return at, etherType
}

// labelAt is where the outermost label of a frame is; 0 without one, or if it is cut.
func labelAt(b []byte) int {
	at, t := innerType(b)
	if !isMPLS(t) || len(b) < at+2+mplsLen {
		return 0
	}
	return at + 2
}

// pushMPLS adds a label outside of the others and inside of VLAN tags. Label and traffic class are
// those of the label that was outermost, or 0; so is the TTL, or that of IP. A frame that says its
// length instead of a type stays as it is.
func (f *frame) pushMPLS(etherType uint16) {
	at, t := innerType(f.bytes)
	if t < minType {
		return
	}
	shim := uint32(bottomOfStack)
	if label := labelAt(f.bytes); label != 0 {
		shim = binary.BigEndian.Uint32(f.bytes[label:]) &^ bottomOfStack
	} else if h := f.locate(); h.l3 != 0 {
		shim |= uint32(f.fields.TTL)
	}
	binary.BigEndian.PutUint32(f.insert(at+2), shim)
	binary.BigEndian.PutUint16(f.bytes[at:], etherType)
}

// minType is the lowest EtherType: below it the field is a length.
const minType = 0x0600

// popMPLS takes the outermost label off; what is below it is of the type given.
func (f *frame) popMPLS(etherType uint16) {
	label := labelAt(f.bytes)
	if label == 0 {
		return
	}
	f.cut(label)
	binary.BigEndian.PutUint16(f.bytes[label-2:], etherType)
}

// setLabel sets bits of the outermost label.
func (f *frame) setLabel(mask, bits uint32) {
	if label := labelAt(f.bytes); label != 0 {
		b := f.writable()[label:]
		binary.BigEndian.PutUint32(b, binary.BigEndian.Uint32(b)&^mask|bits)
	}
}
