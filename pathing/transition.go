package pathing

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/topology"
)

// A hitless transition takes packets from one path to another, or from one tree to another, without
// losing any. First, at once, come the rules in whose places the old path has none, or the same: what
// passes there goes where it went. Then those that send elsewhere than the ones that they replace, from
// the egress back, each when those after it are confirmed; and last the rules by which packets enter
// where none entered before. So a packet follows the old path up to the first switch that has been
// written, and from there the new one: it arrives, whatever is confirmed when.
//
// No packet passes a switch twice, either if rules match their port in, or if both paths pass the switches
// that they share in one order. Otherwise the stages have a time between them, in which what is on its
// way arrives (Order.Spacing).

// Finds is what a rule of a new path finds in its place: on its switch, for its match.
type Finds uint8

// What a rule may find.
const (
	Nothing Finds = iota // no rule of the old path
	Same                 // one that sends to the same ports
	Other                // one that sends elsewhere
)

// Rule is a rule of a new path.
type Rule struct {
	Finds   Finds
	Ingress bool // packets enter the path here
	After   int  // the greatest number of hops after it
}

// Stages returns the stage of each rule of a hitless transition. Stage 0 may be empty, the others are not.
func Stages(rules []Rule) []uint16 {
	const atOnce, last = -1, 1 << 20
	rank := make([]int, len(rules))
	for i := range rules {
		switch r := &rules[i]; {
		case r.Finds == Other:
			rank[i] = r.After
		case r.Finds == Nothing && r.Ingress:
			rank[i] = last
		default:
			rank[i] = atOnce
		}
	}
	distinct := slices.Clone(rank)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	if len(distinct) > 0 && distinct[0] == atOnce {
		distinct = distinct[1:]
	}
	stages := make([]uint16, len(rank))
	for i := range rank {
		if rank[i] != atOnce {
			at, _ := slices.BinarySearch(distinct, rank[i])
			stages[i] = uint16(at + 1)
		}
	}
	return stages
}

// Order is the order in which the rules of a path are written. The zero Order is all at once, for a path
// that replaces one that does not work.
type Order struct {
	Stages      []uint16      // by rule: not empty if the transition is hitless
	IngressLast bool          // without stages: all but the rules at the ingress, then these, for a new path
	Spacing     time.Duration // how long packets of one stage may be on their way when the next one is written; 0: any time
}

// of returns the stage of a rule.
func (o *Order) of(rule int, ingress bool) uint16 {
	switch {
	case o.Stages != nil:
		return o.Stages[rule]
	case o.IngressLast && ingress:
		return 1
	}
	return 0
}

// Transition is the rules of a path on their way into switches, stage by stage. Whoever owns it writes
// those of its stage, counts what is confirmed, and goes on. It has one owner.
type Transition struct {
	order       Order
	stage, last uint16
	unconfirmed int32 // rules of the stage
	planned     bool  // it has one of the places of Moves
	began       int64 // Unix nanoseconds
	due         int64 // when the next stage may be written; 0: not computed
}

// Start starts a transition, in place of another. It has no place of Moves.
func (t *Transition) Start(o Order, now time.Time) {
	*t = Transition{order: o, began: now.UnixNano()}
	switch {
	case o.Stages != nil:
		t.last = slices.Max(o.Stages)
	case o.IngressLast:
		t.last = 1
	}
}

// Stage returns the stage whose rules are written, or are not all confirmed.
func (t *Transition) Stage() uint16 { return t.stage }

// StageOf returns the stage of a rule; ingress: packets enter there.
func (t *Transition) StageOf(rule int, ingress bool) uint16 { return t.order.of(rule, ingress) }

// Writes reports whether a rule is one of the stage.
func (t *Transition) Writes(rule int, ingress bool) bool { return t.order.of(rule, ingress) == t.stage }

// Await adds rules of the stage that were written.
func (t *Transition) Await(rules int) { t.unconfirmed += int32(rules) }

// Awaits reports whether rules of the stage are not confirmed.
func (t *Transition) Awaits() bool { return t.unconfirmed > 0 }

// Confirm takes the confirmation of a rule, and reports whether it is the last of the stage.
func (t *Transition) Confirm() bool {
	t.unconfirmed--
	return t.unconfirmed == 0
}

// Due returns when the next stage may be written, all rules of this one being confirmed: at once, or
// later if the transition is spaced. It counts from its first call in a stage.
func (t *Transition) Due(now time.Time) time.Time {
	switch {
	case t.order.Spacing == 0 || t.Last():
		return time.Time{}
	case t.due == 0:
		t.due = now.Add(t.order.Spacing).UnixNano()
	}
	return time.Unix(0, t.due)
}

// Next goes on to the next stage; false: there is none.
func (t *Transition) Next() bool {
	if t.Last() {
		return false
	}
	t.stage, t.due = t.stage+1, 0
	return true
}

// Last reports whether the stage is the last one.
func (t *Transition) Last() bool { return t.stage == t.last }

// Late reports whether a transition has taken longer than StepTimeout.
func (t *Transition) Late(now time.Time) bool { return now.UnixNano() >= t.began+int64(StepTimeout) }

// Planned reports whether a transition has a place of Moves.
func (t *Transition) Planned() bool { return t.planned }

// Moves are the places of an engine for planned transitions. Any goroutine may call it.
type Moves struct{ taken atomic.Int32 }

// Taken returns how many places are taken.
func (m *Moves) Taken() int { return int(m.taken.Load()) }

// Room returns how many places are free.
func (m *Moves) Room() int { return MovesMax - m.Taken() }

// Take gives a transition a place.
func (m *Moves) Take(t *Transition) {
	t.planned = true
	m.taken.Add(1)
}

// Free takes the place of a transition back; false: it had none.
func (m *Moves) Free(t *Transition) bool {
	if !t.planned {
		return false
	}
	t.planned = false
	m.taken.Add(-1)
	return true
}

// Turns reports whether two paths pass some two switches in opposite orders: where rules match no port in,
// a packet between the two would pass one of them twice.
func Turns(from, to []topology.Hop) bool {
	last := -1
	for i := range to {
		at := slices.IndexFunc(from, func(h topology.Hop) bool { return h.DPID == to[i].DPID })
		if at >= 0 && at < last {
			return true
		}
		last = max(last, at)
	}
	return false
}
