package referee

import (
	"sync"
	"time"

	"github.com/weirnet/weir/openflow"
)

// entries are the additions of flow entries by the IPv4 destination that they match.
type entries struct {
	mu sync.Mutex
	of map[uint32]Entry
}

// Entry is what was added about an address.
type Entry struct {
	Added int // flow-mods that added, or replaced, an entry
	Last  time.Time
}

// note takes an addition.
func (e *entries) note(m *openflow.FlowMod, at time.Time) {
	to, ok := m.Match.Uint(openflow.FieldIPv4Dst)
	if !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of == nil {
		e.of = map[uint32]Entry{}
	}
	e.of[uint32(to)] = Entry{e.of[uint32(to)].Added + 1, at}
}

// Entries is what was added about an address since it was last forgotten.
func (r *Referee) Entries(dst uint32) Entry {
	r.entries.mu.Lock()
	defer r.entries.mu.Unlock()
	return r.entries.of[dst]
}

// ForgetEntries forgets what was added.
func (r *Referee) ForgetEntries() {
	r.entries.mu.Lock()
	defer r.entries.mu.Unlock()
	r.entries.of = nil
}
