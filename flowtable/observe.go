package flowtable

import "github.com/weirnet/weir/openflow"

// Change is what happened to an entry.
type Change uint8

// What happens to entries.
const (
	EntryAdded Change = iota // also in the place of another with its match and priority
	EntryModified
	EntryRemoved
)

// Observe has f called at every change of an entry, during the call that makes it, with the entry as it is then (of a removed one: as it
// was). What f is given is valid until it returns. A nil f ends it.
func (s *Switch) Observe(f func(Change, *openflow.FlowStats)) { s.observe = f }

func (s *Switch) changed(c Change, e *entry) {
	if s.observe != nil {
		var f filter
		stats := s.flowStats(e, &f, nil)
		s.observe(c, &stats)
	}
}

func (s *Switch) changedRemoved(e *entry, _ openflow.FlowRemovedReason) { s.changed(EntryRemoved, e) }
