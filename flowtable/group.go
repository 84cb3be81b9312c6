package flowtable

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
)

// group is a group with its counters.
type group struct {
	id      uint32
	kind    openflow.GroupType
	buckets []bucket
	refs    int // entries and buckets that send to it
	packets uint64
	bytes   uint64
	created time.Duration

	judged uint64 // the call in which lives was found; ports and groups do not change within one
	live   bool
}

// bucket is a bucket of a group with its counters.
type bucket struct {
	openflow.Bucket                    // as it was given
	ordered         []*openflow.Action // as an action set: in the order in which they are done
	packets         uint64
	bytes           uint64
}

// groupMax is the highest number of a group, OFPG_MAX.
const groupMax = 0xffffff00

// GroupMod changes the groups as a controller of OpenFlow 1.3 asks. The error is an *Error; then
// nothing has changed.
func (s *Switch) GroupMod(_ openflow.Version, m *openflow.GroupMod, now time.Duration, out Output) error {
	s.begin(now, out)
	defer s.end()
	switch m.Command {
	case openflow.GroupAdd, openflow.GroupModify:
		return s.setGroup(m)
	case openflow.GroupDelete:
		return s.deleteGroups(m)
	}
	return refuse(openflow.GroupModFailedBadCommand, "group_mod with command %d", m.Command)
}

// setGroup adds a group, or changes the one that is there: that keeps its own counters, and its
// buckets begin anew.
func (s *Switch) setGroup(m *openflow.GroupMod) error {
	if err := checkForm(m); err != nil {
		return err
	}
	old, adds := s.groups[m.Group], m.Command == openflow.GroupAdd
	switch {
	case adds && old != nil:
		return refuse(openflow.GroupModFailedGroupExists, "group %d is there already", m.Group)
	case adds && len(s.groups) >= s.cfg.MaxGroups:
		return refuse(openflow.GroupModFailedOutOfGroups, "%d groups", len(s.groups))
	case !adds && old == nil:
		return refuse(openflow.GroupModFailedUnknownGroup, "group %d, which there is not", m.Group)
	}
	if err := s.checkGroup(m); err != nil {
		return err
	}
	g := &group{id: m.Group, kind: m.Kind, created: s.now}
	if old != nil {
		g.refs, g.packets, g.bytes, g.created = old.refs, old.packets, old.bytes, old.created
		s.referBuckets(old, -1)
	}
	g.buckets = make([]bucket, len(m.Buckets))
	for i := range g.buckets {
		b := &g.buckets[i]
		b.Bucket = m.Buckets[i]
		b.Actions = copyActions(b.Actions)
		var set actionSet
		set.write(b.Actions)
		if set.ends() {
			b.ordered = set.appendOrdered(nil)
		}
	}
	if s.groups == nil {
		s.groups = make(map[uint32]*group)
	}
	s.groups[m.Group] = g
	s.referBuckets(g, 1)
	return nil
}

// checkGroup checks a group that is to be added or changed.
func (s *Switch) checkGroup(m *openflow.GroupMod) error {
	seen := make(map[uint32]bool)
	for i := range m.Buckets {
		b := &m.Buckets[i]
		if err := s.checkBucket(m, b); err != nil {
			return err
		}
		if s.leadsTo(b, m.Group, seen) {
			return refuse(openflow.GroupModFailedLoop, "bucket %d leads back to group %d", i, m.Group)
		}
	}
	return nil
}

// checkForm checks what is wrong of a group-mod whatever groups there are.
func checkForm(m *openflow.GroupMod) error {
	switch {
	case m.Group > groupMax:
		return refuse(openflow.GroupModFailedInvalidGroup, "group 0x%x, more than OFPG_MAX", m.Group)
	case m.Kind > openflow.GroupTypeFastFailover:
		return refuse(openflow.GroupModFailedBadType, "group of type %d", m.Kind)
	case m.Kind == openflow.GroupTypeIndirect && len(m.Buckets) != 1:
		return refuse(openflow.GroupModFailedInvalidGroup, "indirect group with %d buckets, not 1", len(m.Buckets))
	case len(m.Buckets) > maxBuckets:
		return refuse(openflow.GroupModFailedOutOfBuckets, "%d buckets, more than %d", len(m.Buckets), maxBuckets)
	}
	return nil
}

