package fidelity

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// windowSeconds is over how many of the last seconds fidelity is judged.
const windowSeconds = 10

// DefaultTolerance is how late something may be that was promised for a time, before it counts as
// late. What waits for its turn at an engine, without a time promised, counts as late after
// longWait times as long.
const (
	DefaultTolerance = time.Millisecond
	longWait         = 10
)

// Meter is how late an engine is with what was promised for a time: a frame's arrival, a rule's
// coming into force. It belongs to the engine; others may read it (Of).
type Meter struct {
	tolerance time.Duration

	mu      sync.Mutex
	seconds [windowSeconds]second
	current int64 // number of the newest second
	total   second
	resting time.Duration // since when the engine has had nothing to do; 0: it has
	failed  criterion     // of the last bad second
	bad     int64         // how many seconds were bad, ever
	// number of the first of the present row of bad seconds, whose distances are less than the
	// window; -1: none yet
	firstBad int64
	lastBad  int64
}

// second is what happened in one second of a network's age.
type second struct {
	number    int64
	promises  uint64
	late      uint64        // of them, by more than the tolerance
	by        time.Duration // sum of all lateness
	promised  time.Duration // sum of the times that were promised
	max       time.Duration
	waits     uint64 // times at which something waited for its turn
	longWaits uint64
	longest   time.Duration
	held      time.Duration // sum of the long waits
	idle      time.Duration // that the engine had nothing to do
	overslept time.Duration // the longest time that it was woken too late
	spread    *hdrhistogram.Histogram
}

// The unit of histograms is a microsecond, the longest time a minute, steps are a hundredth of the
// value.
func newSpread() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(time.Minute/time.Microsecond), 2)
}

// Init makes a meter ready; what is later than the tolerance is late.
func (l *Meter) Init(tolerance time.Duration) {
	l.tolerance, l.firstBad, l.lastBad = tolerance, -1, -1
	for i := range l.seconds {
		l.seconds[i].spread = newSpread()
		l.seconds[i].number = -1 // none yet
	}
	l.seconds[0].number = 0
	l.total.spread = newSpread()
}

// at is the second of an age; those before it are judged. The lock is held.
func (l *Meter) at(age time.Duration) *second {
	number := max(int64(age/time.Second), l.current)
	for l.current < number {
		s := &l.seconds[l.current%windowSeconds]
		l.evaluate(s)
		l.total.add(s)
		l.current = max(l.current+1, number-windowSeconds)
		l.seconds[l.current%windowSeconds].reset(l.current)
	}
	return &l.seconds[number%windowSeconds]
}

// evaluate judges a second that is over.
func (l *Meter) evaluate(s *second) {
	if s.late == 0 && s.longWaits == 0 && s.by == 0 {
		return
	}
	var window second
	for i := range l.seconds {
		if l.seconds[i].number > s.number-windowSeconds {
			window.count(&l.seconds[i])
		}
	}
	failed := s.fails(&window)
	if failed == nothing {
		return
	}
	l.bad++
	l.failed = failed
	if l.lastBad < 0 || s.number-l.lastBad >= windowSeconds {
		l.firstBad = s.number
	}
	l.lastBad = s.number
}

func (s *second) reset(number int64) {
	h := s.spread
	h.Reset()
	*s = second{number: number, spread: h}
}

// add adds what happened in another second.
func (s *second) add(o *second) {
	s.count(o)
	if o.promises > 0 {
		s.spread.Merge(o.spread)
	}
}

// count is add without the distribution.
func (s *second) count(o *second) {
	s.promises += o.promises
	s.late += o.late
	s.by += o.by
	s.promised += o.promised
	s.max = max(s.max, o.max)
	s.waits += o.waits
	s.longWaits += o.longWaits
	s.longest = max(s.longest, o.longest)
	s.held += o.held
	s.idle += o.idle
	s.overslept = max(s.overslept, o.overslept)
}

// Record records promises that came due, and how late they are at an age; promised is the sum of
// their times.
func (l *Meter) Record(age time.Duration, due []time.Duration, promised time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.at(age)
	s.promised += promised
	s.promises += uint64(len(due))
	for _, at := range due {
		by := max(age-at, 0)
		s.by += by
		s.max = max(s.max, by)
		if by > l.tolerance {
			s.late++
		}
		_ = s.spread.RecordValue(int64(min(by, time.Minute) / time.Microsecond))
	}
}

// Wait records how long a frame waited for its turn.
func (l *Meter) Wait(age, waited time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.at(age)
	s.waits++
	s.longest = max(s.longest, waited)
	if waited > longWait*l.tolerance {
		s.longWaits++
		s.held += waited
	}
}

// Rests records that the engine is idle from an age on.
func (l *Meter) Rests(age time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at(age)
	l.resting = age
}

// Wakes takes note that it has something to do again, or looks whether it has, and by how much
// later than it wanted.
func (l *Meter) Wakes(age, over time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	newest := l.at(age)
	for i := range l.seconds {
		s := &l.seconds[i]
		begin := time.Duration(s.number) * time.Second
		s.idle += max(min(age, begin+time.Second)-max(l.resting, begin), 0)
	}
	newest.overslept = max(newest.overslept, over)
	l.resting = 0
}

// idle is how long the engine was idle since an age. The lock is held.
func (l *Meter) idle(since, age time.Duration) (d time.Duration) {
	for i := range l.seconds {
		if s := &l.seconds[i]; time.Duration(s.number+1)*time.Second > since {
			d += s.idle
		}
	}
	if l.resting > 0 {
		d += age - max(l.resting, since)
	}
	return d
}
