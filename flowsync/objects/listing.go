package objects

import (
	"cmp"
	"slices"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset/object"
)

// Listing is what a switch lists of objects that are ours by their numbers, and how many others there are.
type Listing struct {
	// Numbers is what numbers mean in entries that are listed with the objects: those that have the domain's numbers,
	// one for each content.
	Numbers *object.Numbers

	list   []listed // in order of kind and number
	others [kinds][4]int
}

// listed is one object. Its content is nil if nobody of ours writes such a one.
type listed struct {
	numbered
	class   openflow.GroupType
	content object.Object
}

// Read makes a listing of what a switch lists. assigned is what numbers meant when it was asked (Table.Numbers).
func Read(domain uint16, assigned *object.Numbers, listedGroups []openflow.GroupDesc,
	listedMeters []openflow.MeterConfig) *Listing {
	l := &Listing{}
	first, last, ok := plan.SharedNumbers(domain)
	shared := func(n uint32) bool { return ok && first <= n && n <= last }
	contents, _ := object.ReadGroups(listedGroups)
	for i := range listedGroups {
		d := &listedGroups[i]
		if !shared(d.Group) {
			l.others[groups][d.Kind&3]++
			continue
		}
		is := listed{numbered: numbered{groups, d.Group}, class: d.Kind & 3}
		if g := contents[d.Group]; g != nil {
			is.content = g
		}
		l.list = append(l.list, is)
	}
	rates, _ := object.ReadMeters(listedMeters)
	for i := range listedMeters {
		n := listedMeters[i].Meter
		if !shared(n) && (n == 0 || n > plan.MeterInfrastructureLast) { // 0 is no meter, whatever the switch says
			l.others[meters][0]++
			continue
		}
		is := listed{numbered: numbered{meters, n}}
		if m := rates[n]; m != nil {
			is.content = m
		}
		l.list = append(l.list, is)
	}
	slices.SortFunc(l.list, func(a, b listed) int { return a.compare(b.numbered) })
	l.list = slices.CompactFunc(l.list, func(a, b listed) bool { return a.numbered == b.numbered })
	l.resolve(assigned, shared)
	return l
}

func (a numbered) compare(b numbered) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.number, b.number))
}

func compareRows(a, b *row) int {
	if by := (numbered{a.kind, a.number}).compare(numbered{b.kind, b.number}); by != 0 || a.number != 0 {
		return by
	}
	return cmp.Compare(a.content.Key(), b.content.Key())
}

// resolve makes Numbers. A number that was assigned keeps its meaning as long as the switch lists anything under it: what
// has changed there is changed back, and entries that name it are right. If its object has an owner, the number may only be
// proposed, and means what is listed. Of other numbers with one content the least counts.
func (l *Listing) resolve(assigned *object.Numbers, shared func(uint32) bool) {
	l.Numbers = &object.Numbers{Meters: make(map[uint32]*object.Meter), Groups: make(map[uint32]*object.Group)}
	taken := make(map[object.Digest]bool)
	for i := range l.list {
		if is := &l.list[i]; shared(is.number) {
			if o := is.assigned(assigned); o != nil {
				taken[*o.Digest()] = true
				l.mean(is.number, o)
			}
		}
	}
	for i := range l.list {
		is := &l.list[i]
		if is.content == nil || !shared(is.number) || is.assigned(assigned) != nil || taken[*is.content.Digest()] {
			continue
		}
		taken[*is.content.Digest()] = true
		l.mean(is.number, is.content)
	}
}

// assigned is the object to which the number was assigned, nil if it was to none that can be meant.
func (is *listed) assigned(numbers *object.Numbers) object.Object {
	o := contentOf(numbers, is.numbered)
	if o == nil || object.Owner(o) != 0 && (is.content == nil || !object.SameWork(is.content, o)) {
		return nil
	}
	return o
}

func (l *Listing) mean(number uint32, o object.Object) {
	switch o := o.(type) {
	case *object.Meter:
		l.Numbers.Meters[number] = o
	case *object.Group:
		l.Numbers.Groups[number] = o
	}
}

