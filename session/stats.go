package session

import (
	"sync/atomic"

	"github.com/weirnet/weir/openflow"
)

// types is the number of message types.
const types = int(openflow.TypeMeterMod) + 1

// Stats are the counts of a session since it began.
type Stats struct {
	In, Out           [types]uint64 // messages by type
	InBytes, OutBytes uint64        // OutBytes: accepted into the queue
	Queue             int           // bytes that wait for the peer now
	Refused           uint64        // messages of the peer that were answered with an error
	Unmatched         uint64        // answers that nobody asked for, or too late
	Early             uint64        // messages dropped because they came during the handshake
	Full              uint64        // messages refused with ErrFull
	Paused            uint64        // times at which reading paused because the queue was over the high-water mark
}

// coreCounts are the counts of the protocol, guarded as the core is.
type coreCounts struct{ refused, unmatched, early uint64 }

// inCounts are written by the reader.
type inCounts struct {
	byType [types]atomic.Uint64
	bytes  atomic.Uint64
	paused atomic.Uint64
}

func (n *inCounts) count(t openflow.Type) {
	if int(t) < types {
		n.byType[t].Add(1)
	}
}

// Received counts the bytes that have come from the peer: while it does not grow, it is unknown
// whether the peer is still there. Any goroutine may read it.
func (s *Session) Received() *atomic.Uint64 { return &s.in.bytes }
