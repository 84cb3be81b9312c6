package vswitch

import (
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/tenant"
)

// SetSpace has the switch keep to another space, since the tenant's or others' have changed. Groups and entries that would
// lead packets out of it are removed, and the controllers are told as of any removal.
func (s *Switch) SetSpace(space *tenant.Space, frames *Frames, now time.Duration, out Output) {
	s.begin(Origin{}, now, out)
	s.endLeftover()
	was := s.cfg.Space
	s.cfg.Space, s.cfg.Frames = space, frames
	microFlows{&s.physical}.removeAll()
	affected := func(*row) bool { return false }
	groups := listedGroups(s.tables, now)
	for i := range groups {
		g := &groups[i]
		for k := range g.Buckets {
			if space.Keeps(openflow.Match{}, g.Buckets[k].Actions, tenant.AtTheEnd) != nil {
				away := &openflow.GroupMod{Command: openflow.GroupDelete, Group: g.Group}
				_ = s.tables.GroupMod(openflow.V13, away, now, (*changes)(s)) // it is there
				affected = usesObject
				break
			}
		}
	}
	making{s}.noteObjects(objectName{})
	for _, r := range rowsWhere(s.byHandle, func(r *row) bool { return !keeps(space, &r.told) }) {
		s.tables.End(r.handle, openflow.RemovedDelete, now, (*changes)(s))
	}
	if s.cfg.Single && !(was.Same(space) && was.All(s.cfg.DPID) == space.All(s.cfg.DPID)) { // in tables, rules know no space
		s.unsaved.headChanged()
		for _, r := range s.byHandle {
			s.unsaved.changed(r) // its record has the label
		}
		lost := s.single.settleIn(space)
		for _, r := range rowsWhere(s.byHandle, func(r *row) bool { return slices.Contains(lost, r.told.priority) }) {
			s.refuse(r, tableFull("there are fewer priorities now, for more regions"))
		}
		affected = anyRow
	}
	s.reorder(affected)
	microFlows{&s.physical}.turnBack()
}

// keeps reports whether an entry keeps packets in a space, and may be there.
func keeps(space *tenant.Space, e *entryCopy) bool {
	if space.Writable(e.match) != nil {
		return false
	}
	for i := range e.instructions {
		in := &e.instructions[i]
		when := tenant.AtTheEnd
		if in.Type == openflow.InstructionApplyActions {
			when = tenant.AtOnce
		}
		if space.Keeps(e.match, in.Actions, when) != nil {
			return false
		}
	}
	return true
}

// Withdraw orders the removal of all that the physical switch has of the tenant's. Only Outcome is called afterwards.
func (s *Switch) Withdraw(now time.Duration, out Output) {
	s.begin(Origin{}, now, out)
	s.claims = make(map[string][]*part) // nothing takes the places
	s.endLeftover()
	microFlows{&s.physical}.removeAll()
	for _, r := range rowsWhere(s.rows, func(r *row) bool { return r.entry || r.miss }) {
		delete(s.byHandle, r.handle)
		r.entry, r.miss = false, false
		s.unsaved.changed(r)
		s.leaveAll(r)
	}
	for _, name := range (making{s}).madeNames() {
		making{s}.objectGone(name)
	}
	s.unsaved.headGone()
	s.misses.shown, s.micro.reactive = false, false
}