func (s *Switch) checkBucket(m *openflow.GroupMod, b *openflow.Bucket) error {
	watches := b.WatchPort != openflow.PortAny || b.WatchGroup != openflow.GroupAny
	switch {
	case b.Weight != 0 && m.Kind != openflow.GroupTypeSelect:
		return refuse(openflow.GroupModFailedInvalidGroup, "a weight in a group of type %s", m.Kind)
	case m.Kind == openflow.GroupTypeFastFailover && !watches:
		return refuse(openflow.GroupModFailedInvalidGroup, "a bucket of fast failover that watches nothing")
	case watches && (m.Kind == openflow.GroupTypeAll || m.Kind == openflow.GroupTypeIndirect):
		return refuse(openflow.GroupModFailedWatchUnsupported, "a bucket that watches in a group of type %s", m.Kind)
	case b.WatchPort != openflow.PortAny && b.WatchPort > openflow.PortMax && b.WatchPort != openflow.PortLocal:
		return refuse(openflow.GroupModFailedBadWatch, "a bucket that watches port %s", openflow.PortText(b.WatchPort))
	case b.WatchGroup != openflow.GroupAny && s.groups[b.WatchGroup] == nil && b.WatchGroup != m.Group:
		return refuse(openflow.GroupModFailedBadWatch, "a bucket that watches group %d, which there is not", b.WatchGroup)
	}
	// A bucket that sends to the group itself is a loop, also where the group is about to be made.
	if sendsTo(b.Actions, m.Group) {
		return refuse(openflow.GroupModFailedLoop, "a bucket of group %d that sends to it", m.Group)
	}
	c := checker{s: s}
	return c.actions(b.Actions)
}

// groupsIn are the groups that actions send to, in their order.
func groupsIn(list []openflow.Action) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := range list {
			if list[i].Type == openflow.ActionGroup && !yield(list[i].ID) {
				return
			}
		}
	}
}

// sendsTo reports whether one of the actions sends to a group.
func sendsTo(list []openflow.Action, id uint32) bool {
	return slices.ContainsFunc(list, func(a openflow.Action) bool { return a.Type == openflow.ActionGroup && a.ID == id })
}

// leadsTo reports whether a bucket sends to a group, or watches it, also through other groups.
// Those that are there have no loop, and those that were seen do not lead there.
func (s *Switch) leadsTo(b *openflow.Bucket, id uint32, seen map[uint32]bool) bool {
	for next := range groupsIn(b.Actions) {
		if s.groupLeadsTo(next, id, seen) {
			return true
		}
	}
	return b.WatchGroup != openflow.GroupAny && s.groupLeadsTo(b.WatchGroup, id, seen)
}

func (s *Switch) groupLeadsTo(from, id uint32, seen map[uint32]bool) bool {
	if from == id {
		return true
	}
	g := s.groups[from]
	if g == nil || seen[from] {
		return false
	}
	seen[from] = true
	return slices.ContainsFunc(g.buckets, func(b bucket) bool { return s.leadsTo(&b.Bucket, id, seen) })
}

// deleteGroups removes a group, or all, with the entries that send to it. One that there is not is
// no error.
func (s *Switch) deleteGroups(m *openflow.GroupMod) error {
	if len(m.Buckets) != 0 {
		return refuse(openflow.GroupModFailedInvalidGroup, "a deletion with buckets")
	}
	if m.Group > groupMax && m.Group != openflow.GroupAll {
		return refuse(openflow.GroupModFailedInvalidGroup, "group 0x%x, more than OFPG_MAX", m.Group)
	}
	if m.Group != openflow.GroupAll {
		for _, g := range sorted(s.groups, openflow.GroupAll, openflow.GroupAll) {
			if g.id != m.Group && s.groups[m.Group] != nil && g.sendsTo(m.Group) {
				return refuse(openflow.GroupModFailedChainedGroup, "group %d sends to group %d", g.id, m.Group)
			}
		}
	}
	gone := sorted(s.groups, m.Group, openflow.GroupAll)
	refs := 0
	for _, g := range gone {
		refs += g.refs
	}
	if refs > 0 {
		s.removeWhere(openflow.RemovedGroup, func(p *program) bool {
			return anyAction(p, func(a *openflow.Action) bool {
				return a.Type == openflow.ActionGroup && (a.ID == m.Group || m.Group == openflow.GroupAll)
			})
		})
	}
	for _, g := range gone {
		s.referBuckets(g, -1)
		delete(s.groups, g.id)
	}
	return nil
}

// sendsTo reports whether a bucket of the group sends to another group, or watches it.
func (g *group) sendsTo(id uint32) bool {
	return slices.ContainsFunc(g.buckets, func(b bucket) bool { return b.WatchGroup == id || sendsTo(b.Actions, id) })
}

// sorted is the group or meter of a number, or with the number all all of them, by rising number.
func sorted[T any](of map[uint32]T, id, all uint32) (list []T) {
	if id != all {
		if x, ok := of[id]; ok {
			list = append(list, x)
		}
		return list
	}
	for _, n := range slices.Sorted(maps.Keys(of)) {
		list = append(list, of[n])
	}
	return list
}

// refer counts the references of a program to groups and to its meter, or uncounts them.
func (s *Switch) refer(p *program, by int) {
	if p.has&hasMeter != 0 {
		if m := s.meters[p.meter]; m != nil {
			m.flows += by
		}
	}
	s.referGroups(p.apply, by)
	s.referGroups(p.write, by)
}

func (s *Switch) referBuckets(g *group, by int) {
	for i := range g.buckets {
		s.referGroups(g.buckets[i].Actions, by)
	}
}

func (s *Switch) referGroups(list []openflow.Action, by int) {
	for id := range groupsIn(list) {
		if g := s.groups[id]; g != nil {
			g.refs += by
		}
	}
}
