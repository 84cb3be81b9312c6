package discovery

import (
	"sync/atomic"
	"time"
)

// Silence of a link is no evidence while one of its ends sends nothing at all: its peer may be dead,
// and TCP has not noticed. So a link is removed only when both ends have sent something after the
// last missed probe.

// activity is how much a switch sends in its session.
type activity struct {
	received        *atomic.Uint64 // bytes; nil if unknown, or while disconnected
	bytesAtRound    uint64         // received at its last round
	lastSilentRound time.Time      // end of the last period in which it sent nothing
	activeRounds    uint64         // number of periods in which it sent something
}

// noteMiss notes the bytes received from both ends when missedProbes is reached.
func (e *link) noteMiss() {
	if e.missed == missedProbes {
		e.bytesAtLastMiss = [2]uint64{e.src.device.bytes(), e.dst.device.bytes()}
	}
}

// bothHeardSinceMiss reports whether both ends have sent something since.
func (e *link) bothHeardSinceMiss() bool {
	return e.src.device.sentSince(e.bytesAtLastMiss[0]) && e.dst.device.sentSince(e.bytesAtLastMiss[1])
}

// bytes returns how much a switch has sent in its session; 0 if that is unknown.
func (a *activity) bytes() uint64 {
	if a.received == nil {
		return 0
	}
	return a.received.Load()
}

// sentSince reports whether a switch has sent something since it had sent some bytes, as far as is
// known.
func (a *activity) sentSince(bytes uint64) bool {
	return a.received == nil || a.received.Load() != bytes
}
