package vswitch

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// part is one of a row's rules. Most rows have one.
type part struct {
	row   *row
	place string // in the physical switch
	rule  rule
	set   *ruleset.Set // that was ordered last
	state partState
	stays bool // scratch of sync: it is to be there
	count partCount

	// Of idle time-outs: the last time in which it is known that no packet met it.
	idleFrom, idleTo time.Duration
}

// rule is what the physical switch is to have.
type rule struct {
	table    uint8
	priority uint16
	in       uint32
	match    []byte // canonical, without in_port
	do       *ruleset.Behaviour
	at       string // place, if it is known
}

// place is where a rule stands: table, priority, match.
func (x *rule) place() string {
	if x.at != "" {
		return x.at
	}
	b := binary.BigEndian.AppendUint16([]byte{x.table}, x.priority)
	return string(ruleset.AppendMatch(b, x.in, x.match))
}

// partState is what is known of a part.
type partState uint8

const (
	partHidden    partState = iota // another row's rule of the same priority stands in its place, and takes its packets
	partOrdered                    // no outcome is known
	partInstalled                  // in the physical switch
	partLeaving                    // its removal is ordered
)

// physical is what the physical switch is to have of a virtual one.
type physical struct {
	cfg        Config
	tables     *flowtable.Switch
	ports      ports
	contents   contents
	rows       map[uint32]*row // by number
	byHandle   map[uint32]*row // whose entry is there
	byPlace    map[string]*row
	misses     misses
	claims     map[string][]*part // by place, who wants it; the first has it
	priorities map[uint16]int     // how many entries have it
	barriers   barriers
	counters   counters
	made       map[objectName]*madeObject
	single     single  // of Config.Single
	micro      micro   // of Config.Reactive
	ages       uint64  // of rows, the greatest
	scratch    [1]rule // of rulesOf
	place      []byte  // scratch of EntryAdded
	unsaved    unsaved
	leftover   map[uint32]*row // rows that have only rules of an earlier run, by number
	restoring  *row            // what newRow returns next
	replaying  bool            // Restore is under way

	objectCounters [CounterKinds]objectCounters // of groups and of meters
	incarnation    uint16                       // of the group or meter that was made or changed last

	out    Output
	origin Origin // of the call that is under way
	now    time.Duration
}

func newPhysical(cfg Config) physical {
	s := physical{cfg: cfg, ports: make(ports), micro: micro{flows: make(map[*row]bool), byPlace: make(map[string]*row),
		gone: make(map[goneName]*goneFlow), most: MicroFlowsMax},
		tables: flowtable.New(flowtable.Config{Tables: int(cfg.Tables), MaxEntries: cfg.MaxEntries, Handles: true}),
		rows:   make(map[uint32]*row), byHandle: make(map[uint32]*row),
		byPlace: make(map[string]*row), claims: make(map[string][]*part), priorities: make(map[uint16]int),
		leftover: make(map[uint32]*row), made: make(map[objectName]*madeObject), incarnation: cfg.Rows.First,
		counters: counters{young: make(map[uint32]*row), open: true}}
	if cfg.Single {
		s.single.settleIn(cfg.Space)
	}
	return s
}

// newRow returns a row with a number.
func (s *physical) newRow() *row {
	r := s.restoring
	if s.restoring = nil; r == nil {
		n := s.cfg.Rows.take()
		r = &row{record: record{number: n.number}, incarnation: n.incarnation}
	}
	s.rows[r.number] = r
	return r
}

// sync orders what a row's rules are to be now and are not, or all of them anew; then the removal of those that are not to
// be any more.
func (s *physical) sync(r *row, anew bool) {
	next := r.incarnation + 1
	for _, p := range r.parts {
		p.stays = false
	}
	for _, x := range s.rulesOf(r) {
		place := x.place()
		p := r.at(place)
		if p == nil {
			p = &part{row: r, place: place}
			p.count.hash = ruleset.HashPlace(x.in, x.priority, x.match)
			r.parts = append(r.parts, p)
			s.single.rules++
		}
		p.stays = true
		wanted := p.set != nil && p.state != partLeaving || p.state == partHidden && slices.Contains(s.claims[place], p)
		if wanted && !anew && p.rule.do.Equal(x.do) {
			continue
		}
		p.rule, p.idleFrom, p.idleTo = x, 0, 0
		if !wanted {
			s.claims[place] = append(s.claims[place], p)
		}
		if s.claims[place][0] == p {
			r.incarnation = next
			s.install(p, wanted)
		} else {
			p.state, p.set = partHidden, nil
		}
	}
	if slices.ContainsFunc(r.parts, func(p *part) bool { return !p.stays }) {
		for _, p := range slices.Clone(r.parts) {
			if !p.stays {
				s.leave(p)
			}
		}
	}
	s.settle(r)
}

