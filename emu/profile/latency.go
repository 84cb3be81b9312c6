package profile

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Point is a time at a payload.
type Point struct {
	Payload int // bytes, from 1 to MaxPayload
	Delay   time.Duration
}

// Latency is a time that depends on the payload, and on chance.
type Latency struct {
	Points []Point // in order of payload; none: no time at all
	// P90 is the time that nine in ten stay below, as a multiple of the median, which is what
	// Points say; 0 or 1: no chance. The distribution is log-normal.
	P90    float64
	Source Source
}

// At is the median at a payload: linear in its logarithm between two points, constant outside of
// them.
func (l *Latency) At(payload int) time.Duration {
	i, exact := slices.BinarySearchFunc(l.Points, payload, func(p Point, n int) int { return cmp.Compare(p.Payload, n) })
	switch {
	case len(l.Points) == 0:
		return 0
	case i == len(l.Points):
		return l.Points[i-1].Delay
	case i == 0 || exact:
		return l.Points[i].Delay
	}
	a, b := l.Points[i-1], l.Points[i]
	return a.Delay + time.Duration(share(a.Payload, b.Payload, payload)*float64(b.Delay-a.Delay))
}

// Least is the least median at a payload or at a longer one: when a fragment may go that brings the
// payload so far to from bytes, and is not the last.
func (l *Latency) Least(from int) time.Duration {
	least := l.At(from)
	for _, p := range l.Points {
		if p.Payload > from {
			least = min(least, p.Delay)
		}
	}
	return least
}

// share is how far between two payloads, logarithmically, a third is.
func share(from, to, at int) float64 {
	return math.Log(float64(at)/float64(from)) / math.Log(float64(to)/float64(from))
}

// z90 is the 90th percentile of the standard normal distribution.
const z90 = 1.2815515655446004

// most is the largest multiple of the median that chance makes.
const most = 10

// Times is by how much chance makes a time longer or shorter, for a normal deviate: 1 for 0.
func (l *Latency) Times(deviate float64) float64 {
	if l.P90 <= 1 {
		return 1
	}
	return min(max(math.Pow(l.P90, deviate/z90), 1.0/most), most)
}

// Factor is a ratio at a payload.
type Factor struct {
	Payload int
	Times   float64
}

// scale is a latency times ratios, which are linear in the logarithm of the payload between their
// points: it has a point where either has one, rounded to microseconds.
func (l *Latency) scale(by []Factor) []Point {
	var points []Point
	for _, p := range l.Points {
		points = append(points, Point{Payload: p.Payload})
	}
	for _, f := range by {
		points = append(points, Point{Payload: f.Payload})
	}
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.Payload, b.Payload) })
	points = slices.Compact(points)
	for i := range points {
		p := &points[i]
		p.Delay = time.Duration(float64(l.At(p.Payload)) * ratio(by, p.Payload)).Round(time.Microsecond)
	}
	return points
}

// ratio is the factor at a payload.
func ratio(by []Factor, payload int) float64 {
	for i, f := range by {
		switch {
		case payload > f.Payload:
		case payload == f.Payload || i == 0:
			return f.Times
		default:
			before := by[i-1]
			return before.Times + share(before.Payload, f.Payload, payload)*(f.Times-before.Times)
		}
	}
	return by[len(by)-1].Times
}

// Load is by how much traffic that leaves by a port lengthens the path latency of what leaves by
// it.
type Load struct {
	Points []LoadPoint // in order of rate; none: not at all
	Source Source
}

// LoadPoint is a factor at a rate.
type LoadPoint struct {
	RateBPS uint64  // bits a second that leave by the port
	Times   float64 // from 1 on
}

// Times is the factor at a rate: 1 at none, linear between the points, constant above the last.
func (l *Load) Times(bps float64) float64 {
	from := LoadPoint{Times: 1}
	for _, to := range l.Points {
		if bps < float64(to.RateBPS) {
			return from.Times + (bps-float64(from.RateBPS))/float64(to.RateBPS-from.RateBPS)*(to.Times-from.Times)
		}
		from = to
	}
	return from.Times
}
