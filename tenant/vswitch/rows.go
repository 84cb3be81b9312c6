package vswitch

import (
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Rows are the numbers of a tenant's rows, on all its switches. Any goroutine may use it.
type Rows struct {
	// First is the incarnation before the first one of each row: another one in each run, so that what a switch holds of an
	// earlier run is not taken for an entry of this one.
	First uint16

	mu   sync.Mutex
	last uint32
	free []freeRow
}

// freeRow is a number that was used, and its next incarnation: what the switch says late of the one before is known for
// that.
type freeRow struct {
	number      uint32
	incarnation uint16
}

// full reports whether there is no free number, but for a few that other switches may take meanwhile.
func (n *Rows) full() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last >= plan.TenantRowMax-1000 && len(n.free) == 0
}

// hold has numbers count as taken, those of records of an earlier run. It is called once, before any is taken. Those between
// them are free; what the switch says late of rows that had them is known for that, but for chance.
func (n *Rows) hold(numbers []uint32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	slices.Sort(numbers)
	for _, number := range numbers {
		for n.last++; n.last < number; n.last++ {
			n.free = append(n.free, freeRow{n.last, uint16(rand.Uint32())})
		}
	}
}

// take returns a free number.
func (n *Rows) take() freeRow {
	n.mu.Lock()
	defer n.mu.Unlock()
	if last := len(n.free) - 1; last >= 0 {
		row := n.free[last]
		n.free = n.free[:last]
		return row
	}
	n.last++
	return freeRow{n.last, n.First}
}

// give takes a number back.
func (n *Rows) give(row freeRow) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.free = append(n.free, row)
}

// row is a place in the tables, and what is in it or was.
type row struct {
	record
	incarnation uint16
	place       string
	age         uint64 // greater than those of the rows that were there before
	handle      uint32
	leftover    bool   // it has rules of an earlier run (leftovers), and the tables have no entry
	entry       bool   // the tables have an entry; else its rules are being removed
	miss        bool   // it shows what no entry of a table matches
	short       bool   // the physical switch has refused a part of it, a row of misses
	origin      Origin // of the message that ordered it
	told        entryCopy
	created     time.Duration
	born        time.Duration // when it was added or modified last
	whole       *rule         // where the rule of all its packets stands, once it is known; not where all share one table
	parts       []*part
	flow        *microFlow    // which it is, and has no entry; nil: it is none
	flows       map[*row]bool // the micro-flows of its entry, some of them leaving
	late        time.Duration // until then the last counters of a micro-flow of it may come
	count       rowCount
	waits       []*interval // in which it was ordered, and has had no outcome since
}

// entryCopy is what a row's rules are made of, again when ports, groups or meters change.
type entryCopy struct {
	match        openflow.Match
	instructions []openflow.Instruction
	cookie       uint64
	table        uint8
	priority     uint16
	idle, hard   uint16
	flags        openflow.FlowFlags
	v10          bool // the instructions are those of OpenFlow 1.0
	shows        bool // it is a row of misses
}

// answered notes that there is an outcome of all that was ordered.
func (r *row) answered() {
	for _, i := range r.waits {
		i.open--
	}
	r.waits = r.waits[:0]
}

// endsBy returns which time-out has ended a row's entry: where it has both, the hard one if its time has come.
func (r *row) endsBy(now time.Duration) openflow.FlowRemovedReason {
	if r.told.idle == 0 || r.told.hard != 0 && now-r.born >= time.Duration(r.told.hard)*time.Second {
		return openflow.RemovedHard
	}
	return openflow.RemovedIdle
}

// changes is a Switch as the Output of its tables.
type changes Switch

var _ flowtable.EntryOutput = (*changes)(nil)

func (c *changes) Transmit(port, queue uint32, frame []byte) { c.out.Transmit(port, queue, frame) }
func (c *changes) PacketIn(p *flowtable.PacketIn)            { c.out.PacketIn(p) }
func (c *changes) PortStatus(reason openflow.PortReason, p openflow.Port) {
	c.out.PortStatus(reason, p)
}
func (c *changes) FlowRemoved(m *openflow.FlowRemoved) {
	s := (*Switch)(c)
	if !c.silent && !(Tally{s}).await(m, s.removed) {
		c.out.FlowRemoved(m)
	}
}

// EntryAdded orders an entry's rules.
func (c *changes) EntryAdded(e *flowtable.Entry, replaced uint32) {
	s := (*Switch)(c)
	delete(s.byHandle, replaced)
	s.place = appendPlace(s.place[:0], e)
	r := s.byPlace[string(s.place)]
	if r == nil {
		r = s.newRow() // check has seen that there is a number
		r.place = string(s.place)
		s.byPlace[r.place] = r
	}
	if r.leftover {
		notLeftover(&s.physical, r)
	}
	var moved []uint16
	if !r.entry {
		moved = s.takePriority(e.Priority)
		s.ages++
		r.age = s.ages
	}
	r.handle, r.entry, r.created, r.born = e.Handle, true, s.now, s.now
	if s.move(moved); len(moved) > 0 {
		s.endLeftover() // its rules do not move
	}
	s.byHandle[e.Handle] = r
	s.order(r, e)
	microFlows{&s.physical}.entryAdded(e)
	Tally{s}.show(r)
}

