package loadswitch

import (
	"encoding/binary"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// pathInput does the flow-mods about entries of paths, and counts all, batch of input by batch. It belongs to the
// session's reader.
type pathInput struct {
	plain bool             // every flow-mod is decoded
	batch Tally            // received in this batch
	at    time.Duration    // when the batch's first flow-mod about a path was seen; 0: none was
	mod   openflow.FlowMod // memory that is used again, as is the next
	frame []byte
}

// handle does a flow-mod whose match is a path's, as bytes, in a table; false leaves it to FlowMod. Its time is
// that of the batch of input.
func (b *pathInput) handle(s *session.Session, t *flowTable, frame []byte) bool {
	p, ok := parsePathAdd(frame, b.at)
	if b.plain {
		p, ok = b.decode(frame, ok)
	}
	if ok {
		if !t.putPath(&p) {
			return false
		}
		b.batch.Put++
		return true
	}
	if !isPathDelete(frame) {
		t.expand(frame)
		return false
	}
	be := binary.BigEndian
	p, found, ours := t.removePath(pathPlace(frame), be.Uint64(frame[modCookie:]), be.Uint64(frame[modMask:]))
	if found {
		b.batch.Removed++
		if openflow.FlowFlags(p.flags)&openflow.FlagSendFlowRemoved != 0 {
			b.frame = p.appendRemoved(b.frame[:0], b.at)
			_ = s.SendBytes(b.frame)
		}
	}
	return ours
}

// decode reads a flow-mod as any other: the codec decodes it, and its entry is made of what it says.
func (b *pathInput) decode(frame []byte, adds bool) (p pathEntry, ok bool) {
	m := &b.mod
	if m.Parse(openflow.V13, frame[openflow.HeaderLen:]) != nil || !adds {
		return p, false
	}
	uint := func(f openflow.Field) uint64 {
		v, _ := m.Match.Uint(f)
		return v
	}
	p = pathEntry{cookie: m.Cookie, at: max(int64(b.at), 1), src: uint32(uint(openflow.FieldIPv4Src)),
		dst: uint32(uint(openflow.FieldIPv4Dst)),
		in:  uint16(uint(openflow.FieldInPort)), out: uint16(m.Instructions[0].Actions[0].Port),
		priority: m.Priority, table: m.Table, flags: uint8(m.Flags)}
	return p, true
}

// end is what came in the batch that has ended.
func (b *pathInput) end() Tally {
	t := b.batch
	b.batch, b.at = Tally{}, 0
	return t
}
