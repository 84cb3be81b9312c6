package connect

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant/vswitch"
)

// inboxMax is how many bytes of packet-ins wait for a switch that is busy with its controllers' messages; more are lost.
const inboxMax = 1 << 20

// inbox is what came for a switch while its lock was held. Who brings packet-ins and outcomes serves all tenants, and never
// waits for one of them: whoever holds the lock handles it before it lets go.
type inbox struct {
	some atomic.Bool // there is some

	mu sync.Mutex // guards what follows
	waiting
	bytes int // of pins
}

// waiting is what came.
type waiting struct {
	pins     []heldPacketIn
	removed  []ruleset.Counted // with the last counters
	outcomes []ruleset.Outcome
	saved    []saveOutcome
	counters [vswitch.CounterKinds]*counted // that came last
}

// counted is what came of counters.
type counted struct {
	list *vswitch.Counters
	next time.Duration
}

// heldPacketIn is a packet-in, copied.
type heldPacketIn struct {
	pin openflow.PacketIn
	as  shownAs
}

// shownAs is what is made of a packet-in.
type shownAs uint8

const (
	ofRow    shownAs = iota // the packet-in of the row that its cookie names
	ofFrame                 // that of the entry which shows such a frame
	received                // a frame that comes in, which the tables handle
	copied                  // a copy of one that is not the tenant's
)

// post adds a packet-in, and reports whether there was room.
func (m *inbox) post(pin *openflow.PacketIn, as shownAs) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes+len(pin.Data) > inboxMax {
		return false
	}
	own := *pin
	own.Match.OXM, own.Data = slices.Clone(pin.Match.OXM), slices.Clone(pin.Data)
	m.pins, m.bytes = append(m.pins, heldPacketIn{own, as}), m.bytes+len(pin.Data)
	m.some.Store(true)
	return true
}

// postOutcomes adds outcomes, which are no more than what was ordered.
func (m *inbox) postOutcomes(list []ruleset.Outcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outcomes = append(m.outcomes, list...)
	m.some.Store(true)
}

// postCounters adds counters, in place of older ones.
func (m *inbox) postCounters(k vswitch.CounterKind, c *vswitch.Counters, next time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if was := m.counters[k]; c == nil && was != nil {
		c = was.list
	}
	m.counters[k] = &counted{c, next}
	m.some.Store(true)
}

// postSaved adds what has become of a batch for the journal.
func (m *inbox) postSaved(o saveOutcome) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saved = append(m.saved, o)
	m.some.Store(true)
}

// removedMax is how many entries that were removed wait; the last counters of more are lost.
const removedMax = 1 << 16

// postRemoved adds the last counters of an entry that was removed.
func (m *inbox) postRemoved(c *ruleset.Counted) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.removed) < removedMax {
		m.removed = append(m.removed, *c)
	}
	m.some.Store(true)
}

// take takes all.
func (m *inbox) take() waiting {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.waiting
	m.waiting, m.bytes = waiting{}, 0
	m.some.Store(false)
	return all
}

// deliver handles what came. The lock is held.
func (s *Switch) deliver() {
	if !s.inbox.some.Load() {
		return
	}
	all, now := s.inbox.take(), s.cfg.Now()
	for _, o := range all.saved {
		s.saving.take(s, o)
	}
	for i := range all.removed {
		vswitch.Tally{Switch: s.core}.Removed(&all.removed[i], now, (*output)(s))
	}
	for i := range all.outcomes {
		s.core.Outcome(&all.outcomes[i], now, (*output)(s))
	}
	for k, c := range all.counters {
		if c != nil {
			count(s, vswitch.CounterKind(k), c, now)
		}
	}
	for i := range all.pins {
		s.show(&all.pins[i].pin, all.pins[i].as)
	}
}

// unlock lets go of the lock, when all that came is delivered. It reports whether there is something for give.
func (s *Switch) unlock() (ordered bool) {
	for {
		s.deliver()
		s.saving.note(s)
		wake(s)
		ordered = len(s.orders) > 0
		sent := s.sent
		s.sent = false
		s.mu.Unlock()
		if sent {
			s.cfg.Physical.Flush()
		}
		if !s.inbox.some.Load() || !s.mu.TryLock() { // who has the lock now delivers
			return ordered
		}
	}
}
