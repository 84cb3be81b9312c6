package flowtable

import "time"

// SetTimes sets since when an entry has been there, and when it was modified last, for an owner that adds entries which
// were there before this Switch. It reports whether the entry is there.
func (s *Switch) SetTimes(handle uint32, created, modified time.Duration) bool {
	e := s.handles.of[handle]
	if e != nil {
		e.created, e.modified = created, modified
	}
	return e != nil
}
