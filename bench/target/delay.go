package target

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Delay is how long the answers of a synthetic responder take: a distribution.
type Delay struct {
	kind string
	a, b time.Duration
	part float64 // of a mix: how many take b
}

// delayForms is what ParseDelay wants.
const delayForms = "5ms, uniform:5ms-15ms, exp:2ms (its mean) or mix:1ms/50ms@0.01 (one in a hundred takes 50ms)"

// maxDelay is the longest delay.
const maxDelay = time.Minute

// ParseDelay reads one: a time, "uniform:A-B", "exp:MEAN" or "mix:A/B@PART".
func ParseDelay(s string) (Delay, error) {
	d, ok := parseDelay(s)
	if !ok || d.a < 0 || d.b < 0 || d.a > maxDelay || d.b > maxDelay || !(d.part >= 0 && d.part <= 1) ||
		d.kind == "uniform" && d.b < d.a {
		return Delay{}, fmt.Errorf("delay %q given, want %s, none over %v", s, delayForms, maxDelay)
	}
	return d, nil
}

func parseDelay(s string) (d Delay, ok bool) {
	kind, rest, found := strings.Cut(s, ":")
	if !found {
		d.a, ok = duration(s)
		return d, ok
	}
	d.kind = kind
	switch kind {
	case "uniform":
		a, b, two := strings.Cut(rest, "-")
		var ok1, ok2 bool
		d.a, ok1 = duration(a)
		d.b, ok2 = duration(b)
		return d, two && ok1 && ok2
	case "exp":
		d.a, ok = duration(rest)
		return d, ok
	case "mix":
		times, part, two := strings.Cut(rest, "@")
		a, b, both := strings.Cut(times, "/")
		var ok1, ok2 bool
		d.a, ok1 = duration(a)
		d.b, ok2 = duration(b)
		p, err := strconv.ParseFloat(part, 64)
		d.part = p
		return d, two && both && ok1 && ok2 && err == nil
	}
	return d, false
}

func duration(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(s)
	return d, err == nil
}

// String is the delay as ParseDelay reads it.
func (d Delay) String() string {
	switch d.kind {
	case "uniform":
		return fmt.Sprintf("uniform:%v-%v", d.a, d.b)
	case "exp":
		return fmt.Sprintf("exp:%v", d.a)
	case "mix":
		return fmt.Sprintf("mix:%v/%v@%v", d.a, d.b, d.part)
	}
	return d.a.String()
}

// draw is one delay.
func (d Delay) draw(r *rand.Rand) time.Duration {
	u := r.Float64()
	switch d.kind {
	case "uniform":
		return d.a + time.Duration(u*float64(d.b-d.a))
	case "exp":
		return min(time.Duration(-math.Log1p(-u)*float64(d.a)), maxDelay)
	case "mix":
		if u < d.part {
			return d.b
		}
	}
	return d.a
}
