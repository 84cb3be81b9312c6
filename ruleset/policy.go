package ruleset

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Policy is what an owner wants done when something happens to its rules. What that is of each policy is in
// flowsync/policy.go.
type Policy uint8

const (
	Ordered  Policy = iota // each order is answered, and ends when the switch refuses it: intents
	Desired                // what the view desires stays desired, and has a status there
	Found                  // an entry that a switch held, and nobody has ordered
	Mortal                 // as Ordered, of rules with time-outs: that the switch lets one end is an outcome, and no drift
	Leftover               // a soft entry of an earlier run, to be removed early
	Policies               // how many there are
)

// matchRoom is for the prerequisites that most matches of the view leave out.
const matchRoom = 16

// FromView returns a rule of the view as a set of one rule that has these instructions, which it retains: the rule's or,
// where the switch has no such meter, those without it.
func FromView(r *netview.Rule, instructions []openflow.Instruction) *Set {
	c := plan.Decode(r.Cookie)
	in, match := CutInPort(r.Match.AppendCanonical(make([]byte, 0, len(r.Match.OXM)+matchRoom)))
	s := &struct { // one allocation
		Set
		leg   [1]Leg
		hops  [1]*Hop
		route Route
		hop   Hop
	}{
		Set: Set{Kind: c.Kind, Number: c.Owner, Version: c.Version, Table: r.Table, Priority: r.Priority, Policy: Desired},
		hop: Hop{DPID: r.DPID, In: in, Do: Do(in, instructions)},
	}
	s.hops[0] = &s.hop
	s.route.Hops = s.hops[:]
	s.leg[0] = Leg{Match: match, Route: &s.route}
	s.Legs = s.leg[:]
	return &s.Set
}
