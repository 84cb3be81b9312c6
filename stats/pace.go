package stats

import (
	"cmp"
	"time"
)

// pace is when a switch is asked for one kind, learned from its answers.
type pace struct {
	due   time.Time     // zero: it is not asked
	begun time.Time     // when it was last to be asked, the first part of it
	took  time.Duration // how long its answers take: the slowest of late
	bytes int           // of the last answer
	most  int           // bytes of answers a second; 0: bytesPerSecond
	// soonest is when a switch that is asked for this only when somebody wants it may be asked again.
	soonest time.Time
}

// interval is the time between two questions to a switch that left missed questions in a row
// unanswered, of any kind.
func (p *pace) interval(period time.Duration, missed int) time.Duration {
	d := max(period, busyShare*p.took, time.Duration(p.bytes)*time.Second/time.Duration(cmp.Or(p.most, bytesPerSecond)))
	return min(d<<min(missed, 16), max(MaxPeriod, period))
}

// answered adapts to a whole answer: at once where answers became slower, step by step where they
// became faster.
func (p *pace) answered(took time.Duration, bytes int, period time.Duration, now time.Time) {
	d := p.learn(took, bytes, period)
	p.due = p.begun.Add(d)
	if soonest := now.Add(d / 2); p.due.Before(soonest) { // two answers that make a rate are not too close
		p.due = soonest
	}
}

// learn learns from a whole answer, and returns the time between two questions.
func (p *pace) learn(took time.Duration, bytes int, period time.Duration) time.Duration {
	p.took = max(took, p.took-(p.took-took)/4)
	p.bytes = bytes
	return p.interval(period, 0)
}

// phase is when, after it connected, a switch is asked first: a time of its own within the period.
func phase(seed, dpid uint64, k Kind, period time.Duration) time.Duration {
	// The finalizer of splitmix64 (Steele, Lea, Flood 2014): neighbouring ids give times that have
	// nothing in common.
	x := dpid*0x9e3779b97f4a7c15 + seed + uint64(k)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return time.Duration(x % uint64(period))
}
