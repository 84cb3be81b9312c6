package ofcase

import (
	"fmt"
	"strings"
)

// Difference is where two switches first did not do the same in a case.
type Difference struct {
	Step       int
	One, Other []string // lines of what they did
}

// Compare does a case to two switches and returns where they first differ, or nil. Masks are
// applied to what both did.
func Compare(c Case, one, other Switch, masks ...Mask) *Difference {
	one.Reset()
	other.Reset()
	for i, s := range c.Steps {
		a, b := one.Do(s).lines(s, masks), other.Do(s).lines(s, masks)
		if strings.Join(a, "\n") != strings.Join(b, "\n") {
			return &Difference{Step: i, One: a, Other: b}
		}
	}
	return nil
}

// Text shows a difference: what each side did that the other one did not.
func (d *Difference) Text(one, other string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "at step %d:\n", d.Step)
	only := func(who string, mine, theirs []string) {
		for _, line := range without(mine, theirs) {
			fmt.Fprintf(&b, "  %s: %s\n", who, line)
		}
	}
	only(one, d.One, d.Other)
	only(other, d.Other, d.One)
	if len(without(d.One, d.Other)) == 0 && len(without(d.Other, d.One)) == 0 {
		fmt.Fprintf(&b, "  another order:\n  %s: %s\n  %s: %s\n", one, strings.Join(d.One, "\n    "), other,
			strings.Join(d.Other, "\n    "))
	}
	return b.String()
}

// without is the lines of a that b does not have as often.
func without(a, b []string) (left []string) {
	have := map[string]int{}
	for _, l := range b {
		have[l]++
	}
	for _, l := range a {
		if have[l]--; have[l] < 0 {
			left = append(left, l)
		}
	}
	return left
}

// Shrink leaves steps out of a case as long as the switches still differ at the same last step, and
// returns the shortest case it found and the difference in it. The switches must differ in the case
// given.
func Shrink(c Case, one, other Switch, masks ...Mask) (Case, *Difference) {
	d := Compare(c, one, other, masks...)
	if d == nil {
		return c, nil
	}
	c.Steps = c.Steps[:d.Step+1]
	for size := len(c.Steps) / 2; size > 0; {
		smaller := false
		for at := len(c.Steps) - 1 - size; at >= c.Base; at -= size {
			try := c
			try.Steps = append(append([]Step{}, c.Steps[:at]...), c.Steps[at+size:]...)
			if e := Compare(try, one, other, masks...); e != nil && e.Step == len(try.Steps)-1 {
				c, d, smaller = try, e, true
				break
			}
		}
		if !smaller {
			size /= 2
		}
	}
	return c, d
}