// at returns the part that stands in a place of the physical switch, or is leaving it; nil if there is none.
func (r *row) at(place string) *part {
	for _, p := range r.parts {
		if p.place == place {
			return p
		}
	}
	return nil
}

// ordered returns the part of which a set is the rule; nil if that was ordered before.
func (r *row) ordered(set *ruleset.Set) *part {
	for _, p := range r.parts {
		if p.set == set {
			return p
		}
	}
	return nil
}

// install orders a part's rule, in the row's incarnation; replaces: it takes the place of one of the part's own. What is left of
// its hard time-out is counted from the beginning of the entry; but for one that is restored, which the physical switch has with
// its whole time, and knows since when.
func (s *physical) install(p *part, replaces bool) {
	r, t := p.row, &p.row.told
	route := new(struct {
		ruleset.Route
		hop  ruleset.Hop
		hops [1]*ruleset.Hop
	})
	route.hop = ruleset.Hop{DPID: s.cfg.DPID, In: p.rule.in, Do: p.rule.do}
	route.hops[0] = &route.hop
	route.Hops = route.hops[:]
	set := ruleset.New(plan.KindTenant, plan.TenantOwner(s.cfg.Tenant, r.number), p.rule.priority,
		ruleset.Leg{Match: p.rule.match, Route: &route.Route})
	set.Table, set.Version = p.rule.table, r.incarnation
	if set.Idle, set.Hard = t.idle, t.hard; set.Mortal() {
		set.Policy = ruleset.Mortal
	}
	if t.hard != 0 && !s.replaying {
		left := int64(t.hard) - int64((s.now-r.born)/time.Second)
		set.Hard = uint16(max(left, 1))
	}
	set.Anew = counting{s}.begin(p, replaces)
	p.set, p.state = set, partOrdered
	s.put(r, ruleset.Order{Rules: set})
}

// leave orders the removal of a part's rule, and the rule of the part that wants its place.
func (s *physical) leave(p *part) {
	switch p.state {
	case partLeaving:
		return
	case partHidden:
		s.drop(p)
		return
	}
	p.state = partLeaving
	s.put(p.row, ruleset.Order{Rules: p.set, Remove: true})
	s.unclaim(p)
}

// leaveAll has all of a row leave.
func (s *physical) leaveAll(r *row) {
	for _, p := range slices.Clone(r.parts) {
		s.leave(p)
	}
	s.settle(r)
}

// drop forgets a part whose rule the physical switch does not have.
func (s *physical) drop(p *part) {
	counting{s}.carry(p)
	p.row.parts = slices.DeleteFunc(p.row.parts, func(q *part) bool { return q == p })
	s.single.rules--
	s.unclaim(p)
}

// unclaim gives up a part's place.
func (s *physical) unclaim(p *part) {
	list := s.claims[p.place]
	i := slices.Index(list, p)
	if i < 0 {
		return
	}
	if list = slices.Delete(list, i, i+1); len(list) == 0 {
		delete(s.claims, p.place)
		return
	}
	s.claims[p.place] = list
	if i == 0 {
		list[0].row.incarnation++
		s.install(list[0], false)
	}
}

// put gives an order, whose outcome barriers wait for from now on.
func (s *physical) put(r *row, o ruleset.Order) {
	s.unsaved.changed(r)
	if i, n := s.barriers.current(), len(r.waits); n == 0 || r.waits[n-1] != i {
		i.open++
		r.waits = append(r.waits, i)
	}
	s.out.Order(o)
}

// settle notes whether a row waits for no outcome any more, and forgets one that has nothing left.
func (s *physical) settle(r *row) {
	if r.pending() {
		return
	}
	r.answered()
	if r.leftover && len(r.parts) == 0 {
		notLeftover(s, r)
		s.unsaved.changed(r)
	}
	if r.entry || r.miss || len(r.parts) > 0 || s.rows[r.number] != r {
		return
	}
	delete(s.rows, r.number)
	delete(s.byPlace, r.place)
	s.unsaved.release(r)
}

// pending reports whether an outcome is awaited.
func (r *row) pending() bool {
	return slices.ContainsFunc(r.parts, func(p *part) bool { return p.state == partOrdered || p.state == partLeaving })
}

// idled takes the end of a part by its idle time-out at a time, and reports whether the whole entry has ended: there was a
// time as long as the time-out in which no packet met any of its parts. Else the part is put back.
func (r *row) idled(p *part, last *ruleset.Counts, now time.Duration) bool {
	idle := time.Duration(r.told.idle) * time.Second
	if last != nil && last.Packets > 0 || p.idleTo == 0 {
		p.idleFrom = now - idle
	} // else: put back at idleTo, and met by none since
	p.idleTo = now
	from, to := p.idleFrom, now
	for _, q := range r.parts {
		if q.state != partHidden && q.state != partLeaving {
			from, to = max(from, q.idleFrom), min(to, q.idleTo)
		}
	}
	return to-from >= idle
}
