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
	if err := s.match.parse(&m.Match); err != nil {
		return err
	}
	switch m.Command {
	case openflow.FlowAdd:
		if err := s.checkNew(v, m); err != nil {
			return err
		}
		_, err := s.checkRoom(m, priorityOf(v, m))
		return err
	case openflow.FlowModify, openflow.FlowModifyStrict:
		return s.checkNew(v, m)
	case openflow.FlowDelete, openflow.FlowDeleteStrict:
		return s.checkDelete(m)
	}
	return refuse(openflow.FlowModFailedBadCommand, "flow_mod with command %d", m.Command)
}

// checkRoom finds the entry that a new one with this priority replaces, nil if there is none. Then
// it must not overlap another where that is not wanted, and there must be room, or room that can be
// made.
func (s *Switch) checkRoom(m *openflow.FlowMod, priority uint16) (old *entry, err error) {
	if int(m.Table) >= len(s.tables) || s.tables[m.Table] == nil {
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
	return nil, nil
}
