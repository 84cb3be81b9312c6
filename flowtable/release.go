package flowtable

import "time"

// Release sends a packet that was kept for the controllers through the tables, as FlowMod does for
// the one that it names: for switches that do so later. The error is an *Error.
func (s *Switch) Release(buffer uint32, now time.Duration, out Output) error {
	s.begin(now, out)
	defer s.end()
	return s.releaseBuffer(buffer)
}
