package target

import (
	"errors"
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
	kind, times, found := strings.Cut(s, ":")
	if !found {
		kind, times = "", s
	}
	d.kind = kind
	a, b, part := times, "0s", "0"
	switch kind {
	case "", "exp":
		ok = true
	case "uniform":
		a, b, ok = strings.Cut(times, "-")
	case "mix":
		times, part, _ = strings.Cut(times, "@")
		a, b, ok = strings.Cut(times, "/")
	}
	var err1, err2, err3 error
	d.a, err1 = time.ParseDuration(a)
	d.b, err2 = time.ParseDuration(b)
	d.part, err3 = strconv.ParseFloat(part, 64)
	return d, ok && errors.Join(err1, err2, err3) == nil
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
