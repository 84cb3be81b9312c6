package flowtable

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// CheckFlowMod reports whether FlowMod would refuse a message now, and why, and changes nothing.
// Its buffer is not looked at. The error is an *Error.
func (s *Switch) CheckFlowMod(v openflow.Version, m *openflow.FlowMod, now time.Duration) error {
	s.begin(now, nil)
	defer s.end()
	_, err := s.checkFlowMod(v, m)
	return err
}

// checkFlowMod checks a flow-mod, whose match it leaves in s.match, and finds the entry that an
// addition replaces; nil if there is none.
func (s *Switch) checkFlowMod(v openflow.Version, m *openflow.FlowMod) (old *entry, err error) {
	if err := s.match.parse(&m.Match); err != nil {
		return nil, err
	}
	switch m.Command {
	case openflow.FlowAdd:
		if err = s.checkNew(v, m); err == nil {
			old, err = s.checkRoom(m, priorityOf(v, m))
		}
	case openflow.FlowModify, openflow.FlowModifyStrict:
		err = s.checkNew(v, m)
	case openflow.FlowDelete, openflow.FlowDeleteStrict:
		if int(m.Table) >= s.cfg.Tables && m.Table != openflow.TableAll {
			err = refuse(openflow.FlowModFailedBadTableID, "table %d of %d", m.Table, s.cfg.Tables)
		}
	default:
		err = refuse(openflow.FlowModFailedBadCommand, "flow_mod with command %d", m.Command)
	}
	return old, err
}

// checkNew checks what a flow-mod would write into an entry.
func (s *Switch) checkNew(v openflow.Version, m *openflow.FlowMod) error {
	switch {
	case int(m.Table) >= s.cfg.Tables:
		return refuse(openflow.FlowModFailedBadTableID, "table %d of %d", m.Table, s.cfg.Tables)
	case m.Flags&openflow.FlagEmergency != 0 && m.IdleTimeout|m.HardTimeout != 0:
		return refuse(openflow.FlowModFailedBadEmergTimeout, "an emergency entry with a time-out")
	case m.Flags&openflow.FlagEmergency != 0:
		return refuse(openflow.FlowModFailedTableFull, "an emergency entry: there is no room for any")
	}
	c := checker{s: s, table: m.Table, strict: v != openflow.V10}
	c.know(&s.match)
	return c.instructions(m.Instructions)
}

// full reports whether there are as many entries as there may be in all tables.
func (c *Config) full(entries int) bool { return c.MaxAll > 0 && entries >= c.MaxAll }

// checkRoom finds the entry that a new one with this priority replaces, nil if there is none. Then
// it must not overlap another where that is not wanted, and there must be room, or room that can be
// made.
func (s *Switch) checkRoom(m *openflow.FlowMod, priority uint16) (old *entry, err error) {
	if int(m.Table) >= len(s.tables) || s.tables[m.Table] == nil {
		if s.cfg.full(s.entries) {
			return nil, refuse(openflow.FlowModFailedTableFull, "the switch has %d entries, and may have no more", s.entries)
		}
		return nil, nil
	}
	t := s.tables[m.Table]
	if old := t.exact(&s.match, priority); old != nil {
		return old, nil
	}
	if m.Flags&openflow.FlagCheckOverlap != 0 && t.overlaps(&s.match, priority) {
		return nil, refuse(openflow.FlowModFailedOverlap, "an entry of priority %d overlaps", priority)
	}
	if t.size >= s.cfg.MaxEntries && !(s.cfg.Evict && len(t.heap) > 0) {
		return nil, refuse(openflow.FlowModFailedTableFull, "table %d has %d entries", m.Table, t.size)
	}
	if s.cfg.full(s.entries) {
		return nil, refuse(openflow.FlowModFailedTableFull, "the switch has %d entries, and may have no more", s.entries)
	}
	return nil, nil
}
