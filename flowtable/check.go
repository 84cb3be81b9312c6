package flowtable

import (
	"errors"
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// Check verifies the invariants of the Switch: its indexes, counts and references must agree.
// It costs as much as there is, and is for tests.
func (s *Switch) Check() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf("flowtable: "+format, args...)) }
	total := 0
	groups, meters := make(map[uint32]int), make(map[uint32]int)
	for id, t := range s.tables {
		if t == nil {
			continue
		}
		total += t.size
		t.check(func(format string, args ...any) { wrong("table %d: "+format, append([]any{id}, args...)...) })
		for _, u := range t.tuples {
			for e := range u.each {
				if int(e.table) != id {
					wrong("an entry of table %d is in table %d", e.table, id)
				}
				countRefs(e.program, groups, meters)
				if s.handles.of != nil && s.handles.of[e.handle] != e {
					wrong("handle %d is not that of its entry", e.handle)
				}
			}
		}
	}
	if total != s.entries {
		wrong("%d entries counted, %d there", s.entries, total)
	}
	if s.handles.of != nil && len(s.handles.of) != total {
		wrong("%d handles of %d entries", len(s.handles.of), total)
	}
	s.checkRefs(groups, meters, wrong)
	for i, p := range s.ports.all {
		if i > 0 && s.ports.all[i-1].Number >= p.Number || s.ports.find(p.Number) != p {
			wrong("port %d is out of place", p.Number)
		}
	}
	return errors.Join(errs...)
}

func countRefs(p *program, groups, meters map[uint32]int) {
	if p.has&hasMeter != 0 {
		meters[p.meter]++
	}
	countGroups(p.apply, groups)
	countGroups(p.write, groups)
}

func countGroups(list []openflow.Action, groups map[uint32]int) {
	for id := range groupsIn(list) {
		groups[id]++
	}
}

// checkRefs compares the references counted with those found in entries and buckets; what is
// referred to must be there.
func (s *Switch) checkRefs(groups, meters map[uint32]int, wrong func(string, ...any)) {
	for _, g := range s.groups {
		for i := range g.buckets {
			countGroups(g.buckets[i].Actions, groups)
		}
	}
	for id, n := range groups {
		if g := s.groups[id]; g == nil || g.refs != n {
			wrong("group %d is referred to %d times, or there is none", id, n)
		}
	}
	for id, n := range meters {
		if m := s.meters[id]; m == nil || m.flows != n {
			wrong("meter %d is used by %d entries, or there is none", id, n)
		}
	}
	for id, g := range s.groups {
		if g.refs != groups[id] {
			wrong("group %d counts %d references of %d", id, g.refs, groups[id])
		}
	}
	for id, m := range s.meters {
		if m.flows != meters[id] {
			wrong("meter %d counts %d entries of %d", id, m.flows, meters[id])
		}
	}
}

// check verifies a table.
func (t *table) check(wrong func(string, ...any)) {
	size, timed := 0, 0
	for i, u := range t.tuples {
		if t.byMask[u.mask] != u {
			wrong("a tuple is not found by its mask")
		}
		if i > 0 && t.tuples[i-1].best < u.best {
			wrong("tuples are not ranked: priority %d before %d", t.tuples[i-1].best, u.best)
		}
		size += u.size
		u.check(wrong)
		for e := range u.each {
			if _, _, ok := e.end(); ok {
				timed++
				if e.place < 0 || int(e.place) >= len(t.heap) || t.heap[e.place] != e {
					wrong("an entry that runs out is not in the heap")
				}
			}
		}
	}
	for i := range t.heap {
		if parent := (i - 1) / 2; i > 0 && t.heap[parent].due > t.heap[i].due {
			wrong("the heap is out of order at %d", i)
		}
	}
	t.cache.check(t, wrong)
	if size != t.size || timed != len(t.heap) || len(t.byMask) != len(t.tuples) {
		wrong("%d entries counted, %d there; %d run out, %d in the heap; %d tuples, %d masks", t.size, size, timed, len(t.heap),
			len(t.tuples), len(t.byMask))
	}
}

// check verifies a tuple.
func (u *tuple) check(wrong func(string, ...any)) {
	matches, size, best := 0, 0, uint16(0)
	for i := range u.slots {
		head := u.slots[i].entry
		if head == nil {
			continue
		}
		matches++
		var f filter
		head.filter(&f)
		if u.find(&f.value) != head {
			wrong("an entry is not found by its match")
		}
		best = max(best, head.priority)
		for e := head; e != nil; e = e.next {
			size++
			if e.tuple != u || e.hash != u.slots[i].hash || e.next != nil && e.next.priority >= e.priority {
				wrong("an entry of priority %d is out of place", e.priority)
			}
		}
	}
	if matches != u.matches || size != u.size || best != u.best || size == 0 {
		wrong("a tuple of %d matches, %d entries, best %d counts %d, %d, %d", matches, size, best, u.matches, u.size, u.best)
	}
}

// check compares what a cache holds with look-ups.
func (c *cache) check(t *table, wrong func(string, ...any)) {
	for i := range c.slots {
		if s := &c.slots[i]; c.fits && s.round == c.round {
			var k words
			for j, w := range c.words {
				k[w] = c.keys[i*len(c.words)+j]
			}
			if e := t.find(&k); e != s.entry {
				wrong("the cache remembers %p where %p is found", s.entry, e)
			}
		}
	}
}
