package flowtable

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// EntryOutput may be implemented by the Output of a Switch with Config.Handles that wants to know of each change of the
// entries, in the order in which they happen.
type EntryOutput interface {
	// EntryAdded tells of an entry that came, or that took the place of another; replaced is the handle of that one, 0 if
	// there was none.
	EntryAdded(e *Entry, replaced uint32)
	// EntryChanged tells of an entry whose instructions or cookie were changed.
	EntryChanged(e *Entry)
	// EntryRemoved tells that an entry went, and why. Its flow-removed follows, if it has one.
	EntryRemoved(handle uint32, why openflow.FlowRemovedReason)
}

// Entry is an entry, as EntryOutput is told of it. It is valid during the call.
type Entry struct {
	Handle       uint32 // which no other entry of the Switch has or had, until all 2³² are used
	Table        uint8
	Priority     uint16
	Flags        openflow.FlowFlags
	Idle, Hard   uint16 // seconds; 0 never
	Cookie       uint64
	Match        openflow.Match // canonical
	Instructions []openflow.Instruction
	V10          bool // these are actions of OpenFlow 1.0, and do what they do there
	Anew         bool // its counters begin anew, of EntryAdded and EntryChanged
}

// handles are the entries of a Switch by their handles.
type handles struct {
	of   map[uint32]*entry // nil if entries have none
	last uint32
	told Entry // memory that is used again
	oxm  []byte
}

// give gives an entry a handle.
func (h *handles) give(e *entry) {
	for h.last++; h.last == 0 || h.of[h.last] != nil; h.last++ {
	}
	e.handle, h.of[h.last] = h.last, e
}

// added gives an entry that came a handle, and tells of it.
func (h *handles) added(out Output, e *entry, replaced uint32, anew bool) {
	if h.of == nil {
		return
	}
	delete(h.of, replaced)
	h.give(e)
	if out, ok := out.(EntryOutput); ok {
		out.EntryAdded(h.describe(e, anew), replaced)
	}
}

// changed tells of an entry that was changed.
func (h *handles) changed(out Output, e *entry, anew bool) {
	if h.of == nil {
		return
	}
	if out, ok := out.(EntryOutput); ok {
		out.EntryChanged(h.describe(e, anew))
	}
}

// gone tells that an entry goes.
func (h *handles) gone(out Output, e *entry, why openflow.FlowRemovedReason) {
	if h.of == nil {
		return
	}
	delete(h.of, e.handle)
	if out, ok := out.(EntryOutput); ok {
		out.EntryRemoved(e.handle, why)
	}
}

// describe fills the memory that is used again, but for the instructions.
func (h *handles) describe(e *entry, anew bool) *Entry {
	var f filter
	e.filter(&f)
	h.oxm = f.appendOXM(h.oxm[:0])
	h.told = Entry{Handle: e.handle, Table: e.table, Priority: e.priority, Flags: e.flags, Idle: e.idle, Hard: e.hard,
		Cookie: e.cookie, Match: openflow.Match{OXM: h.oxm}, Instructions: e.program.instructions(),
		V10: e.program.v10, Anew: anew}
	return &h.told
}

// AddCounts adds to the counters of an entry, and to those of its table, what has passed elsewhere. It reports whether the
// entry is there.
func (s *Switch) AddCounts(handle uint32, packets, bytes uint64) bool {
	e := s.handles.of[handle]
	if e != nil {
		e.packets, e.bytes = e.packets+packets, e.bytes+bytes
		s.counts[e.table].matched += packets
	}
	return e != nil
}

// SetUncounted notes that it is not known what has passed an entry elsewhere, or that it is: its counters, and sums that it is
// part of, are all ones then, which is OpenFlow's "not available". An EntryOutput may call it.
func (s *Switch) SetUncounted(handle uint32, uncounted bool) {
	if e := s.handles.of[handle]; e != nil && e.uncounted != uncounted {
		known(s, e)
		if e.uncounted = uncounted; uncounted {
			s.counts[e.table].uncounted++
		}
	}
}

// known takes an entry out of those of its table whose counters are not known.
func known(s *Switch, e *entry) {
	if e.uncounted {
		s.counts[e.table].uncounted--
	}
	e.uncounted = false
}

// End ends an entry that has ended elsewhere, and reports whether it was there. Its flow-removed, if it wants one, has the
// counters that it has then.
func (s *Switch) End(handle uint32, why openflow.FlowRemovedReason, now time.Duration, out Output) bool {
	s.begin(now, out)
	defer s.end()
	e := s.handles.of[handle]
	if e != nil {
		s.remove(e, why)
	}
	return e != nil
}

// Touch notes that packets have matched an entry elsewhere, at a time: its idle time-out is counted from there, if it is
// later than what is known.
func Touch(s *Switch, handle uint32, at time.Duration) {
	if e := s.handles.of[handle]; e != nil {
		e.used = max(e.used, at)
	}
}

// SetTimes sets since when an entry has been there, and when it was modified last, for an owner that adds entries which
// were there before this Switch. It reports whether the entry is there.
func (s *Switch) SetTimes(handle uint32, created, modified time.Duration) bool {
	e := s.handles.of[handle]
	if e != nil {
		e.created, e.modified = created, modified
	}
	return e != nil
}
