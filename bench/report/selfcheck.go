package report

import (
	"fmt"
	"strings"
)

// atCapacity is from which part of the generator's own capacity on a controller may be faster than
// was measured.
const atCapacity = 0.9

// ApplySelfChecks says what the generator's self-checks mean for the other results: none if the one
// failed that goes with it.
func (r *Report) ApplySelfChecks() {
	failed := false
	for _, own := range r.Results {
		if !own.SelfCheck {
			continue
		}
		for _, x := range r.Results {
			switch {
			case x.SelfCheck || x.Refused != "" || !own.checksResult(x):
			case own.Refused != "":
				x.Refuse(fmt.Errorf("the generator's self-check against the null responder failed: %s", own.Refused))
				failed = true
			case r.Load.Rate == 0 && x.nearSelfCheck(own):
				x.Notes = append(x.Notes,
					"as fast as the null responder: what was measured is the generator and the machine, not what the controller can do")
			}
		}
	}
	if failed {
		r.Finish()
	}
}

// checksResult reports whether a self-check goes with a result: it is the only one, or of the same
// form of requests.
func (x *Result) checksResult(other *Result) bool {
	form, named := strings.CutSuffix(x.Subject, ", "+NullInstance)
	return !named || form == other.Subject
}

// nearSelfCheck reports whether a first measure is that of the self-check, nearly: a rate from
// below, a time from above.
func (x *Result) nearSelfCheck(own *Result) bool {
	if len(x.Measures) == 0 {
		return false
	}
	ratio := x.Measures[0].Ratios[own.Subject]
	if x.Measures[0].Unit == "ms" {
		return ratio > 0 && ratio <= 1/atCapacity
	}
	return ratio >= atCapacity
}
