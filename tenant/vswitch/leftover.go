package vswitch

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// discarded is the Output of a Switch that nobody hears of.
type discarded struct{}

func (discarded) Transmit(uint32, uint32, []byte)               {}
func (discarded) PacketIn(*flowtable.PacketIn)                  {}
func (discarded) FlowRemoved(*openflow.FlowRemoved)             {}
func (discarded) PortStatus(openflow.PortReason, openflow.Port) {}
func (discarded) Order(ruleset.Order)                           {}
func (discarded) Refused(Origin, *flowtable.Error)              {}
func (discarded) Confirmed(Origin)                              {}

// leftovers is a Switch as it begins with rules of an earlier run.
type leftovers struct{ *Switch }

// leave has the rules stay in the physical switch of tables that cannot be restored, since what was changed last is not
// known. The tables are empty, as after a restart of a switch; a rule stays until an entry is added in its place, or
// EndLeftover is called, also by whatever deletes entries, takes ports away or changes the space. So packets of hosts are
// forwarded while controllers fill the tables again. Entries that use groups or meters leave nothing.
func (s leftovers) leave(x *Saved) error {
	known, settled := *x, *x.head
	settled.Settled, known.head = true, &settled
	cfg := s.cfg
	cfg.Rows = &Rows{}
	was := New(cfg)
	for _, number := range slices.Sorted(maps.Keys(s.ports)) {
		was.SetPort(openflow.Port{Number: number, Config: s.ports[number]}, s.now, discarded{})
	}
	if err := was.Restore(&known, s.now, discarded{}); err != nil {
		return err
	}
	u := &s.unsaved
	u.release(u.head)
	u.head = &head{record: record{number: x.number, kept: true}}
	for _, o := range x.objects {
		u.withdraw(o.number)
	}
	s.replaying = true // the physical switch has the rules, with the whole of their times
	defer func() { s.replaying = false }()
	s.single.labels = was.single.labels
	for _, e := range x.entries {
		r := was.rows[e.number]
		if r == nil || !r.entry || usesObject(r) {
			u.withdraw(e.number)
			continue
		}
		s.row(r)
	}
	s.single.labels.retain(s.priorities)
	u.list = slices.DeleteFunc(u.list, func(x recorded) bool { return !x.journal().listed })
	return nil
}

// row has the rules of a row of the tables that were stay.
func (s leftovers) row(was *row) {
	r := &row{record: record{number: was.number, kept: true}, incarnation: was.incarnation, place: was.place, told: was.told,
		age: was.age, created: was.created, born: was.born, leftover: true}
	s.rows[r.number], s.byPlace[r.place], s.leftover[r.number] = r, r, r
	s.ages = max(s.ages, r.age)
	s.priorities[r.told.priority]++
	for _, p := range was.parts {
		if p.state == partHidden {
			continue
		}
		own := &part{row: r, place: p.place, rule: p.rule}
		own.count.hash = p.count.hash
		r.parts = append(r.parts, own)
		s.single.rules++
		s.claims[own.place] = append(s.claims[own.place], own)
		s.install(own, false)
	}
	r.listed = false // its record is as it was
	s.settle(r)
}

// withdraw withdraws the record of a number that nothing has.
func (u *unsaved) withdraw(number uint32) {
	x := &row{record: record{number: number, kept: true}}
	u.changed(x)
	u.release(x)
}

// Leftover is how many entries of an earlier run have rules in the physical switch, and are not in a switch's tables.
func Leftover(s *Switch) int { return len(s.leftover) }

// EndLeftover removes the rules of entries that are not in a switch's tables.
func EndLeftover(s *Switch, now time.Duration, out Output) {
	s.begin(Origin{}, now, out)
	s.endLeftover()
}

func (s *physical) endLeftover() {
	if len(s.leftover) == 0 {
		return
	}
	for _, r := range slices.SortedFunc(maps.Values(s.leftover), func(a, b *row) int { return cmp.Compare(a.number, b.number) }) {
		notLeftover(s, r)
		s.unsaved.changed(r)
		s.leaveAll(r)
	}
}

// notLeftover notes that a row is not left over any more: an entry takes it, or its rules go.
func notLeftover(s *physical, r *row) {
	delete(s.leftover, r.number)
	r.leftover = false
	s.givePriority(r.told.priority)
}
