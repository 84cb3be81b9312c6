package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/load"
)

// TestInterrupted wants an interrupted scenario to say how far it came, and nobody's result refused
// for it.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var said []string
	c := &Reactive{Config: load.Config{Hosts: 10, Warmup: time.Millisecond, Outstanding: 10, Buffered: true},
		Targets: []string{nullController(t)}, Duration: 5 * time.Millisecond,
		Options: Options{Runs: 5, NoSelfCheck: true, Note: func(format string, args ...any) {
			said = append(said, fmt.Sprintf(format, args...))
			if strings.HasPrefix(said[len(said)-1], "run 2 of 5") {
				stop()
			}
		}}}
	r, err := Run(ctx, c)
	if r != nil || !errors.Is(err, context.Canceled) || err.Error() != "interrupted after 2 of 5 runs: no report" {
		t.Errorf("%v, %v", r, err)
	}
	if all := strings.Join(said, "\n"); strings.Contains(all, "no result") {
		t.Errorf("said\n%s", all)
	}
}

// TestRefusalIsSaid wants a subject without a result said when it is known, before the others are
// measured.
func TestRefusalIsSaid(t *testing.T) {
	var said []string
	c := &Reactive{Config: load.Config{Hosts: 10, Warmup: time.Millisecond, Outstanding: 10, Buffered: true},
		Targets: []string{"127.0.0.1:1", nullController(t)}, Duration: 5 * time.Millisecond,
		Options: Options{Runs: 1, NoSelfCheck: true, Note: func(format string, args ...any) {
			said = append(said, fmt.Sprintf(format, args...))
		}}}
	if _, err := Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if len(said) == 0 || !strings.HasPrefix(said[0], "127.0.0.1:1: no result: ") {
		t.Errorf("said %q, want the refusal first", said)
	}
}