// contentOf returns the content of a number, nil if it is not known.
func contentOf(n *object.Numbers, of numbered) object.Object {
	if m := n.Meter(of.number); of.kind == meters && m != nil {
		return m
	}
	if g := n.Group(of.number); of.kind == groups && g != nil {
		return g
	}
	return nil
}

// Numbers returns what the domain's numbers mean at the switch; nil if there are none. It never changes: another one is
// made when they do.
func (t *rows) Numbers() *object.Numbers {
	if !t.Numbered() { // but rules may have what groups are there
		return noNumbers
	}
	if t.numbersAt != t.renumbered {
		t.numbers, t.numbersAt = t.makeNumbers(), t.renumbered
	}
	return t.numbers
}

var noNumbers = &object.Numbers{}

func (t *rows) makeNumbers() *object.Numbers {
	n := &object.Numbers{Meters: make(map[uint32]*object.Meter), Groups: make(map[uint32]*object.Group)}
	for _, r := range t.byContent {
		switch o := r.content.(type) {
		case *object.Meter:
			if r.number != 0 {
				n.Meters[r.number] = o
			}
		case *object.Group:
			if r.number != 0 {
				n.Groups[r.number] = o
			}
		}
	}
	if len(n.Meters)+len(n.Groups) == 0 {
		return nil
	}
	return n
}

// Compare takes a listing that was made while nothing was in flight and nothing known, and before which nothing was sent.
func (t *Table) Compare(l *Listing) {
	t.others = l.others
	for i := range l.list {
		is := &l.list[i]
		t.yieldTo(is)
		if o := contentOf(l.Numbers, is.numbered); o != nil {
			r := t.byContent[*o.Digest()]
			if r == nil {
				r = t.rowOf(o)
				r.stale = true
			}
			if r.number != is.number {
				t.number(r, is.number)
			}
		}
	}
	found := make(map[*row]bool, len(l.list))
	for i := range l.list {
		is := &l.list[i]
		r := t.listedRow(is)
		found[r] = true
		r.confirmed, r.proposed = is.is(r), false
		if t.set(r, is.heldAs(r)); r.held == something {
			r.other = is.text()
		}
	}
	for _, r := range t.all() {
		if !found[r] {
			t.set(r, nothing)
		}
		t.wakeIfHeld(r)
		t.touch(r)
	}
	t.fixed = nil // all rules are compared now
	t.unpruned = true
}

// yieldTo takes a number from the row to which it is only proposed, if the switch lists another object under it.
func (t *Table) yieldTo(is *listed) {
	if r := t.byNumber[is.kind][is.number]; r != nil && r.proposed && r.flight == nil && !is.is(r) {
		t.yield(r)
	}
}

// listedRow returns the row of a listed number, made if there is none. Nobody wants what is new.
func (t *Table) listedRow(is *listed) *row {
	r := t.byNumber[is.kind][is.number]
	if r == nil {
		r = &row{kind: is.kind, class: is.class, stale: true}
		r.fixed = is.kind == meters && is.number <= plan.MeterInfrastructureLast
		if r.fixed {
			r.content = is.content
		} else {
			t.shared++
		}
		t.number(r, is.number)
		t.unpruned = true
	}
	return r
}

// is reports whether a listed object has a row's content.
func (is *listed) is(r *row) bool {
	return is.content != nil && r.content != nil && object.SameWork(is.content, r.content)
}

// heldAs is what the switch has of a row, if it lists this under the row's number.
func (is *listed) heldAs(r *row) held {
	if is.is(r) {
		return it
	}
	return something
}

func (t *Table) wakeIfHeld(r *row) {
	if r.held == it {
		t.wake(r)
	}
}

// Prune says that what was listed and is not wanted may go: owners have had time to say what they want. sharing: the
// switch has entries of others, who may use meters with fixed numbers.
func (t *Table) Prune(sharing bool) {
	if t.pruning && !t.unpruned && sharing == t.sharing {
		return
	}
	t.pruning, t.unpruned, t.sharing = true, false, sharing
	for _, r := range t.all() {
		if r.stale {
			t.touch(r)
		}
	}
}
