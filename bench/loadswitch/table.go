package loadswitch

import (
	"sync"
	"time"

	"github.com/weirnet/weir/openflow"
)

// place is what makes two entries the same one.
type place struct {
	table    uint8
	priority uint16
	match    string // openflow.Match.Key
}

// entry is a flow entry as it was given. Nothing passes a switch but discovery frames, so it counts
// nothing else.
type entry struct {
	openflow.FlowStats
	since time.Duration // age of the network when it was added
}

// flowTable are the entries of all tables of a switch. Its lock is held for each call.
type flowTable struct {
	mu        sync.Mutex
	entries   map[place]*entry
	paths     pathTable // entries of paths, kept apart; no place is in both
	lldp      int       // entries that match LLDP
	irregular int       // entries whose match is that of a path's, and the rest is not
}

// wantsLLDP reports whether a discovery frame goes to the controller: there is an entry for it, or
// none at all.
func (t *flowTable) wantsLLDP() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lldp > 0 || len(t.entries)+t.paths.n == 0
}

// size is how many entries there are.
func (t *flowTable) size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.entries) + t.paths.n
}

// apply does a flow-mod and returns the entries that it deleted.
func (t *flowTable) apply(m *openflow.FlowMod, v openflow.Version, now time.Duration) (gone []*entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch m.Command {
	case openflow.FlowAdd:
		t.put(m, now)
	case openflow.FlowModify, openflow.FlowModifyStrict:
		if t.modify(m) == 0 && v == openflow.V10 {
			t.put(m, now) // "if no existing entry matches, acts like ADD": OpenFlow 1.0 alone
		}
	default:
		gone = t.delete(m)
	}
	return gone
}

func placeOf(m *openflow.FlowMod) place { return place{m.Table, m.Priority, m.Match.Key()} }

// put adds an entry, or replaces the one in its place.
func (t *flowTable) put(m *openflow.FlowMod, now time.Duration) {
	at := placeOf(m)
	if old := t.entries[at]; old != nil {
		t.remove(at, old)
	}
	e := &entry{since: now, FlowStats: openflow.FlowStats{
		Table: m.Table, Priority: m.Priority, IdleTimeout: m.IdleTimeout, HardTimeout: m.HardTimeout, Flags: m.Flags,
		Cookie: m.Cookie, Match: m.Match.Clone(), Instructions: cloneInstructions(m.Instructions),
	}}
	t.insert(at, e)
}

// insert adds an entry in a place that is free.
func (t *flowTable) insert(at place, e *entry) {
	if t.entries == nil {
		t.entries = make(map[place]*entry)
	}
	t.entries[at] = e
	t.count(e, 1)
}

func (t *flowTable) remove(at place, e *entry) {
	delete(t.entries, at)
	t.count(e, -1)
}

// count notes that an entry has come or gone.
func (t *flowTable) count(e *entry, by int) {
	if matchesLLDP(&e.Match) {
		t.lldp += by
	}
	if len(e.Match.OXM) == pathOXMLen && pathOXM(e.Match.OXM) {
		t.irregular += by
	}
}

// modify gives the entries that a flow-mod selects its instructions, and says how many they are.
func (t *flowTable) modify(m *openflow.FlowMod) int {
	all := t.selected(m, m.Command == openflow.FlowModifyStrict)
	for _, e := range all {
		e.Instructions = cloneInstructions(m.Instructions)
	}
	return len(all)
}

// delete removes the entries that a flow-mod selects.
func (t *flowTable) delete(m *openflow.FlowMod) []*entry {
	all := t.selected(m, m.Command == openflow.FlowDeleteStrict)
	gone := make([]*entry, 0, len(all))
	for at, e := range all {
		t.remove(at, e)
		gone = append(gone, e)
	}
	return gone
}

// selected are the entries that a modification or deletion is about.
func (t *flowTable) selected(m *openflow.FlowMod, strict bool) map[place]*entry {
	filter := openflow.FlowFilter{Table: m.Table, OutPort: openflow.PortAny, Cookie: m.Cookie,
		CookieMask: m.CookieMask, Match: m.Match}
	if m.Command == openflow.FlowDelete || m.Command == openflow.FlowDeleteStrict {
		filter.OutPort = m.OutPort
	}
	all := make(map[place]*entry)
	if !strict || m.Table == openflow.TableAll {
		t.expandAll(&filter)
	}
	if strict && m.Table != openflow.TableAll {
		at := placeOf(m)
		if e := t.entries[at]; e != nil && filterSelects(&filter, e) {
			all[at] = e
		}
		return all
	}
	key := ""
	if strict {
		key = m.Match.Key()
	}
	for at, e := range t.entries {
		if strict && (at.priority != m.Priority || at.match != key) || !filterSelects(&filter, e) {
			continue
		}
		all[at] = e
	}
	return all
}

// list hands over the entries that a filter selects, in slices of a number at most that are valid
// during the call. The lock is held.
func (t *flowTable) list(f *openflow.FlowFilter, now time.Duration, most int, take func([]openflow.FlowStats)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := listing{flushTo: take, maxBytes: most}
	for _, e := range t.entries {
		if filterSelects(f, e) {
			age := now - e.since
			e.DurationSec, e.DurationNsec = uint32(age/time.Second), uint32(age%time.Second)
			l.add(&e.FlowStats)
		}
	}
	for i := range t.paths.slots {
		if p := &t.paths.slots[i]; p.at != 0 && p.selectedBy(f) {
			l.path(p, now)
		}
	}
	l.flush()
}

// countByTable counts the entries that a filter selects, by table.
func (t *flowTable) countByTable(f *openflow.FlowFilter) (n [256]uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.entries {
		if filterSelects(f, e) {
			n[e.Table]++
		}
	}
	for i := range t.paths.slots {
		if p := &t.paths.slots[i]; p.at != 0 && p.selectedBy(f) {
			n[p.table]++
		}
	}
	return n
}

// stats counts entries by table.
func (t *flowTable) stats(v openflow.Version) *openflow.TableStatsList {
	n := Tables
	if v == openflow.V10 {
		n = 1
	}
	l := &openflow.TableStatsList{Tables: make([]openflow.TableStats, n)}
	for i := range l.Tables {
		l.Tables[i].Table = uint8(i)
		if v == openflow.V10 {
			l.Tables[i].Name, l.Tables[i].Wildcards, l.Tables[i].MaxEntries = "classifier", 1<<22-1, 1<<20
		}
	}
	for i, n := range t.countByTable(&openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny}) {
		if i < len(l.Tables) {
			l.Tables[i].Active = n
		}
	}
	return l
}
