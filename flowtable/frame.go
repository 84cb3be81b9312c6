package flowtable

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// frame is the packet of a pass as it is now: its bytes, and its fields. Bytes that came from
// elsewhere are never changed, but a copy of them. fields and key are those of bytes unless stale.
type frame struct {
	bytes  []byte
	fields packet.Key
	key    words // with metadata and tunnel, which are not in the bytes
	inPort uint32

	copies *copies
	level  int  // of the next copy
	own    bool // bytes are the copy of level
	stale  bool // bytes were changed since fields and key were made of them
}

// copies is memory for packets that are changed. A level is a packet and those below it are still
// needed while it is in flight.
type copies [][]byte

// put copies bytes into the memory of a level.
func (c *copies) put(level int, b []byte) []byte {
	for level >= len(*c) {
		*c = append(*c, nil)
	}
	(*c)[level] = append((*c)[level][:0], b...)
	return (*c)[level]
}

// begin takes up a packet without metadata and tunnel, whose first copy is of a level.
func (f *frame) begin(c *copies, b []byte, inPort uint32, level int) {
	f.bytes, f.inPort, f.copies, f.level, f.own, f.stale = b, inPort, c, level, false, true
	f.key[wordMetadata], f.key[wordTunnel] = 0, 0
}

// read makes fields and key of the bytes.
func (f *frame) read() {
	end, _ := packet.ParseKey(f.bytes, &f.fields)
	f.key.fill(f.bytes, &f.fields, end, f.inPort)
	f.stale = false
}

// refresh makes fields and key of the bytes if these were changed.
func (f *frame) refresh() {
	if f.stale {
		f.read()
	}
}

// fork leaves the bytes to who has copied the frame: the next change is made to a copy of its own.
func (f *frame) fork() { f.own, f.level = false, f.level+1 }

// writable makes the bytes ones that may be changed and marks them as changed.
func (f *frame) writable() []byte {
	f.stale = true
	if !f.own {
		f.bytes, f.own = f.copies.put(f.level, f.bytes), true
	}
	return f.bytes
}

// insert makes room for four bytes at an offset and returns them.
func (f *frame) insert(at int) []byte {
	b := append(f.writable(), 0, 0, 0, 0)
	copy(b[at+4:], b[at:])
	f.bytes, (*f.copies)[f.level] = b, b
	return b[at : at+4]
}

// cut takes four bytes out.
func (f *frame) cut(at int) {
	b := f.writable()
	copy(b[at:], b[at+4:])
	f.bytes = b[:len(b)-4]
}

// setField sets a field, with the checksums that cover it. A packet that has no such field stays as
// it is.
func (f *frame) setField(field openflow.Field, value []byte) {
	switch field {
	case openflow.FieldEthDst:
		copy(f.writable()[0:6], value)
	case openflow.FieldEthSrc:
		copy(f.writable()[6:12], value)
	case openflow.FieldTunnelID:
		f.key[wordTunnel] = number(value)
	case openflow.FieldVLANVID:
		f.setTag(packet.VLANMask, binary.BigEndian.Uint16(value)&packet.VLANMask)
	case openflow.FieldVLANPCP:
		f.setTag(7<<13, uint16(value[0])<<13)
	case openflow.FieldMPLSLabel:
		f.setLabel(0xfffff000, uint32(number(value))<<12)
	case openflow.FieldMPLSTC:
		f.setLabel(7<<9, uint32(value[0])<<9)
	default:
		if h := f.locate(); h.l3 != 0 {
			h.setField(field, value)
		}
	}
}

// setField10 sets a field as OpenFlow 1.0 has it: the ports of TCP stand for those of all
// transports.
func (f *frame) setField10(field openflow.Field, value []byte) {
	if field == openflow.FieldTCPSrc || field == openflow.FieldTCPDst {
		f.refresh()
		switch {
		case f.fields.Layers.Has(packet.LayerUDP):
			field += openflow.FieldUDPSrc - openflow.FieldTCPSrc
		case f.fields.Layers.Has(packet.LayerSCTP):
			field += openflow.FieldSCTPSrc - openflow.FieldTCPSrc
		}
	}
	f.setField(field, value)
}
