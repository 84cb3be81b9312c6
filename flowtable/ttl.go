package flowtable

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// actTTL does the actions on the time to live.
func (p *pass) actTTL(a *openflow.Action) {
	f := &p.frame
	switch a.Type {
	case openflow.ActionSetNwTTL:
		if h := f.locate(); h.isIP() {
			writeTTL(f.writable()[h.l3:], a.TTL)
		}
	case openflow.ActionDecNwTTL:
		if h := f.locate(); h.isIP() && p.ttlLeft(f.fields.TTL) {
			writeTTL(f.writable()[h.l3:], f.fields.TTL-1)
		}
	case openflow.ActionSetMPLSTTL:
		f.setLabel(0xff, uint32(a.TTL))
	case openflow.ActionDecMPLSTTL:
		if label := labelAt(f.bytes); label != 0 && p.ttlLeft(f.bytes[label+3]) {
			f.setLabel(0xff, uint32(f.bytes[label+3]-1))
		}
	case openflow.ActionCopyTTLOut:
		if at, _ := ttlBelow(f.bytes); at != 0 {
			f.setLabel(0xff, uint32(f.bytes[at]))
		}
	case openflow.ActionCopyTTLIn:
		f.copyTTLIn()
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

// ttlBelow is where the TTL of the header under the outermost label is: of the next label, or of the
// IP packet that begins at ip; 0 if there is none. What is under the last label is IP if it looks
// like it: MPLS does not say.
func ttlBelow(b []byte) (at, ip int) {
	label := labelAt(b)
	if label == 0 {
		return 0, 0
	}
	shim, below := binary.BigEndian.Uint32(b[label:]), label+mplsLen
	rest := b[below:]
	switch {
	case shim&bottomOfStack == 0 && len(rest) >= mplsLen:
		return below + 3, 0
	case shim&bottomOfStack == 0:
		return 0, 0
	case packet.IPv4(rest).Valid():
		return below + 8, below
	case packet.IPv6(rest).Valid():
		return below + 7, below
	}
	return 0, 0
}

// copyTTLIn sets the TTL under the outermost label to that of the label.
func (f *frame) copyTTLIn() {
	at, ip := ttlBelow(f.bytes)
	if at == 0 {
		return
	}
	b := f.writable()
	ttl := b[labelAt(b)+3]
	if ip != 0 {
		writeTTL(b[ip:], ttl)
	} else {
		b[at] = ttl
	}
}
