package target

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

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

func TestDelaysAreRead(t *testing.T) {
	for _, s := range []string{"0s", "5ms", "uniform:5ms-15ms", "exp:2ms", "mix:1ms/50ms@0.01"} {
		if d, err := ParseDelay(s); err != nil || d.String() != s {
			t.Errorf("%s is printed as %s: %v", s, d, err)
		}
	}
	for _, s := range []string{"", "5", "uniform:5ms", "uniform:9ms-2ms", "exp:", "exp:-1s", "mix:1ms/2ms",
		"mix:1ms/2ms@2", "mix:1ms/2ms@NaN", "normal:1ms", "2m"} {
		if _, err := ParseDelay(s); err == nil || !strings.Contains(err.Error(), delayForms) {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, b := range []Behaviour{{Loss: 2}, {Wrong: math.NaN()}, {StallFor: time.Second},
		{StallFor: time.Second, StallEvery: time.Second}, {StallFor: -1}} {
		if b.Check() == nil {
			t.Errorf("%+v is taken", b)
		}
	}
}

func FuzzParseDelay(f *testing.F) {
	for _, s := range []string{"5ms", "uniform:5ms-15ms", "exp:2ms", "mix:1ms/50ms@0.01"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDelay(s)
		if err != nil {
			return
		}
		again, err := ParseDelay(d.String())
		if err != nil || again != d {
			t.Errorf("%q is %s, which is %s: %v", s, d, again, err)
		}
		if got := newReplyPlan(Behaviour{Delay: d}, 1).next(0); got.Due < 0 || got.Due > maxDelay {
			t.Errorf("%s: %v", d, got.Due)
		}
	})
}