// EntryChanged orders an entry's rules as they are now.
func (c *changes) EntryChanged(e *flowtable.Entry) {
	s := (*Switch)(c)
	r := s.byHandle[e.Handle]
	r.born = s.now // its hard time-out begins anew
	microFlows{&s.physical}.entryGone(r)
	s.order(r, e)
	Tally{s}.show(r)
}

// EntryRemoved orders the removal of those of an entry's rules that are there.
func (c *changes) EntryRemoved(handle uint32, _ openflow.FlowRemovedReason) {
	s := (*Switch)(c)
	r := s.byHandle[handle]
	s.removed = r
	delete(s.byHandle, handle)
	delete(s.counters.young, r.number)
	r.entry = false
	s.unsaved.changed(r)
	microFlows{&s.physical}.entryGone(r)
	s.leaveAll(r)
	s.givePriority(r.told.priority)
}

// order orders a row's rules.
func (s *Switch) order(r *row, e *flowtable.Entry) {
	r.origin = s.origin
	match := r.told.match.OXM
	if match == nil {
		match = append([]byte{}, e.Match.OXM...)
	}
	r.told = entryCopy{match: openflow.Match{OXM: match}, instructions: e.Instructions, cookie: e.Cookie,
		table: e.Table, priority: e.Priority, idle: e.Idle, hard: e.Hard, flags: e.Flags, v10: e.V10}
	if e.Anew {
		microFlows{&s.physical}.without(r)
		counting{&s.physical}.anew(r)
	}
	s.unsaved.changed(r)
	s.sync(r, true)
	r.count.anew = false
	s.reach(e.Instructions)
}

// reorder orders the rules anew that do something else, or stand elsewhere, now that ports, groups or meters have changed:
// of the rows that are affected.
func (s *Switch) reorder(affected func(*row) bool) {
	making{s}.setContents()
	list := rowsWhere(s.rows, func(r *row) bool { return (r.entry || r.miss) && affected(r) })
	if s.cfg.Single {
		asTheyMove(&s.physical, list)
	}
	for _, r := range list {
		if s.cfg.Single && !s.micro.reactive && s.tooMany(r) {
			s.refuse(r, tableFull("the entry takes too many rules now"))
			continue
		}
		s.sync(r, false)
	}
}

// asTheyMove puts rows whose rules get other priorities into an order in which none overtakes another: the first one first where
// they rise, the last one where they sink. Where the blocks of its regions do not all do the same, this holds for the first.
func asTheyMove(s *physical, list []*row) {
	last := func(r *row) int {
		if r.miss {
			return -1
		}
		return int(r.told.priority)
	}
	slices.SortStableFunc(list, func(a, b *row) int { return cmp.Compare(last(a), last(b)) })
	for _, r := range list {
		for i, x := range s.singleRules(&r.told) {
			if i < len(r.parts) && x.priority > r.parts[i].rule.priority {
				slices.Reverse(list)
				return
			}
			if i < len(r.parts) && x.priority < r.parts[i].rule.priority {
				return
			}
		}
	}
}

func anyRow(*row) bool { return true }

// rowsWhere returns the rows of which is holds, in the order of their numbers.
func rowsWhere(rows map[uint32]*row, is func(*row) bool) (list []*row) {
	for _, r := range rows {
		if is(r) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *row) int { return cmp.Compare(a.number, b.number) })
	return list
}

// rows is how many orders wait for an outcome.
func (b *barriers) rows() (n int) {
	for _, i := range b.waiting {
		n += i.open
	}
	return n + b.current().open
}

// appendPlace appends the place of an entry: table, priority, match.
func appendPlace(b []byte, e *flowtable.Entry) []byte {
	b = binary.BigEndian.AppendUint16(append(b, e.Table), e.Priority)
	return append(b, e.Match.OXM...)
}

// barriers are those that wait, and what they wait for: each ends an interval of orders.
type barriers struct {
	waiting []*interval // ended, in their order
	last    *interval   // not ended
}

// interval is the time between two barriers.
type interval struct {
	open int // rows that were ordered in it, and have had no outcome since
	who  Origin
}

func (b *barriers) current() *interval {
	if b.last == nil {
		b.last = &interval{}
	}
	return b.last
}

// add ends the current interval with a barrier.
func (b *barriers) add(who Origin) {
	i := b.current()
	i.who = who
	b.waiting, b.last = append(b.waiting, i), nil
}

// answer answers those that wait for nothing any more.
func (b *barriers) answer(out Output) {
	for len(b.waiting) > 0 && b.waiting[0].open == 0 {
		out.Confirmed(b.waiting[0].who)
		b.waiting[0] = nil
		b.waiting = b.waiting[1:]
	}
}
