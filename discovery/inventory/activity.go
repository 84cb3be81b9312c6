package inventory

import (
	"sync/atomic"
	"time"
)

// Silence of a link is no evidence while one of its ends sends nothing at all: its peer may be dead,
// and TCP has not noticed. So a link is removed only when both ends have sent something after the
// last missed probe.

// MissedProbes is the number of missed periods after which a link is removed.
const MissedProbes = 3

// Activity is how much a switch sends in its session.
type Activity struct {
	Received        *atomic.Uint64 // bytes; nil if unknown, or while disconnected
	BytesAtRound    uint64         // received at its last round
	LastSilentRound time.Time      // end of the last period in which it sent nothing
	ActiveRounds    uint64         // number of periods in which it sent something
}

// CountMiss counts a probe sent over the links from a port, which is missed until it is heard.
func (e *LinkEnds) CountMiss() {
	for _, e := range e.Out {
		if e.BothConnected() {
			e.Missed++
			e.noteMiss()
		}
	}
}

// noteMiss notes the bytes received from both ends when MissedProbes is reached.
func (e *Link) noteMiss() {
	if e.Missed == MissedProbes {
		e.bytesAtLastMiss = [2]uint64{e.Src.Device.Bytes(), e.Dst.Device.Bytes()}
	}
}

// BothHeardSinceMiss reports whether both ends have sent something since.
func (e *Link) BothHeardSinceMiss() bool {
	return e.Src.Device.SentSince(e.bytesAtLastMiss[0]) && e.Dst.Device.SentSince(e.bytesAtLastMiss[1])
}

// Bytes returns how much a switch has sent in its session; 0 if that is unknown.
func (a *Activity) Bytes() uint64 {
	if a.Received == nil {
		return 0
	}
	return a.Received.Load()
}

// SentSince reports whether a switch has sent something since it had sent some bytes, as far as is
// known.
func (a *Activity) SentSince(bytes uint64) bool {
	return a.Received == nil || a.Received.Load() != bytes
}
