package flowtable_test

import (
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
)

// twinEntry is a flow entry.
type twinEntry struct {
	openflow.FlowMod // the addition
	packets, bytes   uint64
	created          time.Duration
	modified, used   time.Duration
}

// values is a match as one value and one mask for each field that it names.
func values(m openflow.Match) map[openflow.Field][2][]byte {
	list := map[openflow.Field][2][]byte{}
	for f := range openflow.FieldIPv6ExtHdr {
		if value, mask, ok := m.Lookup(f); ok {
			if mask == nil {
				mask = slices.Repeat([]byte{0xff}, len(value))
			}
			list[f] = [2][]byte{value, mask}
		}
	}
	return list
}

// within reports whether the bits that want names are those of have; in what have does not name
// there is nothing to find.
func within(want, have map[openflow.Field][2][]byte) bool {
	for f, w := range want {
		for i := range w[0] {
			if w[1][i] == 0 {
				continue
			}
			h, ok := have[f]
			if !ok || h[1][i]&w[1][i] != w[1][i] || h[0][i]&w[1][i] != w[0][i]&w[1][i] {
				return false
			}
		}
	}
	return true
}

// overlap reports whether a packet may match both.
func overlap(a, b openflow.Match) bool {
	other := values(b)
	for f, x := range values(a) {
		y, ok := other[f]
		for i := range x[0] {
			if ok && (x[0][i]^y[0][i])&x[1][i]&y[1][i] != 0 {
				return false
			}
		}
	}
	return true
}

func (w *twin) flowMod(m *openflow.FlowMod) openflow.ErrorCode {
	if m.Command >= openflow.FlowDelete {
		for _, e := range w.chosen(m) {
			w.remove(e, openflow.RemovedDelete)
		}
		return 0
	}
	for _, i := range m.Instructions {
		if missing(w, i.Actions) {
			return openflow.BadActionBadOutGroup
		}
	}
	if m.Command == openflow.FlowAdd {
		return w.add(m)
	}
	list := w.chosen(m)
	if len(list) == 0 && w.v == openflow.V10 {
		return w.add(m)
	}
	for _, e := range list {
		e.Instructions, e.modified = m.Instructions, w.now
		if w.v == openflow.V10 {
			e.Cookie = m.Cookie
		}
		if m.Flags&openflow.FlagResetCounts != 0 {
			e.packets, e.bytes = 0, 0
		}
	}
	return 0
}

func (w *twin) add(m *openflow.FlowMod) openflow.ErrorCode {
	fresh := &twinEntry{FlowMod: *m, created: w.now, modified: w.now, used: w.now}
	for i, e := range w.entries {
		if e.Table == m.Table && e.Priority == m.Priority && e.Match.Canonical().String() == m.Match.Canonical().String() {
			if w.v == openflow.V13 && m.Flags&openflow.FlagResetCounts == 0 {
				fresh.packets, fresh.bytes = e.packets, e.bytes
			}
			w.entries[i] = fresh
			return 0
		}
	}
	for _, e := range w.entries {
		if m.Flags&openflow.FlagCheckOverlap != 0 && e.Table == m.Table && e.Priority == m.Priority && overlap(e.Match, m.Match) {
			return openflow.FlowModFailedOverlap
		}
	}
	w.entries = append(w.entries, fresh)
	return 0
}

// chosen are the entries that a modification or deletion is about.
func (w *twin) chosen(m *openflow.FlowMod) (list []*twinEntry) {
	filter := openflow.FlowFilter{
		Table: m.Table, Cookie: m.Cookie, CookieMask: m.CookieMask, Match: m.Match, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny,
	}
	if w.v == openflow.V10 {
		filter.CookieMask = 0
	}
	if m.Command >= openflow.FlowDelete {
		filter.OutPort, filter.OutGroup = m.OutPort, m.OutGroup
	}
	for _, e := range w.filtered(filter) {
		strict := m.Command == openflow.FlowModifyStrict || m.Command == openflow.FlowDeleteStrict
		if !strict || e.Priority == m.Priority && e.Match.Canonical().String() == m.Match.Canonical().String() {
			list = append(list, e)
		}
	}
	return list
}

// filtered are the entries that a filter selects.
func (w *twin) filtered(f openflow.FlowFilter) (list []*twinEntry) {
	for _, e := range w.entries {
		if f.Table != openflow.TableAll && f.Table != e.Table || (e.Cookie^f.Cookie)&f.CookieMask != 0 {
			continue
		}
		port := func(a openflow.Action) bool {
			return (a.Type == openflow.ActionOutput || a.Type == openflow.ActionEnqueue) && a.Port == f.OutPort
		}
		group := func(a openflow.Action) bool { return a.Type == openflow.ActionGroup && a.ID == f.OutGroup }
		if f.OutPort != openflow.PortAny && !e.any(port) || f.OutGroup != openflow.GroupAny && !e.any(group) {
			continue
		}
		if within(values(f.Match), values(e.Match)) {
			list = append(list, e)
		}
	}
	return list
}

// any reports whether one of the entry's actions is such.
func (e *twinEntry) any(is func(openflow.Action) bool) bool {
	return slices.ContainsFunc(e.Instructions, func(i openflow.Instruction) bool { return slices.ContainsFunc(i.Actions, is) })
}

func (w *twin) remove(gone *twinEntry, why openflow.FlowRemovedReason) {
	w.entries = slices.DeleteFunc(w.entries, func(e *twinEntry) bool { return e == gone })
	if gone.Flags&openflow.FlagSendFlowRemoved == 0 {
		return
	}
	age := w.now - gone.created
	m := &openflow.FlowRemoved{
		Cookie: gone.Cookie, Priority: gone.Priority, Reason: why, Table: gone.Table, IdleTimeout: gone.IdleTimeout,
		HardTimeout: gone.HardTimeout, Packets: gone.packets, Bytes: gone.bytes, Match: gone.Match,
		DurationSec: uint32(age / time.Second), DurationNsec: uint32(age % time.Second),
	}
	w.say(m)
}

// expire removes the entries whose time is over.
func (w *twin) expire() {
	for _, e := range slices.Clone(w.entries) {
		idle := e.used + time.Duration(e.IdleTimeout)*time.Second
		hard := e.modified + time.Duration(e.HardTimeout)*time.Second
		idleOver, hardOver := e.IdleTimeout != 0 && idle <= w.now, e.HardTimeout != 0 && hard <= w.now
		switch {
		case idleOver && !(hardOver && hard <= idle):
			w.remove(e, openflow.RemovedIdle)
		case hardOver:
			w.remove(e, openflow.RemovedHard)
		}
	}
}
