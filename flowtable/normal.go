package flowtable

import (
	"encoding/binary"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// The bounds of a switch's table of learned addresses: those of Open vSwitch (mac-table-size,
// mac-aging-time).
const (
	maxLearned = 8192
	learnedFor = 300 * time.Second
)

// learning is what OFPP_NORMAL knows: behind which port each address of each VLAN was last seen.
// The zero value is empty.
//
// All addresses are in a ring through slots, the one seen longest ago behind slot 0, which is the
// ring's fixed point. So the address that makes room for a new one in a full table, and those that
// are out of date, are found at one end.
type learning struct {
	slots []learned // slots[0] begins the ring; the others are in use or in free
	index map[uint64]int32
	free  []int32
}

// learned is one address of one VLAN.
type learned struct {
	key        uint64 // learnedKey
	seen       time.Duration
	port       uint32
	prev, next int32
}

// learnedKey is the VLAN in the upper 16 bits, 0 of an untagged frame, and the MAC address in the
// others.
func learnedKey(vlan uint16, mac []byte) uint64 {
	return uint64(vlan)<<48 | uint64(binary.BigEndian.Uint16(mac))<<32 | uint64(binary.BigEndian.Uint32(mac[2:]))
}

// learn records that an address was seen at a port.
func (l *learning) learn(key uint64, port uint32, now time.Duration) {
	if l.slots == nil {
		l.slots, l.index = make([]learned, 1, 8), make(map[uint64]int32)
	}
	at, ok := l.index[key]
	switch {
	case ok:
		l.unlink(at)
	case len(l.index) >= maxLearned:
		at = l.slots[0].next
		l.unlink(at)
		delete(l.index, l.slots[at].key)
	case len(l.free) > 0:
		at = l.free[len(l.free)-1]
		l.free = l.free[:len(l.free)-1]
	default:
		at = int32(len(l.slots))
		l.slots = append(l.slots, learned{})
	}
	if !ok {
		l.index[key] = at
	}
	last := l.slots[0].prev
	l.slots[at] = learned{key: key, seen: now, port: port, prev: last}
	l.slots[last].next, l.slots[0].prev = at, at
}

// find is the port behind which an address was seen; ok is false if it was not, or too long ago.
func (l *learning) find(key uint64, now time.Duration) (port uint32, ok bool) {
	at, ok := l.index[key]
	if !ok || now-l.slots[at].seen >= learnedFor {
		return 0, false
	}
	return l.slots[at].port, true
}

// forgetPort removes the addresses behind a port.
func (l *learning) forgetPort(port uint32) {
	for key, at := range l.index {
		if l.slots[at].port == port {
			l.unlink(at)
			delete(l.index, key)
			l.free = append(l.free, at)
		}
	}
}

// unlink takes a slot out of the ring.
func (l *learning) unlink(at int32) {
	s := l.slots[at]
	l.slots[s.prev].next, l.slots[s.next].prev = s.next, s.prev
}

// normal does what a learning bridge does: it learns where the sender is, and sends the packet to
// where the receiver was seen, or floods it. A packet of a controller that names no port came from
// nowhere: it is not learned from, and goes to any address.
func (p *pass) normal() {
	if d := p.s.decision; d != nil {
		d.cannot("it is forwarded as by a learning switch")
	}
	f := &p.frame
	from := p.s.ports.find(f.inPort)
	if from == nil && f.inPort != openflow.PortController && f.inPort != openflow.PortAny {
		return
	}
	if from != nil && bridgeReserved(f.bytes) {
		return
	}
	f.refresh()
	tag := uint16(f.key.get(openflow.FieldVLANVID))
	vlan := tag & packet.VLANMask
	l := &p.s.learning
	if from != nil && f.bytes[6]&1 == 0 {
		l.learn(learnedKey(vlan, f.bytes[6:12]), f.inPort, p.s.now)
	}
	to, ok := l.find(learnedKey(vlan, f.bytes), p.s.now)
	if !ok {
		to = openflow.PortFlood
	}
	if tag == packet.VLANPresent && f.key.get(openflow.FieldVLANPCP) == 0 {
		p.withoutTag(to)
		return
	}
	p.output(to, 0)
}

// withoutTag sends a copy of the packet without its tag, which says nothing: neither a VLAN nor a
// priority. Open vSwitch does so too.
func (p *pass) withoutTag(to uint32) {
	saved := *p
	p.frame.fork()
	p.frame.popVLAN()
	p.output(to, 0)
	*p = saved
}

// bridgeReserved reports whether a frame's destination is one of 01:80:c2:00:00:00 to 0f, which no
// bridge forwards (IEEE 802.1Q 8.6.3).
func bridgeReserved(frame []byte) bool {
	return frame[0] == 0x01 && frame[1] == 0x80 && frame[2] == 0xc2 && frame[3] == 0 && frame[4] == 0 && frame[5] < 0x10
}
