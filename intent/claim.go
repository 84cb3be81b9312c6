package intent

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

// conflicting returns another intent that has a claim of s; 0 without one.
func (adm *admission) conflicting(s *spec.Spec, self uint32) (other uint32) {
	eachClaim(s, func(c claim) bool {
		adm.claims.Find(c.hash(adm.seed), func(n uint32) bool {
			if n != self && adm.hasClaim(adm.content(n), &c) {
				other = n
			}
			return other == 0
		})
		return other == 0
	})
	return other
}

// hasClaim reports whether a content has a claim.
func (adm *admission) hasClaim(content string, c *claim) (has bool) {
	eachClaim(adm.reader.Read(content), func(d claim) bool {
		has = c.equal(&d)
		return !has
	})
	return has
}

// hold notes that an intent is accepted with a content: it holds its claims from now on.
func (adm *admission) hold(s *spec.Spec, n uint32) {
	eachClaim(s, func(c claim) bool { adm.claims.add(c.hash(adm.seed), n); return true })
	adm.holdSource(s, n)
}

// release undoes hold.
func (adm *admission) release(content string, n uint32) {
	s := adm.reader.Read(content)
	eachClaim(s, func(c claim) bool { adm.claims.Remove(c.hash(adm.seed), n); return true })
	adm.releaseSource(s, n)
}
