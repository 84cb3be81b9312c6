package intent

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// claim is what two intents cannot both have: the packets of one match, in one priority, at the port where they come in.
// Between hosts the port is zero: the match has both addresses, and where they are may change.
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

// eachClaim yields the claims of an intent until it is told to stop.
func eachClaim(s *spec.Spec, yield func(claim) bool) {
	if s.Kind == spec.HostToHost {
		for _, reverse := range [...]bool{false, true} {
			for _, m := range s.Matches(reverse) {
				if !yield(claim{priority: s.Priority, match: m}) {
					return
				}
			}
		}
		return
	}
	var room [4]netview.Point
	matches := s.Matches(false)
	for _, p := range s.Ingress(room[:0]) {
		for _, m := range matches {
			if !yield(claim{s.Priority, p, m}) {
				return
			}
		}
	}
}

// claimed finds another intent that has a claim of s; 0 without one.
func (f *front) claimed(s *spec.Spec, self uint32) (other uint32) {
	eachClaim(s, func(c claim) bool {
		f.claims.find(c.hash(f.seed), func(n uint32) bool {
			if n != self && hasClaim(f.records.at(n).content, &c) {
				other = n
			}
			return other == 0
		})
		return other == 0
	})
	return other
}

// hasClaim tells whether a content has a claim.
func hasClaim(content string, c *claim) (has bool) {
	s := parsed(content)
	eachClaim(&s, func(d claim) bool {
		has = c.equal(&d)
		return !has
	})
	return has
}

// addClaims notes what a content claims, and what others' packets it takes.
func (f *front) addClaims(s *spec.Spec, n uint32) {
	eachClaim(s, func(c claim) bool { f.claims.add(c.hash(f.seed), n); return true })
	f.addWide(s, n)
}

func (f *front) removeClaims(content string, n uint32) {
	s := parsed(content)
	eachClaim(&s, func(c claim) bool { f.claims.remove(c.hash(f.seed), n); return true })
	f.removeWide(&s, n)
}

// parsed is the spec of a content that was checked.
func parsed(content string) spec.Spec {
	s, err := spec.Parse([]byte(content))
	if err != nil {
		panic("intent: a content that was checked cannot be read: " + err.Error())
	}
	return s
}
