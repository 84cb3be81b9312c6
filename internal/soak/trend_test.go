package soak

import (
	"math"
	"math/rand/v2"
	"testing"
)

// line is samples on a line with noise.
func line(n int, slope, noise float64) (s []Sample) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		s = append(s, Sample{float64(i), 100 + slope*float64(i) + noise*(rng.Float64()-0.5)})
	}
	return s
}

func TestRise(t *testing.T) {
	if rise, err := Rise(line(11, 2, 0)); math.Abs(rise-20) > 1e-9 || err > 1e-6 {
		t.Errorf("rises by %v ± %v, want 20 exactly", rise, err)
	}
	if _, err := Rise(line(2, 1, 0)); !math.IsInf(err, 1) || Flat(line(2, 0, 0), 1) {
		t.Error("two samples say nothing")
	}
	for _, c := range []struct {
		name         string
		slope, noise float64
		flat         bool
	}{{"flat", 0, 10, true}, {"growing", 0.5, 10, false}, {"shrinking", -5, 10, true}, {"noisy", 0.01, 30, true}} {
		if got := Flat(line(60, c.slope, c.noise), 5); got != c.flat {
			rise, err := Rise(line(60, c.slope, c.noise))
			t.Errorf("%s: flat %v (%v ± %v), want %v", c.name, got, rise, err, c.flat)
		}
	}
}

// TestSecondHalf: what filled up in the beginning does not count.
func TestSecondHalf(t *testing.T) {
	s := line(60, 0, 1)
	for i := range 30 {
		s[i].Value -= 10 * float64(30-i)
	}
	half := SecondHalf(s)
	if len(half) < 25 || half[0].At < 29 || !Flat(half, 1) || Flat(s, 1) {
		t.Errorf("%d samples from %v on", len(half), half[0].At)
	}
	if SecondHalf(nil) != nil {
		t.Error("of nothing there is no half")
	}
}
