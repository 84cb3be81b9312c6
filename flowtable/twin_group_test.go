package flowtable_test

import (
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
)

// twinGroup is a group with its counters.
type twinGroup struct {
	openflow.GroupMod
	packets, bytes uint64
	created        time.Duration
	buckets        []openflow.BucketCounter
}

// missing reports whether one of the actions names a group that there is not.
func missing(w *twin, actions []openflow.Action) bool {
	return slices.ContainsFunc(actions, func(a openflow.Action) bool {
		return a.Type == openflow.ActionGroup && w.groups[a.ID] == nil
	})
}

func (w *twin) groupMod(m *openflow.GroupMod) openflow.ErrorCode {
	if m.Command == openflow.GroupDelete {
		return w.deleteGroup(m.Group)
	}
	if m.Kind == openflow.GroupTypeIndirect && len(m.Buckets) != 1 {
		return openflow.GroupModFailedInvalidGroup
	}
	old := w.groups[m.Group]
	switch {
	case m.Command == openflow.GroupAdd && old != nil:
		return openflow.GroupModFailedGroupExists
	case m.Command == openflow.GroupModify && old == nil:
		return openflow.GroupModFailedUnknownGroup
	}
	for _, b := range m.Buckets {
		if b.WatchGroup != openflow.GroupAny && w.groups[b.WatchGroup] == nil {
			return openflow.GroupModFailedBadWatch
		}
		if missing(w, b.Actions) {
			return openflow.BadActionBadOutGroup
		}
	}
	fresh := &twinGroup{GroupMod: *m, created: w.now, buckets: make([]openflow.BucketCounter, len(m.Buckets))}
	if old != nil {
		fresh.packets, fresh.bytes, fresh.created = old.packets, old.bytes, old.created
	}
	w.groups[m.Group] = fresh
	return 0
}

// users are how many entries and buckets send to a group.
func (w *twin) users(id uint32) (n uint32) {
	is := func(a openflow.Action) bool { return a.Type == openflow.ActionGroup && a.ID == id }
	for _, e := range w.entries {
		for _, i := range e.Instructions {
			for _, a := range i.Actions {
				if is(a) {
					n++
				}
			}
		}
	}
	for _, g := range w.groups {
		for _, b := range g.Buckets {
			for _, a := range b.Actions {
				if is(a) {
					n++
				}
			}
		}
	}
	return n
}

func (w *twin) deleteGroup(id uint32) openflow.ErrorCode {
	for n, g := range w.groups {
		for _, b := range g.Buckets {
			sends := slices.ContainsFunc(b.Actions,
				func(a openflow.Action) bool { return a.Type == openflow.ActionGroup && a.ID == id })
			if n != id && (sends || b.WatchGroup == id) {
				return openflow.GroupModFailedChainedGroup
			}
		}
	}
	for n := range w.groups {
		if id != openflow.GroupAll && n != id {
			continue
		}
		for _, e := range slices.Clone(w.entries) {
			if e.any(func(a openflow.Action) bool { return a.Type == openflow.ActionGroup && a.ID == n }) {
				w.remove(e, openflow.RemovedGroup)
			}
		}
		delete(w.groups, n)
	}
	return 0
}

// lives reports whether what a bucket watches is up.
func (w *twin) lives(b openflow.Bucket) bool {
	if p := w.port[b.WatchPort]; p != nil && !p.down() {
		return true
	}
	if g := w.groups[b.WatchGroup]; g != nil {
		return slices.ContainsFunc(g.Buckets, w.lives)
	}
	return b.WatchPort == openflow.PortAny && b.WatchGroup == openflow.GroupAny
}

// group gives a copy of the packet to each bucket that it chooses.
func (p *twinPacket) group(id uint32) {
	g := p.w.groups[id]
	if g == nil {
		return
	}
	g.packets++
	g.bytes += uint64(p.size)
	for i, b := range g.Buckets {
		if g.Kind == openflow.GroupTypeFastFailover && !p.w.lives(b) {
			continue
		}
		g.buckets[i].Packets++
		g.buckets[i].Bytes += uint64(p.size)
		twin := *p
		twin.frame, twin.inSet = slices.Clone(p.frame), true
		twin.list(inOrder(b.Actions))
		if g.Kind == openflow.GroupTypeFastFailover {
			return
		}
	}
}
