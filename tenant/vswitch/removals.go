package vswitch

import (
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// Bounds of flow-removed messages that wait for the last counters of an entry's rules.
const (
	removalWait        = 2 * time.Second // then they have the counters that are known
	pendingRemovalsMax = 20_000          // more do not wait
)

// pendingRemoval is a flow-removed message of an entry some of whose rules are leaving the physical switch, which says what
// each has counted when it goes.
type pendingRemoval struct {
	told  openflow.FlowRemoved
	ended ruleset.Counts // what parts have counted that had ended before, and what the tables have by themselves
	parts []leavingPart
	until time.Duration
}

// leavingPart is one of the rules.
type leavingPart struct {
	row   uint32 // its number: that of the entry's, or of a micro-flow
	count partCount
	told  ruleset.Counts // what the tables had been told of it, of a micro-flow
	last  uint16         // incarnation
	final bool           // count has the last counters
}

// await holds a flow-removed message of a row's entry until the counters of its rules are final; false if there are none
// that leave, or no room.
func (s Tally) await(m *openflow.FlowRemoved, r *row) bool {
	f := &pendingRemoval{told: *m, ended: r.count.carried, until: s.now + removalWait}
	for _, p := range r.parts {
		if c := &p.count; p.set != nil && !c.other {
			f.parts = append(f.parts, leavingPart{row: r.number, count: *c, last: p.set.Version})
		}
	}
	for flow := range r.flows {
		for _, p := range flow.parts {
			f.parts = append(f.parts, leavingPart{row: flow.number, count: p.count, last: p.set.Version, told: flow.count.told})
		}
	}
	if len(f.parts) == 0 || len(s.pendingRemovals) >= pendingRemovalsMax {
		return false
	}
	if m.Packets != uncounted {
		f.ended.Packets += m.Packets - r.count.told.Packets
		f.ended.Bytes += m.Bytes - r.count.told.Bytes
	}
	f.told.Match = m.Match.Clone()
	s.pendingRemovals = append(s.pendingRemovals, f)
	return true
}

// Removed takes the last counters of an entry that the physical switch has removed.
func (s Tally) Removed(c *ruleset.Counted, now time.Duration, out Output) {
	s.begin(Origin{}, now, out)
	counts := counting{&s.physical}
	if p := counts.partOf(c); p != nil {
		counts.read(p, c.Counts)
	}
	_, number := plan.TenantRow(c.Number)
	microFlows{&s.physical}.late(c, number)
	var known []*pendingRemoval
	s.pendingRemovals = slices.DeleteFunc(s.pendingRemovals, func(f *pendingRemoval) bool {
		is := f.take(c, number, s.cfg.Version == openflow.V10) &&
			!slices.ContainsFunc(f.parts, func(p leavingPart) bool { return !p.final })
		if is {
			known = append(known, f)
		}
		return is
	})
	for _, f := range known {
		s.bid(f)
	}
}

// take takes the last counters of a part of a row, and reports whether they are of one. What was read before counts besides,
// if it was of another counter.
func (f *pendingRemoval) take(c *ruleset.Counted, row uint32, v10 bool) bool {
	for i := range f.parts {
		p := &f.parts[i]
		n := &p.count
		if p.final || p.row != row || n.hash != c.Place || c.Version-n.first > p.last-n.first {
			continue
		}
		if v10 && c.Version != n.last || n.apart(n.last, c.Version) || c.Counts.Packets < n.counts.Packets {
			f.ended.Packets, f.ended.Bytes = f.ended.Packets+n.counts.Packets, f.ended.Bytes+n.counts.Bytes
		}
		n.counts, p.final = c.Counts, true
		return true
	}
	return false
}

// Late sends the flow-removed messages that have waited for as long as they may.
func (s Tally) Late(now time.Duration, out Output) {
	s.begin(Origin{}, now, out)
	Reactive(s).expire()
	microFlows{&s.physical}.over()
	for len(s.pendingRemovals) > 0 && s.pendingRemovals[0].until <= now {
		f := s.pendingRemovals[0]
		s.pendingRemovals = slices.Delete(s.pendingRemovals, 0, 1)
		s.bid(f)
	}
}

// Due returns when Late is to be called; false if nothing waits.
func (s Tally) Due() (at time.Duration, ok bool) {
	if s.micro.reactive || len(s.micro.going) > 0 {
		at, ok = s.micro.tick, true
	}
	if len(s.pendingRemovals) > 0 && (!ok || s.pendingRemovals[0].until < at) {
		at, ok = s.pendingRemovals[0].until, true
	}
	return at, ok
}

// bid sends a flow-removed message, with what is known of counters.
func (s Tally) bid(f *pendingRemoval) {
	sum, known := f.ended, true
	for i := range f.parts {
		p, n := &f.parts[i], &f.parts[i].count.counts
		sum.Packets, sum.Bytes = sum.Packets+n.Packets-p.told.Packets, sum.Bytes+n.Bytes-p.told.Bytes
		known = known && p.final && n.Packets != uncounted && n.Bytes != uncounted
	}
	if known || f.told.Packets != uncounted {
		f.told.Packets, f.told.Bytes = sum.Packets, sum.Bytes
	}
	s.out.FlowRemoved(&f.told)
}
