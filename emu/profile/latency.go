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
	P90 float64
	// Devices is what two devices of the machine take where the emulated switch is between them, in
	// order of payload: the emulator takes it off where frames leave by a device, so that Points are
	// what is seen from outside. None: nothing is taken off.
	Devices []Point
	Source  Source
}

// At is the median at a payload: linear in its logarithm between two points, constant outside of
// them.
func (l *Latency) At(payload int) time.Duration { return At(l.Points, payload) }

// DevicesAt is what devices take of a packet of a payload. Where it is as long as the time itself or
// longer, the emulated switch cannot be as fast as the promise: that is the floor of the devices.
func (l *Latency) DevicesAt(payload int) time.Duration { return At(l.Devices, payload) }

// Most is the most that a curve has at a payload or at a longer one.
func Most(points []Point, from int) time.Duration {
	most := At(points, from)
	for _, p := range points {
		if p.Payload > from {
			most = max(most, p.Delay)
		}
	}
	return most
}

// At is a curve's time at a payload: linear in its logarithm between two points, constant outside of
// them; 0 without points.
func At(points []Point, payload int) time.Duration {
	i, exact := slices.BinarySearchFunc(points, payload, func(p Point, n int) int { return cmp.Compare(p.Payload, n) })
	switch {
	case len(points) == 0:
		return 0
	case i == len(points):
		return points[i-1].Delay
	case i == 0 || exact:
		return points[i].Delay
	}
	a, b := points[i-1], points[i]
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

// Chance is a log-normal factor: the median, and the standard deviation of the logarithm. The zero
// Chance makes no difference.
type Chance struct{ median, sigma float64 }

// Chance is what chance makes of the time there and back.
func (l *Latency) Chance() Chance {
	if l.P90 <= 1 {
		return Chance{}
	}
	return Chance{1, math.Log(l.P90) / z90}
}

// EachWay is the chance of each of two ways that makes both together what c does: the mean and the
// variance of the sum of two halves are those of c (L. Fenton, The Sum of Log-Normal Probability
// Distributions in Scatter Transmission Systems, 1960).
func (c Chance) EachWay() Chance {
	if c.sigma == 0 {
		return c
	}
	both := c.sigma * c.sigma
	way := math.Log1p(2 * math.Expm1(both))
	return Chance{c.median * math.Exp((both-way)/2), math.Sqrt(way)}
}

// Times is by how much chance makes a time longer or shorter, for a normal deviate.
func (c Chance) Times(deviate float64) float64 {
	if c.sigma == 0 {
		return 1
	}
	return min(max(c.median*math.Exp(c.sigma*deviate), 1.0/most), most)
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

// Load is by how much traffic that leaves by a port lengthens the path latency of what leaves by it;
// or, of the whole Switch, what traffic that leaves by any port makes of all path latencies. It may
// make them shorter: a switch that is awake does not have to wake up.
type Load struct {
	Switch bool
	Points []LoadPoint // in order of rate; none: not at all
	Source Source
}

// LoadPoint is a factor at a rate.
type LoadPoint struct {
	RateBPS uint64  // bits a second that leave by the port
	Times   float64 // of a port from 1 on, and not less than at a lower rate
	// Sizes are the factors at payloads, in their order, where they are known; else Times is that of
	// all.
	Sizes []Factor
	// Devices are a Latency's at this rate, where they are known; else they are those of the rate below.
	Devices []Point
}

// at is the factor of a payload.
func (p *LoadPoint) at(payload int) float64 {
	if len(p.Sizes) == 0 {
		return p.Times
	}
	return ratio(p.Sizes, payload)
}

// least is the least factor of any payload.
func (p *LoadPoint) least(int) float64 {
	least := p.Times
	for i, f := range p.Sizes {
		if i == 0 || f.Times < least {
			least = f.Times
		}
	}
	return least
}

// Times is the factor at a rate for a payload: 1 at none, linear between the points, constant above
// the last.
func (l *Load) Times(bps float64, payload int) float64 { return l.times(bps, payload, (*LoadPoint).at) }

// Least is the least factor at a rate of any payload.
func (l *Load) Least(bps float64) float64 { return l.times(bps, 0, (*LoadPoint).least) }

func (l *Load) times(bps float64, payload int, factor func(p *LoadPoint, payload int) float64) float64 {
	return l.along(bps, 1, func(p *LoadPoint, _ float64) float64 { return factor(p, payload) })
}

// Devices is what devices take at a rate, of what they take without load: linear between the points.
func (l *Load) Devices(bps float64, without time.Duration, of func(devices []Point) time.Duration) time.Duration {
	return time.Duration(l.along(bps, float64(without), func(p *LoadPoint, before float64) float64 {
		if len(p.Devices) == 0 {
			return before
		}
		return float64(of(p.Devices))
	}))
}

// along is a value at a rate: none at none, linear between those of the points, constant above the last.
func (l *Load) along(bps, none float64, value func(p *LoadPoint, before float64) float64) float64 {
	from, now := 0.0, none
	for i := range l.Points {
		to := &l.Points[i]
		rate, next := float64(to.RateBPS), value(to, now)
		if bps < rate {
			return now + (bps-from)/(rate-from)*(next-now)
		}
		from, now = rate, next
	}
	return now
}
