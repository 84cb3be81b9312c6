package flowtable

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// FlowMod adds, changes or deletes entries as a controller of version v asks. A buffered packet
// that it names goes through the tables afterwards. The error is an *Error; then nothing has
// changed, unless only the buffer was at fault.
func (s *Switch) FlowMod(v openflow.Version, m *openflow.FlowMod, now time.Duration, out Output) error {
	s.begin(now, out)
	defer s.end()
	old, err := s.checkFlowMod(v, m)
	if err != nil {
		return err
	}
	switch m.Command {
	case openflow.FlowAdd:
		s.add(v, m, old)
	case openflow.FlowModify, openflow.FlowModifyStrict:
		err = s.modify(v, m)
	default:
		s.delete(m)
		return nil
	}
	if err == nil && m.Buffer != openflow.NoBuffer {
		err = s.releaseBuffer(m.Buffer)
	}
	return err
}

// priorityOf is the priority of an entry: in OpenFlow 1.0 one without wildcards has the highest.
func priorityOf(v openflow.Version, m *openflow.FlowMod) uint16 {
	if v == openflow.V10 && m.Match.Exact10() {
		return 0xffff
	}
	return m.Priority
}

// add adds an entry, or puts it in the place of the one with its match and priority. Nobody is
// notified of the end of that one. Its counters go on, but begin anew in OpenFlow 1.0, and in 1.3
// with the flag reset_counts.
func (s *Switch) add(v openflow.Version, m *openflow.FlowMod, old *entry) {
	t := s.table(m.Table)
	e := entry{
		priority: priorityOf(v, m), flags: m.Flags, table: m.Table, program: s.programOf(v, m.Instructions),
		idle: m.IdleTimeout, hard: m.HardTimeout, cookie: m.Cookie, created: s.now, modified: s.now, used: s.now,
	}
	s.refer(e.program, 1)
	if old != nil {
		anew := m.Flags&openflow.FlagResetCounts != 0 || v == openflow.V10
		if !anew {
			e.packets, e.bytes = old.packets, old.bytes
		}
		known(s, old)
		s.refer(old.program, -1)
		replaced := old.handle
		t.renew(old, e)
		s.handles.added(s.out, old, replaced, anew)
		return
	}
	if t.size >= s.cfg.MaxEntries {
		s.evict(t)
	}
	added := new(entry) // not &e, so that replacing allocates none
	*added = e
	t.insert(added, &s.match)
	s.entries++
	s.handles.added(s.out, added, 0, true)
}

// table is a table, made if it is not there yet.
func (s *Switch) table(id uint8) *table {
	s.growTables(int(id))
	if s.tables[id] == nil {
		// not the seed itself: 0 is one, and mix would take mix1 for nothing
		s.tables[id] = newTable(mix(s.cfg.Seed, uint64(id)+1, 0))
	}
	return s.tables[id]
}

// growTables makes place for a table and its counts.
func (s *Switch) growTables(id int) {
	for id >= len(s.tables) {
		s.tables, s.counts = append(s.tables, nil), append(s.counts, tableCounts{})
	}
}

// modify changes the instructions of the entries that m selects. In OpenFlow 1.0 it adds one where
// there is none.
func (s *Switch) modify(v openflow.Version, m *openflow.FlowMod) error {
	sel := selection{
		table: m.Table, strict: m.Command == openflow.FlowModifyStrict, priority: priorityOf(v, m),
		cookie: m.Cookie, cookieMask: m.CookieMask,
		outPort: openflow.PortAny, outGroup: openflow.GroupAny,
	}
	if v == openflow.V10 {
		sel.cookieMask = 0
	}
	list := s.pick(&sel)
	if len(list) == 0 && v == openflow.V10 {
		// "If no existing entry matches, acts like an ADD": OpenFlow 1.0, section 4.6
		old, err := s.checkRoom(m, priorityOf(v, m))
		if err == nil {
			s.add(v, m, old)
		}
		return err
	}
	if len(list) == 0 {
		return nil
	}
	p := s.programOf(v, m.Instructions)
	for _, e := range list {
		s.refer(e.program, -1)
		s.refer(p, 1)
		e.program, e.modified = p, s.now
		if v == openflow.V10 && m.Cookie != ^uint64(0) {
			e.cookie = m.Cookie
		}
		anew := m.Flags&openflow.FlagResetCounts != 0
		if anew {
			e.packets, e.bytes = 0, 0
		}
		s.handles.changed(s.out, e, anew)
	}
	return nil
}

// delete removes the entries that m selects.
func (s *Switch) delete(m *openflow.FlowMod) {
	sel := selection{
		table: m.Table, strict: m.Command == openflow.FlowDeleteStrict, priority: m.Priority, cookie: m.Cookie,
		cookieMask: m.CookieMask,
		outPort:    m.OutPort, outGroup: m.OutGroup,
	}
	if m.Match.Exact10() {
		sel.priority = 0xffff
	}
	for _, e := range s.pick(&sel) {
		s.remove(e, openflow.RemovedDelete)
	}
}

// remove removes an entry and reports it.
func (s *Switch) remove(e *entry, why openflow.FlowRemovedReason) {
	s.handles.gone(s.out, e, why)
	if e.flags&openflow.FlagSendFlowRemoved != 0 {
		s.tellRemoved(e, why)
	}
	known(s, e)
	s.tables[e.table].remove(e)
	s.entries--
	s.refer(e.program, -1)
}

// tellRemoved reports the removal of an entry.
func (s *Switch) tellRemoved(e *entry, why openflow.FlowRemovedReason) {
	var f filter
	e.filter(&f)
	s.oxm = f.appendOXM(s.oxm[:0])
	r := &s.removed
	r.Cookie, r.Priority, r.Reason, r.Table = e.cookie, e.priority, why, e.table
	r.DurationSec, r.DurationNsec = age(s.now, e.created)
	r.IdleTimeout, r.HardTimeout, r.Packets, r.Bytes = e.idle, e.hard, e.packets, e.bytes
	if e.uncounted {
		r.Packets, r.Bytes = unknown, unknown
	}
	r.Match = openflow.Match{OXM: s.oxm}
	s.out.FlowRemoved(r)
}

// selection are the entries that a modification, a deletion or a request for statistics is about;
// the match is s.match.
type selection struct {
	table              uint8
	strict             bool
	priority           uint16
	cookie, cookieMask uint64
	outPort, outGroup  uint32
}

func (x *selection) has(e *entry) bool {
	return (e.cookie^x.cookie)&x.cookieMask == 0 && e.program.outputsTo(x.outPort) && e.program.usesGroup(x.outGroup)
}

// pick are the selected entries, in memory that is used again.
func (s *Switch) pick(x *selection) []*entry {
	clear(s.picked)
	s.picked = s.picked[:0]
	for id, t := range s.tables {
		if t == nil || x.table != openflow.TableAll && int(x.table) != id {
			continue
		}
		if x.strict {
			if e := t.exact(&s.match, x.priority); e != nil && x.has(e) {
				s.picked = append(s.picked, e)
			}
			continue
		}
		t.each(&s.match, func(e *entry) {
			if x.has(e) {
				s.picked = append(s.picked, e)
			}
		})
	}
	return s.picked
}
