package vswitch

import (
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// CounterKind is of what counters are.
type CounterKind uint8

// The kinds of counters.
const (
	OfEntries CounterKind = iota
	OfGroups
	OfMeters
	CounterKinds
)

// Counters are what the physical switch has counted for the tenant, as it said when it was asked.
type Counters struct {
	Kind            CounterKind
	Asked, Answered time.Duration
	List            []ruleset.Counted // of rows, if they are of entries
	Objects         []ObjectCounted   // of groups or meters that it was known to have
}

// recent is how old counters may be of which an entry that came since is said to have counted nothing.
const recent = 2 * time.Second

// uncounted is the value of a counter that a switch does not have.
const uncounted = ^uint64(0)

// counters is what a virtual switch knows of the counters of its rows.
type counters struct {
	known bool            // some were read
	asked time.Duration   // those that were read last
	young map[uint32]*row // entries whose counters have begun since, by number
	open  bool            // of the young ones it is not known what they have counted
}

// rowCount is what is known of what a row's entry has counted since its counters began.
type rowCount struct {
	carried ruleset.Counts // by parts that have ended, and by counters before those of now
	told    ruleset.Counts // to the tables, of it all
	from    time.Duration  // when they began
	anew    bool           // the call that is under way has them begin anew
	grown   time.Duration  // when the last micro-flow of it was ordered
	lacking bool           // a part that is installed was not among the counters read last
}

// partCount is what is known of what a part has counted. The counter of the physical switch goes on where an entry replaces
// another in its place, unless it is ordered to begin anew (ruleset.Set.Anew). In OpenFlow 1.0 each incarnation that is written
// has a counter of its own.
type partCount struct {
	hash      uint64         // of its place
	counts    ruleset.Counts // of the counter that was read last
	last      uint16         // the incarnation that they are of
	first     uint16         // the first one whose counter is the entry's
	later     []uint16       // those after it, of which one may be in the switch, whose counters begin anew
	other     bool           // the part is of an entry before, and is leaving
	installed time.Duration  // when the switch had the rule at the latest
	read      time.Duration  // when the counters were asked for that had it last
}

// laterMax is how many incarnations are remembered whose counters begin anew.
const laterMax = 16

// replayedMax is how many incarnations before the one that is restored may be that of the entry.
const replayedMax = 1<<15 - 1

// apart reports whether two incarnations, in the order in which they were seen, have counters of their own.
func (c *partCount) apart(a, b uint16) bool {
	return slices.ContainsFunc(c.later, func(x uint16) bool { return a-c.first < x-c.first && x-c.first <= b-c.first })
}

// confirm notes that the switch has the last incarnation of a part that was ordered.
func (s counting) confirm(p *part) {
	c := &p.count
	if n := len(c.later); n > 0 {
		if c.apart(c.last, c.later[n-1]) {
			s.carry(p)
			c.last = c.later[n-1]
		}
		c.first, c.later = c.later[n-1], nil
	}
}

// Tally is a Switch as who brings it counters, and who asks for them, see it.
type Tally struct{ *Switch }

// Asked returns when the physical switch was asked for the counters of a kind that are known; false if none are.
func (s Tally) Asked(k CounterKind) (asked time.Duration, ok bool) {
	if k == OfEntries {
		return s.counters.asked, s.counters.known
	}
	return s.objectCounters[k].asked, s.objectCounters[k].known
}

// Count takes counters of the physical switch. What it lists of others, or of what has gone since, does nothing.
func (s Tally) Count(c *Counters, now time.Duration, out Output) {
	s.begin(Origin{}, now, out)
	if asked, known := s.Asked(c.Kind); known && c.Asked <= asked {
		return
	}
	if c.Kind != OfEntries {
		s.countObjects(c)
		return
	}
	s.counters.known, s.counters.asked, s.counters.open = true, c.Asked, false
	counts := counting{&s.physical}
	for i := range c.List {
		x := &c.List[i]
		p := counts.partOf(x)
		if p == nil {
			continue
		}
		if s.cfg.Version == openflow.V10 && x.Version != p.count.last || p.count.apart(p.count.last, x.Version) {
			counts.carry(p)
		}
		counts.read(p, x.Counts)
		p.count.last, p.count.read = x.Version, c.Asked
	}
	flows := microFlows{&s.physical}
	for r := range s.micro.flows {
		flows.publish(r)
	}
	for _, r := range s.byHandle {
		r.count.lacking = false
		for flow := range r.flows {
			r.count.lacking = r.count.lacking || flow.lacks(c.Asked)
		}
		r.count.lacking = r.count.lacking || r.lacks(c.Asked)
		s.publish(r)
		if max(r.count.from, r.count.grown) < c.Asked {
			delete(s.counters.young, r.number)
		}
		s.show(r)
	}
}

// lacks reports whether a part of a row is installed that was not among the counters asked for at a time.
func (r *row) lacks(asked time.Duration) bool {
	return slices.ContainsFunc(r.parts, func(p *part) bool {
		return p.state == partInstalled && p.count.installed < asked && p.count.read < asked
	})
}

// Look prepares the tables for a question about counters: of entries whose counters have begun since those of the physical
// switch were read nothing is known, if that is long ago.
func (s Tally) Look(now time.Duration) {
	c := &s.counters
	open := !c.known || now-c.asked > recent
	if open == c.open {
		return
	}
	c.open = open
	for _, r := range c.young {
		s.show(r)
	}
}

// show has the tables show what an entry has counted, or that it is not known.
func (s Tally) show(r *row) {
	s.tables.SetUncounted(r.handle, r.count.lacking || s.counters.open && s.counters.young[r.number] == r)
}

// counting is what is known of parts' counters.
type counting struct{ *physical }

// partOf returns the part that has a counter; nil if none has it any more.
func (s counting) partOf(c *ruleset.Counted) *part {
	_, number := plan.TenantRow(c.Number)
	r := s.rows[number]
	if r == nil || c.Counts.Packets == uncounted || c.Counts.Bytes == uncounted {
		return nil
	}
	for _, p := range r.parts {
		if p.count.hash == c.Place && p.set != nil && !p.count.other && c.Version-p.count.first <= p.set.Version-p.count.first {
			return p
		}
	}
	return nil
}

// read takes what a part's counter says. One that has gone back has begun anew: the switch had lost the entry.
func (s counting) read(p *part, now ruleset.Counts) {
	if was := p.count.counts; now.Packets < was.Packets || now.Bytes < was.Bytes {
		s.carry(p)
	}
	p.count.counts = now
}

// carry gives what a part has counted to its row: its counter has gone, or begins anew.
func (s counting) carry(p *part) {
	if p.count.counts != (ruleset.Counts{}) {
		s.unsaved.changed(p.row)
	}
	c := &p.row.count.carried
	c.Packets, c.Bytes = c.Packets+p.count.counts.Packets, c.Bytes+p.count.counts.Bytes
	p.count.counts = ruleset.Counts{}
}

// begin is called before a part's rule is ordered, and returns whether its counter begins anew: unless it replaces a rule of
// the part itself, which has replaced what stood there before.
func (s counting) begin(p *part, replaces bool) (anew bool) {
	c, now := &p.count, p.row.incarnation
	if s.replaying { // the switch has one of the last, with its counter
		c.first, c.last = now-replayedMax, now
		return false
	}
	if replaces && !p.row.count.anew && !(p.state == partOrdered && p.set.Anew) {
		return false
	}
	if p.set == nil || c.other || p.row.count.anew {
		c.first, c.last, c.later, c.other = now, now, nil, false
		return true
	}
	if c.later = append(c.later, now); len(c.later) > laterMax {
		c.later = slices.Delete(c.later, 0, 1)
	}
	return true
}

// anew has the counters of a row's entry begin anew.
func (s counting) anew(r *row) {
	for _, p := range r.parts {
		p.count.counts, p.count.other = ruleset.Counts{}, true
	}
	r.count = rowCount{from: s.now, anew: true}
	s.counters.young[r.number] = r
}

// publish tells the tables what a row's entry has counted since they were told last.
func (s Tally) publish(r *row) {
	sum := r.count.carried
	for _, p := range r.parts {
		sum.Packets, sum.Bytes = sum.Packets+p.count.counts.Packets, sum.Bytes+p.count.counts.Bytes
	}
	told := &r.count.told
	s.tables.AddCounts(r.handle, sum.Packets-told.Packets, sum.Bytes-told.Bytes)
	*told = sum
}
