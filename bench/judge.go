package bench

import "fmt"

// atCapacity is from which part of the generator's own capacity on a controller may be faster than was measured.
const atCapacity = 0.9

// judge says what the generator's self-check means for the other results: none if it failed.
func (r *Report) judge() {
	var own *Result
	for _, x := range r.Results {
		if x.SelfCheck {
			own = x
		}
	}
	switch {
	case own == nil:
		return
	case own.Refused != "":
		for _, x := range r.Results {
			if x != own && x.Refused == "" {
				x.refuse(fmt.Errorf("the generator's self-check against the null responder failed: %s", own.Refused))
			}
		}
		r.finish()
	case r.Load.Rate == 0:
		for _, x := range r.Results {
			if x != own && x.Refused == "" && len(x.Measures) > 0 && x.Measures[0].Ratios[own.Subject] >= atCapacity {
				x.Notes = append(x.Notes, "as fast as the null responder: what was measured is the generator and the machine, not what the controller can do")
			}
		}
	}
}
