package ruleset

import "github.com/weirnet/weir/plan"

// compactSet is a set of one leg in one allocation. Rules are looked up in random order: of a
// million sets, each allocation that a lookup follows is a cache miss.
type compactSet struct {
	Set
	leg   [1]Leg
	match [matchRoom]byte
}

// matchRoom is the length of most matches: the type, and masked addresses of IPv4, take 30 bytes.
const matchRoom = 32

// New returns a set of an owner. It copies the matches and shares the routes.
func New(kind plan.Kind, number uint32, priority uint16, legs ...Leg) *Set {
	if len(legs) == 1 && len(legs[0].Match) <= matchRoom {
		c := &compactSet{Set: Set{Kind: kind, Number: number, Priority: priority}}
		c.leg[0] = Leg{Match: append(c.match[:0], legs[0].Match...), Route: legs[0].Route}
		c.Legs = c.leg[:]
		return &c.Set
	}
	p := &Set{Kind: kind, Number: number, Priority: priority, Legs: make([]Leg, len(legs))}
	for i := range legs {
		p.Legs[i] = Leg{Match: append([]byte(nil), legs[i].Match...), Route: legs[i].Route}
	}
	return p
}

// hopOut is a hop with one output, in one allocation.
type hopOut struct {
	Hop
	out [1]uint32
}

// HopOf returns a hop with one output.
func HopOf(at Hop, out uint32) *Hop {
	h := &hopOut{Hop: at, out: [1]uint32{out}}
	h.Out = h.out[:]
	return &h.Hop
}
