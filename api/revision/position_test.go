package revision

import (
	"errors"
	"testing"
)

// FuzzPosition: what parses is what Text writes, but for leading zeros.
func FuzzPosition(f *testing.F) {
	for _, s := range []string{"e.1", "e.1.2", "e.01", "x.1", "e.1.0", "e.-1", "e.18446744073709551615.9", "e.1.i5",
		"e.1.2.i5-3", "e.1.i5-0", "e.i5", "e.1.2.3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Run("e").Parse(text)
		if err != nil {
			return
		}
		if again, err := Run("e").Parse(Run("e").Text(p)); err != nil || again != p {
			t.Fatalf("%q parses as %v and again as %v, %v", text, p, again, err)
		}
	})
}

// TestPositions: each position has one text, which another run does not take.
func TestPositions(t *testing.T) {
	for want, p := range map[string]Position{
		"e.0":                    {},
		"e.7":                    {Revision: 7},
		"e.7.2":                  {Revision: 7, N: 2},
		"e.7.i9":                 {Revision: 7, Intents: 9},
		"e.7.2.i9-3":             {Revision: 7, N: 2, Intents: 9, Events: 3},
		"e.18446744073709551615": {Revision: 1<<64 - 1},
	} {
		if got := Run("e").Text(p); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
		if got, err := Run("e").Parse(want); err != nil || got != p {
			t.Errorf("%q is %+v, %v, want %+v", want, got, err, p)
		}
		if _, err := Run("another").Parse(want); !errors.Is(err, errOtherRun) {
			t.Errorf("%q of another run: %v", want, err)
		}
	}
}
