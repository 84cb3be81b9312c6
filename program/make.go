package program

import "github.com/weirnet/weir/plan"

// compact is a program of one leg in one piece of memory. Rules of programs are looked up in no order, and of a million programs each piece of one that is
// looked at has to come from memory.
type compact struct {
	Program
	leg   [1]Leg
	match [matchRoom]byte
}

// matchRoom is the length of most matches: the type, and masked addresses of IPv4, take 30 bytes.
const matchRoom = 32

// Of is a program of an owner, with memory of its own but for routes.
func Of(kind plan.Kind, number uint32, priority uint16, legs ...Leg) *Program {
	if len(legs) == 1 && len(legs[0].Match) <= matchRoom {
		c := &compact{Program: Program{Kind: kind, Number: number, Priority: priority}}
		c.leg[0] = Leg{Match: append(c.match[:0], legs[0].Match...), Route: legs[0].Route}
		c.Legs = c.leg[:]
		return &c.Program
	}
	p := &Program{Kind: kind, Number: number, Priority: priority, Legs: make([]Leg, len(legs))}
	for i := range legs {
		p.Legs[i] = Leg{Match: append([]byte(nil), legs[i].Match...), Route: legs[i].Route}
	}
	return p
}

// oneOut is a hop of one port out in one piece of memory.
type oneOut struct {
	Hop
	out [1]uint32
}

// HopOf is a hop of one port out.
func HopOf(at Hop, out uint32) *Hop {
	h := &oneOut{Hop: at, out: [1]uint32{out}}
	h.Out = h.out[:]
	return &h.Hop
}
