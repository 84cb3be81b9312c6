package host

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Pattern is how the datagrams of a flow are spread over time.
type Pattern uint8

// The patterns of a flow.
const (
	Constant Pattern = iota // at equal distances
	Poisson                 // at distances drawn from an exponential distribution of this mean
	OnOff                   // at equal distances for FlowSpec.On, then none for FlowSpec.Off, repeatedly
)

var patternNames = [...]string{"constant", "poisson", "on-off"}

// String is "constant", "poisson" or "on-off".
func (p Pattern) String() string {
	if int(p) < len(patternNames) {
		return patternNames[p]
	}
	return fmt.Sprintf("pattern %d", uint8(p))
}

// ParsePattern parses the result of Pattern.String.
func ParsePattern(s string) (Pattern, error) {
	if i := slices.Index(patternNames[:], s); i >= 0 {
		return Pattern(i), nil
	}
	return 0, fmt.Errorf("pattern %q: want constant, poisson or on-off", s)
}

// pace computes when the next datagram is to be sent.
type pace struct {
	pattern  Pattern
	interval float64 // ns, mean
	on, off  time.Duration
	start    time.Duration
	n        float64 // datagrams since start
	drift    float64 // sum of the exponential distances, in ns
}

// after is when the next datagram is due. Times are computed from the start of the flow, so that
// fractions of a nanosecond do not accumulate.
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
