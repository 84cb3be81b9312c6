package flowsync

import "testing"

// TestEffectsAreOfWholeStates: whatever happens in whatever state, the state after it holds one of the things that
// there are.
func TestEffectsAreOfWholeStates(t *testing.T) {
	for e := range events {
		f := effects[e]
		for _, part := range []ruleState{wanted, progress} {
			if f.sets&part != 0 && f.clears&part != part {
				t.Errorf("event %d sets a part of %b and leaves the rest", e, part)
			}
		}
		for s := ruleState(0); s < listed<<1; s++ {
			if s.wrong() == "" && s&held != isRule && s.after(e)&held == isRule {
				t.Errorf("event %d makes of %s %s", e, s, s.after(e))
			}
		}
	}
}
