package vswitch

import (
	"fmt"
	"slices"
)

// Check verifies the invariants of a Switch. It costs as much as there is, and is for tests.
func (s *Switch) Check() error {
	if err := s.tables.Check(); err != nil {
		return err
	}
	if n := s.tables.Entries(); n != len(s.byHandle) {
		return fmt.Errorf("vswitch: %d rows with an entry, the tables have %d", len(s.byHandle), n)
	}
	for handle, r := range s.byHandle {
		if !r.entry || r.handle != handle || s.rows[r.number] != r {
			return fmt.Errorf("vswitch: row %d of handle %d is %+v", r.number, handle, r)
		}
	}
	if len(s.rows) != len(s.byPlace) {
		return fmt.Errorf("vswitch: %d rows in %d places", len(s.rows), len(s.byPlace))
	}
	open := 0
	for number, r := range s.rows {
		if r.number != number || s.byPlace[r.place] != r {
			return fmt.Errorf("vswitch: row %d is %+v", number, r)
		}
		if r.leftover != (s.leftover[number] == r) || r.leftover && r.entry {
			return fmt.Errorf("vswitch: row %d is left over: %+v", number, r)
		}
		if !r.entry && !r.miss && !r.leftover && r.flow == nil && !r.pending() || r.pending() != (len(r.waits) > 0) {
			return fmt.Errorf("vswitch: row %d %+v waits for %d intervals", number, r, len(r.waits))
		}
		open += len(r.waits)
		if err := s.checkParts(r); err != nil {
			return err
		}
	}
	for _, i := range append(s.barriers.waiting, s.barriers.current()) {
		open -= i.open
	}
	if open != 0 {
		return fmt.Errorf("vswitch: barriers wait for %d rows less than wait for an outcome", open)
	}
	return Reactive{s}.checkFlows()
}

// checkFlows verifies that micro-flows are where they are looked for, and entries know theirs.
func (s Reactive) checkFlows() error {
	if n := len(s.single.labels.of); s.cfg.Single && n != len(s.priorities) && (n > 0 || !s.micro.reactive) {
		return fmt.Errorf("vswitch: %d labels of %d priorities, reactive %t", n, len(s.priorities), s.micro.reactive)
	}
	if len(s.micro.flows) != len(s.micro.byPlace) || len(s.micro.flows) > 0 && !s.micro.reactive {
		return fmt.Errorf("vswitch: %d micro-flows in %d places, reactive %t", len(s.micro.flows), len(s.micro.byPlace), s.micro.reactive)
	}
	for _, r := range s.rows {
		if r.flow == nil {
			continue
		}
		live := s.micro.flows[r]
		if len(r.parts) != 1 || live != (r.parts[0].state != partLeaving) || live != (s.micro.byPlace[r.parts[0].place] == r) {
			return fmt.Errorf("vswitch: micro-flow %+v, of those that are %t", r, live)
		}
		for _, e := range r.flow.entries {
			if !e.flows[r] || live && !e.entry {
				return fmt.Errorf("vswitch: micro-flow %+v of row %+v, which does not know it, or has no entry", r, e)
			}
		}
	}
	for _, r := range s.byHandle {
		for flow := range r.flows {
			if s.rows[flow.number] != flow || !slices.Contains(flow.flow.entries, r) {
				return fmt.Errorf("vswitch: row %+v has a micro-flow that is gone, or of others: %+v", r, flow)
			}
		}
	}
	return nil
}

// checkParts verifies that a row's parts are what it is to have, and that each has its place or is behind the one that has.
func (s *physical) checkParts(r *row) error {
	wanted := 0
	for _, p := range r.parts {
		has := len(s.claims[p.place]) > 0 && s.claims[p.place][0] == p
		if has != (p.state == partOrdered || p.state == partInstalled) || has && p.set == nil || r.at(p.place) != p {
			return fmt.Errorf("vswitch: row %d, part %+v: has its place %t", r.number, p, has)
		}
		if p.state != partLeaving {
			wanted++
		}
	}
	if !r.entry && (!r.miss || r.short) {
		if wanted > 0 && !r.miss && !r.leftover && r.flow == nil {
			return fmt.Errorf("vswitch: row %d has no entry, and %d parts", r.number, wanted)
		}
		return nil
	}
	rules := s.rulesOf(r)
	for i := range rules {
		if p := r.at(rules[i].place()); p == nil || p.state == partLeaving || !p.rule.do.Equal(rules[i].do) {
			return fmt.Errorf("vswitch: row %d has not %+v but %+v", r.number, rules[i], p)
		}
	}
	if len(rules) != wanted {
		return fmt.Errorf("vswitch: row %d has %d parts of %d", r.number, wanted, len(rules))
	}
	return nil
}
