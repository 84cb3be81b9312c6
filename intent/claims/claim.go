package claims

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// claim is what two intents cannot both have: the packets of one match, in one priority, at their
// ingress port. Between hosts the port is zero: the match has both addresses, and hosts may move.
type claim struct {
	priority uint16
	at       netview.Point
	match    []byte
}

func (c *claim) equal(d *claim) bool {
	return c.priority == d.priority && c.at == d.at && bytes.Equal(c.match, d.match)
}

func (c *claim) hash(seed maphash.Seed) uint64 {
	var b [14 + spec.MaxSelector + 64]byte
	key := binary.BigEndian.AppendUint16(b[:0], c.priority)
	key = binary.BigEndian.AppendUint64(key, uint64(c.at.DPID))
	key = binary.BigEndian.AppendUint32(key, c.at.Port)
	return maphash.Bytes(seed, append(key, c.match...))
}

// eachClaim yields the claims of an intent until yield returns false.
func eachClaim(s *spec.Spec, yield func(claim) bool) {
	var list [2][]byte // of most intents
	if s.Kind == spec.HostToHost {
		for _, reverse := range [...]bool{false, true} {
			for _, m := range s.Matches(list[:0], reverse) {
				if !yield(claim{priority: s.Priority, match: m}) {
					return
				}
			}
		}
		return
	}
	var room [4]netview.Point
	matches := s.Matches(list[:0], false)
	for _, p := range s.Ingress(room[:0]) {
		for _, m := range matches {
			if !yield(claim{s.Priority, p, m}) {
				return
			}
		}
	}
}
