package vswitch

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Records are those of an earlier run, as they are read from the journal.
type Records struct {
	saved map[uint32]*Saved // by the number of the head's record
	items []recordItem      // of heads that have not been read yet
	bad   []uint32          // records that are of nothing, by their numbers in the journal
}

type recordItem struct {
	number, head uint32
	entry        *savedEntry
	object       *savedObject
	err          error
}

// Saved is what the journal has of a virtual switch.
type Saved struct {
	Tenant  uint16 // its number
	ID      string
	DPID    netview.DPID
	Ports   []uint32
	Numbers []uint32 // of its records in the journal

	head    *headRecord
	number  uint32 // of the head's row
	entries []*savedEntry
	objects []*savedObject
	damage  error
}

// Spoil has the tables not be restored, for a reason.
func (x *Saved) Spoil(why error) { x.damage = why }

// Add takes a record. It holds no part of data.
func (x *Records) Add(number uint32, data []byte) {
	tenant, row := plan.TenantRow(number)
	kind, of, rest, err := headOf(data)
	switch {
	case err != nil:
		x.bad = append(x.bad, number)
	case kind == recordHead:
		h, err := readHead(rest)
		if err != nil {
			x.bad = append(x.bad, number)
			return
		}
		if x.saved == nil {
			x.saved = make(map[uint32]*Saved)
		}
		x.saved[number] = &Saved{Tenant: tenant, ID: h.ID, DPID: h.DPID, Ports: h.Ports, Numbers: []uint32{number}, head: h,
			number: row}
	default:
		item := recordItem{number: number, head: plan.TenantOwner(tenant, of)}
		switch kind {
		case recordEntry:
			item.entry, item.err = readEntry(row, rest)
		case recordUncounted:
			item.object, item.err = readUncounted(row, rest)
		default:
			item.object, item.err = readObject(row, rest)
		}
		x.items = append(x.items, item)
	}
}

// End returns what there is, in no order, and the numbers of records that are of nothing.
func (x *Records) End() (list []*Saved, bad []uint32) {
	bad = x.bad
	for _, i := range x.items {
		s := x.saved[i.head]
		switch {
		case s == nil:
			bad = append(bad, i.number)
			continue
		case i.err != nil:
			s.damage = i.err
		case i.entry != nil:
			s.entries = append(s.entries, i.entry)
		default:
			s.objects = append(s.objects, i.object)
		}
		s.Numbers = append(s.Numbers, i.number)
	}
	for _, s := range x.saved {
		list = append(list, s)
	}
	*x = Records{}
	return list, bad
}

// Hold has the numbers of records of a tenant count as taken. It is called before any other is taken.
func (n *Rows) Hold(records []uint32) {
	rows := make([]uint32, len(records))
	for i := range records {
		_, rows[i] = plan.TenantRow(records[i])
	}
	n.hold(rows)
}

// Free gives the number of a record back that Hold has taken, and that the journal does not have any more.
func (n *Rows) Free(record uint32) {
	_, number := plan.TenantRow(record)
	n.give(freeRow{number, uint16(rand.Uint32())})
}

// Reasons why tables cannot be restored.
var (
	// ErrUnsettled is of tables that may not be as controllers were told. Their rules stay in the physical switch for now
	// (Leftover).
	ErrUnsettled = errors.New("they were being changed when Weir ended, and what was changed last may be missing")
	errForm      = errors.New("the physical switch is another one now, or speaks another version")
)

// Restore gives a switch without entries those of an earlier run, which have the numbers that they had: what the physical
// switch holds stays. The ports of then must be there. After an error, which says why the tables cannot be as they were,
// they are empty; but for ErrUnsettled, the switch is of no use then.
func (s *Switch) Restore(x *Saved, now time.Duration, out Output) error {
	s.begin(Origin{}, now, out)
	h := x.head
	switch {
	case x.damage != nil:
		return x.damage
	case h.ID != s.cfg.ID || h.Single != s.cfg.Single || h.Version != uint8(s.cfg.Version) || h.Tables != s.cfg.Tables,
		h.Reactive && !s.cfg.Reactive:
		return errForm
	case !h.Settled:
		if err := (leftovers{s}).leave(x); err != nil {
			return err
		}
		return ErrUnsettled
	}
	again := restoring{s}
	if h.Reactive {
		microFlows{&s.physical}.turnReactive()
	}
	s.replaying = true
	defer func() { s.replaying, s.restoring = false, nil }()
	s.unsaved.release(s.unsaved.head)
	s.unsaved.head = &head{record: record{number: x.number, kept: true}, settled: true}
	if err := again.objects(x.objects); err != nil {
		return err
	}
	making{s}.setContents()
	slices.SortFunc(x.entries, func(a, b *savedEntry) int { return cmp.Compare(a.age, b.age) })
	again.labels(x)
	for _, e := range x.entries {
		if err := again.entry(e); err != nil {
			return fmt.Errorf("entry %s: %w", &e.flow.Match, err)
		}
	}
	s.single.labels.retain(s.priorities)
	s.unsaved.list = slices.DeleteFunc(s.unsaved.list, func(x recorded) bool { return !x.journal().listed })
	return nil
}

