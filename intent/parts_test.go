package intent

import (
	"errors"
	"testing"
)

// TestParts: the answers of parts come together in the order of the requests, in whatever order the
// parts end; a part that is rejected ends the list.
func TestParts(t *testing.T) {
	const requests, parts = 2*MaxAdmitted + 1, 3
	rejected, lost := errors.New("rejected"), errors.New("lost")
	for _, c := range []struct {
		name       string
		rejectedAt int // a part; -1: none is
		lostAt     int // the part whose commit fails
		want       error
		answered   [parts]bool
	}{
		{"all", -1, -1, nil, [parts]bool{true, true, true}},
		{"the first rejected", 0, -1, rejected, [parts]bool{}},
		{"the second rejected", 1, -1, rejected, [parts]bool{true}},
		{"the second lost", -1, 1, lost, [parts]bool{true, false, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls, part := 0, 0
			var ends []func()
			p := NewParts(requests, func([]Answer, error) { calls++ })
			err := p.Submit(func(from, upto int, ended func([]Answer, error)) error {
				at := part
				if part++; at == c.rejectedAt {
					return rejected
				}
				answers := make([]Answer, upto-from)
				for i := range answers {
					answers[i].Number = uint32(from + i + 1)
				}
				ends = append(ends, func() {
					if at == c.lostAt {
						ended(nil, lost)
					} else {
						ended(answers, nil)
					}
				})
				return nil
			})
			if (err != nil) != (c.rejectedAt == 0) || calls != 0 {
				t.Fatalf("submitted with %v, done %d times", err, calls)
			}
			for i := range ends { // the last first
				ends[len(ends)-1-i]()
			}
			if want := min(len(ends), 1); calls != want {
				t.Fatalf("done %d times, want %d", calls, want)
			}
			answers, err := p.Answers()
			if !errors.Is(err, c.want) {
				t.Errorf("ended with %v, want %v", err, c.want)
			}
			for i := range answers {
				if want := uint32(i + 1); (answers[i].Number == want) != c.answered[i/MaxAdmitted] {
					t.Fatalf("answer %d is %d, answered: %v", i, answers[i].Number, c.answered)
				}
			}
		})
	}
}
