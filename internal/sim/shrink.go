package sim

import (
	"regexp"
	"time"
)

// Shrink looks for a plan with fewer and shorter events of which the same is wrong, and returns it
// with what came of it. It runs plans some hundred times, tries at most.
func Shrink(p *Plan, o Outcome, tries int, run func(*Plan, func(string, ...any)) Outcome) (*Plan, Outcome) {
	want := sort(o)
	attempt := func(events []Event) bool {
		if tries--; tries < 0 {
			return false
		}
		next := *p
		next.Events = events
		came := run(&next, nil)
		if sort(came) != want {
			return false
		}
		p, o = &next, came
		return true
	}
	for part := (len(p.Events) + 1) / 2; part >= 1; {
		dropped := false
		for i := 0; i < len(p.Events); {
			rest := append([]Event(nil), p.Events[:i]...)
			if attempt(append(rest, p.Events[min(i+part, len(p.Events)):]...)) {
				dropped = true
				continue
			}
			i += part
		}
		if !dropped || part > 1 {
			part /= 2
		}
	}
	for i := range p.Events {
		for p.Events[i].For > 100*time.Millisecond {
			shorter := append([]Event(nil), p.Events...)
			shorter[i].For = shorter[i].For / 2
			if !attempt(shorter) {
				break
			}
		}
	}
	return p, o
}

var number = regexp.MustCompile(`[0-9][0-9a-f.:/]*`)

// sort is the sort of what is wrong: its first words, whatever the numbers in it are. Panics differ
// by where they are.
func sort(o Outcome) string {
	if len(o.Wrong) == 0 {
		return ""
	}
	text := number.ReplaceAllString(o.Wrong[0], "#")
	return text[:min(len(text), 40)]
}
