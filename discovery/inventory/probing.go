package inventory

import (
	"slices"
	"time"
)

// Probing is the fast start of a port, and what was sent out of it.
type Probing struct {
	FastStep    int         // next step of its fast start; len(fastStartTimes) when done
	FastDue     time.Time   // when that is due
	HasTurn     bool        // it has reserved a probe at that time
	Sent        *SentProbes // the latest first; nil without any
	SentCleared time.Time   // when sent was last cleared
	// Suspected is when it was last probed for suspicion of a loop, or will be, since the core's start,
	// whether or not the session took the probe; 0: never.
	Suspected time.Duration
}

// SentProbes are the last probes sent: more than half of a port's memory.
type SentProbes [16]SentProbe

// SentAt returns when the nth-last probe was sent; 0 if there are fewer.
func (s *SentProbes) SentAt(nth int) time.Duration {
	if s == nil {
		return 0
	}
	return s[nth].At
}

// SentProbe is a probe that was sent. The fast start and replies send several in one period.
type SentProbe struct {
	Number   uint64
	At       time.Duration // since the core's start; 0: none
	Departed time.Duration // since the core's start, when it was handed to its session; 0: unknown
	HeardAt  *Port         // the port where it was first heard
}

// Forget forgets a probe that was not really sent.
func (s *SentProbes) Forget(number uint64) {
	if s == nil {
		return
	}
	if i := slices.IndexFunc(s[:], func(r SentProbe) bool { return r.Number == number }); i >= 0 {
		copy(s[i:], s[i+1:])
		s[len(s)-1] = SentProbe{}
	}
}
