package flowtable

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// entry is a flow entry.
type entry struct {
	// What a packet reads and writes comes first.
	key      []uint64 // the words of its match that its tuple looks at
	hash     uint64
	next     *entry // of the same match, with a lower priority
	program  *program
	packets  uint64
	bytes    uint64
	used     time.Duration // when a packet matched last
	priority uint16
	flags    openflow.FlowFlags
	table    uint8

	uncounted bool // its counters are not known

	idle, hard uint16 // seconds; 0 never
	tuple      *tuple // nil once the entry is removed
	cookie     uint64
	created    time.Duration
	modified   time.Duration // when it was last added or modified: its hard time-out begins anew
	due        time.Duration // when it is looked at by expire; not after it really runs out
	place      int32         // in the heap of its table; -1 if it never runs out
	handle     uint32        // 0 without Config.Handles
	room       [2]uint64     // for key, if that is enough
}

// isMiss reports whether this is a table-miss entry: the lowest priority, and all wildcards.
func (e *entry) isMiss() bool { return e.priority == 0 && len(e.key) == 0 }

// unknown is the value of a counter that is not available.
const unknown = ^uint64(0)

// count counts a packet.
func (e *entry) count(size int, now time.Duration) {
	if e.flags&openflow.FlagNoPacketCounts == 0 {
		e.packets++
	}
	if e.flags&openflow.FlagNoByteCounts == 0 {
		e.bytes += uint64(size)
	}
	e.used = now
}

// filter writes the entry's match into f.
func (e *entry) filter(f *filter) {
	f.mask, f.value = e.tuple.mask, words{}
	for i, w := range e.tuple.words {
		f.value[w] = e.key[i]
	}
}

// end is when the entry runs out and why; ok is false if it never does. It may still be used and
// then runs out later.
func (e *entry) end() (at time.Duration, why openflow.FlowRemovedReason, ok bool) {
	if e.hard != 0 {
		at, why, ok = e.modified+time.Duration(e.hard)*time.Second, openflow.RemovedHard, true
	}
	if e.idle != 0 {
		if idle := e.used + time.Duration(e.idle)*time.Second; !ok || idle < at {
			at, why, ok = idle, openflow.RemovedIdle, true
		}
	}
	return at, why, ok
}

// age splits the time since then into whole seconds and nanoseconds beyond.
func age(now, since time.Duration) (sec, nsec uint32) {
	d := max(now-since, 0)
	return uint32(d / time.Second), uint32(d % time.Second)
}
