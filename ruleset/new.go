package ruleset

import "github.com/weirnet/weir/plan"

// A set of one leg is one allocation with its match. Rules are looked up in random order: of a million sets,
// each allocation that a lookup follows is a cache miss. Both sizes are those of the allocator, 96 and 112 bytes.
type (
	shortSet struct {
		Set
		leg   [1]Leg
		match [shortMatch]byte
	}
	longSet struct {
		Set
		leg   [1]Leg
		match [longMatch]byte
	}
)

const (
	shortMatch = 24 // bytes: the type and two addresses of IPv4 take 22
	longMatch  = 40 // two addresses of IPv4 with masks take 30, or of Ethernet with the type 26
)

// New returns a set of an owner in the forwarding table. It copies the matches and shares the routes.
func New(kind plan.Kind, number uint32, priority uint16, legs ...Leg) *Set {
	s := Set{Kind: kind, Number: number, Table: plan.TableForwarding, Priority: priority}
	switch {
	case len(legs) == 1 && len(legs[0].Match) <= shortMatch:
		c := &shortSet{Set: s}
		c.only(c.leg[:], c.match[:0], &legs[0])
		return &c.Set
	case len(legs) == 1 && len(legs[0].Match) <= longMatch:
		c := &longSet{Set: s}
		c.only(c.leg[:], c.match[:0], &legs[0])
		return &c.Set
	}
	s.Legs = make([]Leg, len(legs))
	for i := range legs {
		s.Legs[i] = Leg{Match: append([]byte(nil), legs[i].Match...), Route: legs[i].Route}
	}
	p := new(Set)
	*p = s
	return p
}

// only gives a set a copy of its only leg, in the memory given.
func (s *Set) only(leg []Leg, match []byte, of *Leg) {
	leg[0] = Leg{Match: append(match, of.Match...), Route: of.Route}
	s.Legs = leg
}
