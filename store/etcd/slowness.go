package etcd

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// When a disk is slow: design note 0019 says why these.
const (
	probeEvery = time.Second
	// slowSync is how long a synchronisation may take. A leader that takes more than twice as long is replaced.
	slowSync = 200 * time.Millisecond
	// So many of the last probes above it, and a disk is slow, or one that has not ended for stalledSync.
	probesSeen, probesSlow = 5, 3
	stalledSync            = time.Second
	// So many in a row below half of slowSync, and it is not slow any more; twice as many each time that it was slow again
	// within relapse, up to probesMost.
	probesWell, probesMost = 10, 160
	relapse                = 10 * time.Minute
	// lateKept is for how long the process is taken to be as late as it was.
	lateKept = 10 * time.Second
)

// slowness tells a slow disk from how long probes of it take: writes to a file, each with a synchronisation. How late this
// process runs is not the disk's, and is taken off. Its methods may be called from any goroutine, and wait for nothing.
type slowness struct {
	mu     sync.Mutex
	began  time.Time       // of the probe that is under way; zero: none is
	last   []time.Duration // probes that have ended, newest last
	well   int             // of these, how many in a row were well below the limit
	text   string          // why it is slow; empty: it is not
	ended  time.Time       // when it was slow last
	wanted int             // value of well with which it is not slow any more
	late   []lateness      // by time
}

// lateness is by how much a tick came late.
type lateness struct {
	at time.Time
	by time.Duration
}

// why is how long synchronisations take, where that is too long; empty: it is not.
func (s *slowness) why() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

// tick notes when a tick has come that was due.
func (s *slowness) tick(now, due time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = slices.DeleteFunc(s.late, func(l lateness) bool { return now.Sub(l.at) > lateKept })
	if by := now.Sub(due); by > tickEvery {
		s.late = append(s.late, lateness{now, by})
	}
	if s.began.IsZero() {
		return
	}
	if took := now.Sub(s.began) - s.lateBy(); took >= stalledSync {
		s.slow(now, fmt.Sprintf("a synchronisation has not ended for %d s", took/time.Second))
	}
}

// lateBy is by how much this process runs late.
func (s *slowness) lateBy() (most time.Duration) {
	for _, l := range s.late {
		most = max(most, l.by)
	}
	return most
}

// begin notes that a probe begins.
func (s *slowness) begin(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began = now
}

// end notes that it has ended.
func (s *slowness) end(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	took := now.Sub(s.began) - s.lateBy()
	s.began = time.Time{}
	if len(s.last) == probesSeen {
		s.last = slices.Delete(s.last, 0, 1)
	}
	s.last = append(s.last, took)
	if s.well++; took > slowSync/2 {
		s.well = 0
	}
	var above []time.Duration
	for _, d := range s.last {
		if d > slowSync {
			above = append(above, d)
		}
	}
	switch {
	case len(above) >= probesSlow:
		s.slow(now, fmt.Sprintf("%d of the last %d synchronisations took %d ms or more, up to %d, and %d are the limit", len(above),
			len(s.last), slices.Min(above)/time.Millisecond, slices.Max(above)/time.Millisecond, slowSync/time.Millisecond))
	case s.text != "" && s.well >= s.wanted:
		s.text = ""
		s.ended = now
	}
}

// forget forgets how long probes took: none are made any more, so none would say that the disk is well.
func (s *slowness) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.well, s.text, s.ended = nil, 0, "", time.Time{}
}

// slow notes that the disk is slow.
func (s *slowness) slow(now time.Time, text string) {
	if s.text == "" {
		if again := !s.ended.IsZero() && now.Sub(s.ended) < relapse; again {
			s.wanted = min(2*s.wanted, probesMost)
		} else {
			s.wanted = probesWell
		}
	}
	s.text = text
}