// restoring is a switch that is made as it was.
type restoring struct{ *Switch }

// objects makes groups and meters; groups after those that they lead to.
func (s restoring) objects(list []*savedObject) error {
	var err error
	for waiting := list; len(waiting) > 0; {
		var next []*savedObject
		for _, o := range waiting {
			name := objectName{}
			switch m := o.message.(type) {
			case *openflow.GroupMod:
				if err := (checks{physical: &s.physical}).group(m); err != nil {
					return fmt.Errorf("group %d: %w", m.Group, err)
				}
				name.number, err = m.Group, s.tables.GroupMod(openflow.V13, m, s.now, (*changes)(s.Switch))
			case *openflow.MeterMod:
				name.meter, name.number, err = true, m.Meter, s.tables.MeterMod(openflow.V13, m, s.now, (*changes)(s.Switch))
			}
			if err != nil {
				next = append(next, o)
				continue
			}
			s.object(name, o)
		}
		if len(next) == len(waiting) {
			return err
		}
		waiting = next
	}
	return nil
}

// object has a group or a meter that was made anew count on; one begins to count of which nothing was counted.
func (s restoring) object(name objectName, o *savedObject) {
	made := &madeObject{record: record{number: o.number, kept: true}, message: o.message, incarnation: o.incarnation,
		created: s.now, count: objectCount{carried: o.carried}}
	if o.created.IsZero() {
		s.unsaved.changed(made)
	} else {
		made.created = min(o.created.Sub(s.cfg.Epoch), s.now)
	}
	made.count.from = made.created
	if s.made[name] = made; len(s.made) == 1 || int16(made.incarnation-s.incarnation) > 0 {
		s.incarnation = made.incarnation
	}
	if tables := (flowtable.Objects{Switch: s.tables}); name.meter {
		tables.SetMeterTime(name.number, made.created)
	} else {
		tables.SetGroupTime(name.number, made.created)
	}
}

// labels gives priorities the places that they had, if there are as many places.
func (s restoring) labels(x *Saved) {
	l := &s.single.labels
	if !s.cfg.Single || s.micro.reactive || x.head.Labels != l.size {
		return
	}
	places := make(map[uint16]int)
	for _, e := range x.entries {
		places[e.flow.Priority] = e.label - 1
	}
	for priority, at := range places {
		l.of = append(l.of, label{priority, at})
	}
	slices.SortFunc(l.of, func(a, b label) int { return cmp.Compare(a.priority, b.priority) })
	last := -1
	for _, x := range l.of {
		if x.at <= last || x.at >= l.size {
			l.of = nil // they take places as they come
			return
		}
		last = x.at
	}
}

// entry adds an entry as it was.
func (s restoring) entry(e *savedEntry) error {
	v := openflow.V13
	if e.v10 {
		v = openflow.V10
	}
	if err := s.check(v, e.flow); err != nil {
		return err
	}
	created, born := min(e.created.Sub(s.cfg.Epoch), s.now), min(e.born.Sub(s.cfg.Epoch), s.now)
	r := &row{record: record{number: e.number, kept: true}, incarnation: e.incarnation - 1}
	if e.flow.HardTimeout != 0 && born+time.Duration(e.flow.HardTimeout)*time.Second <= s.now {
		r.incarnation = e.incarnation // which the physical switch may have still
		s.unsaved.changed(r)          // its time is over
		s.unsaved.release(r)
		return nil
	}
	s.restoring = r
	if err := s.tables.FlowMod(v, e.flow, s.now, (*changes)(s.Switch)); err != nil {
		return err
	}
	if s.restoring != nil || s.byPlace[e.place()] != r {
		return &flowtable.Error{Code: openflow.FlowModFailedUnknown, Reason: "two stand in one place"}
	}
	r.age, r.created, r.born = e.age, created, born
	s.ages = max(s.ages, e.age)
	s.tables.SetTimes(r.handle, created, born)
	r.count.carried = e.carried
	if r.incarnation == e.incarnation && (!s.cfg.Single || s.micro.reactive || s.single.labels.at(e.flow.Priority) == e.label-1) {
		r.listed = false // its record is as it was
	}
	return nil
}
