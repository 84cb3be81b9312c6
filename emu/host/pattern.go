package host

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Pattern is how the datagrams of a flow are spread over time.
type Pattern uint8

// Patterns.
const (
	Constant Pattern = iota // at equal distances
	Poisson                 // at distances drawn from an exponential distribution of this mean
	OnOff                   // at equal distances for FlowSpec.On, then none for FlowSpec.Off, again and again
)

// String is "constant", "poisson" or "on-off".
func (p Pattern) String() string {
	switch p {
	case Constant:
		return "constant"
	case Poisson:
		return "poisson"
	case OnOff:
		return "on-off"
	}
	return fmt.Sprintf("pattern %d", uint8(p))
}

// ParsePattern reads what Pattern.String writes.
func ParsePattern(s string) (Pattern, error) {
	for p := Constant; p <= OnOff; p++ {
		if s == p.String() {
			return p, nil
		}
	}
	return 0, fmt.Errorf("pattern %q: want constant, poisson or on-off", s)
}

// pace is when the next datagram is to be sent.
type pace struct {
	pattern  Pattern
	interval float64 // ns, mean
	on, off  time.Duration
	start    time.Duration
	n        float64 // datagrams since start
	drift    float64 // ns that the exponential distances have summed up to
}

// after is when the datagram after the one that was due at a time is due. Distances that are no
// whole number of nanoseconds do not add up to an error: they are counted from the start.
func (p *pace) after(random *rand.Rand) time.Duration {
	p.n++
	var ns float64
	switch p.pattern {
	case Poisson:
		p.drift += random.ExpFloat64() * p.interval
		ns = p.drift
	case OnOff:
		each := max(math.Ceil(float64(p.on)/p.interval-1e-9), 1) // datagrams in one period
		period := math.Floor(p.n / each)
		ns = period*float64(p.on+p.off) + (p.n-period*each)*p.interval
	default:
		ns = p.n * p.interval
	}
	return p.start + time.Duration(ns)
}
