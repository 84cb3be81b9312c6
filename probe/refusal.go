package probe

import (
	"errors"
	"fmt"
	"time"
)

// Reasons why a measurement has no result; a Refusal wraps one.
var (
	// ErrPrivilege: the process may not open packet sockets, or change interfaces.
	ErrPrivilege = errors.New("no rights")
	// ErrNoInterface: there is no such interface, or no such network namespace.
	ErrNoInterface = errors.New("no such interface")
	// ErrDown: an interface is down, or has no carrier.
	ErrDown = errors.New("the interface is down")
	// ErrTaken: another probe measures at the interface.
	ErrTaken = errors.New("the interface is taken")
	// ErrHardware: the interface has no clock of its own.
	ErrHardware = errors.New("no hardware time stamps")
	// ErrOffload: the interface merges or cuts frames, and cannot be kept from it.
	ErrOffload = errors.New("offloads cannot be switched off")
	// ErrMerged: frames were seen that are longer than any on the wire.
	ErrMerged = errors.New("frames were merged")
	// ErrUnobserved: the observer lost frames.
	ErrUnobserved = errors.New("observations were lost")
	// ErrNoAnswer: the other station was not found, or nothing was answered.
	ErrNoAnswer = errors.New("no answer")
	// ErrLoss, ErrDoubled, ErrReordered and ErrCut: the path did that to more packets than are
	// allowed for.
	ErrLoss      = errors.New("the path loses packets")
	ErrDoubled   = errors.New("the path doubles packets")
	ErrReordered = errors.New("the path reorders packets")
	ErrCut       = errors.New("the path cuts packets into fragments")
	// ErrForeign: others send on the wire more than is allowed for.
	ErrForeign = errors.New("foreign traffic")
	// ErrDifferentWays: the way there and the way back differ, where they were said to be alike.
	ErrDifferentWays = errors.New("the two ways differ")
	// ErrClock: the clock was stepped in mid-run.
	ErrClock = errors.New("the clock was stepped")
	// ErrRate: a stream, or the load beside a measurement, did not reach the rate that was asked for.
	ErrRate = errors.New("the rate was not reached")
	// ErrNotNew: flows that were forgotten are forwarded without the controller.
	ErrNotNew = errors.New("flows are not new")
	// ErrHost: no host of Linux's own can be had at an interface.
	ErrHost = errors.New("no host at the interface")
	// ErrSpread: what was measured is not above the probe's own spread.
	ErrSpread = errors.New("below the probe's own spread")
	// ErrNoObserver: nobody at an address observes, or nobody of this version.
	ErrNoObserver = errors.New("no observer")
	// ErrKey: the two machines of a measurement have different keys.
	ErrKey = errors.New("the keys differ")
	// ErrGone: the machine at the other end stopped answering in mid-run.
	ErrGone = errors.New("the observer is gone")
	// ErrDisagree: clocks that were said to agree do not.
	ErrDisagree = errors.New("the clocks do not agree")
	// ErrImpossible: replies hold times that cannot be.
	ErrImpossible = errors.New("the times of replies cannot be")
)

// Reason is the reason with a text, one of the above if it is.
func Reason(text string) error {
	for _, err := range []error{ErrPrivilege, ErrNoInterface, ErrDown, ErrTaken, ErrHardware, ErrOffload, ErrMerged,
		ErrUnobserved, ErrNoAnswer, ErrLoss, ErrDoubled, ErrReordered, ErrCut, ErrForeign, ErrDifferentWays, ErrClock,
		ErrRate, ErrNotNew, ErrHost, ErrSpread, ErrNoObserver, ErrKey, ErrGone, ErrDisagree,
		ErrImpossible} {
		if err.Error() == text {
			return err
		}
	}
	return errors.New(text)
}

// Refusal says why a measurement has no result: what was seen, what was expected, and what to do.
type Refusal struct {
	Why            error // one of the reasons
	Seen, Want, Do string
}

// Error implements error.
func (r *Refusal) Error() string {
	s := fmt.Sprintf("%v: %s, want %s", r.Why, r.Seen, r.Want)
	if r.Do != "" {
		s += ": " + r.Do
	}
	return s
}

// Unwrap is the reason.
func (r *Refusal) Unwrap() error { return r.Why }

// Limits are up to where a measurement counts, as shares of the packets that were sent. The zero
// value allows nothing.
type Limits struct {
	Lost, Doubled, Reordered float64
	// Foreign is how many frames of others there may be for each one of the stations.
	Foreign float64
}

// Sound refuses limits that cannot be meant.
func (l Limits) Sound() error {
	for _, share := range []float64{l.Lost, l.Doubled, l.Reordered} {
		if !(share >= 0 && share <= 1) {
			return fmt.Errorf("%g given as a share of the packets, want 0 to 1, such as --max-loss 0.05 for one in twenty", share)
		}
	}
	if !(l.Foreign >= 0) {
		return fmt.Errorf("%g frames of others given for each one of the probe's, want 0 or more, such as --max-foreign 1", l.Foreign)
	}
	return nil
}

// Check finds what a way has done to more packets than the limits allow.
func (l Limits) Check(w *Way) error {
	n := w.Sent()
	above := func(count int, share float64) bool { return float64(count) > share*float64(n) }
	of := func(count int) string { return fmt.Sprintf("%d of %d", count, n) }
	most := func(share float64) string { return fmt.Sprintf("%g %% at most", share*100) }
	switch {
	case above(w.Lost, l.Lost):
		return &Refusal{Why: ErrLoss, Seen: of(w.Lost), Want: most(l.Lost), Do: "look for full queues, or allow it with --max-loss"}
	case above(w.Doubled, l.Doubled):
		return &Refusal{Why: ErrDoubled, Seen: of(w.Doubled), Want: most(l.Doubled), Do: "look for a loop, or two paths"}
	case above(w.Reordered, l.Reordered):
		return &Refusal{Why: ErrReordered, Seen: of(w.Reordered), Want: most(l.Reordered), Do: "look for several paths"}
	case w.Cut > 0:
		return &Refusal{Why: ErrCut, Seen: of(w.Cut), Want: "none", Do: "give both interfaces the least MTU of the path"}
	}
	return nil
}

// CheckCounts finds what an interface saw that spoils a measurement.
func (l Limits) CheckCounts(name string, c Counts) error {
	switch {
	case c.Merged > 0:
		return &Refusal{Why: ErrMerged, Seen: fmt.Sprintf("%d frames at %s longer than its MTU", c.Merged, name), Want: "none",
			Do: "have the probe switch offloads off, which --keep-offloads keeps it from"}
	case float64(c.Foreign) > l.Foreign*float64(c.Frames):
		return &Refusal{Why: ErrForeign, Seen: fmt.Sprintf("%d frames of others at %s beside %d", c.Foreign, name, c.Frames),
			Want: fmt.Sprintf("%g for each at most", l.Foreign), Do: "quiet the wire, or allow it with --max-foreign"}
	}
	return nil
}

// Clocks are readings of the clock of the stamps and of one that is never stepped, taken at the same
// time.
type Clocks struct{ Wall, Monotonic Stamp }

// steadiness is how far apart the distances of two clocks may be: what reading them takes.
const steadiness = 200 * time.Microsecond

// Steady refuses readings, in their order, between which the clock of the stamps was stepped.
func Steady(readings []Clocks) error {
	for i := 1; i < len(readings); i++ {
		a, b := readings[i-1], readings[i]
		wall, elapsed := b.Wall.Sub(a.Wall), b.Monotonic.Sub(a.Monotonic)
		if step := wall - elapsed; step.Abs() > steadiness {
			return &Refusal{Why: ErrClock, Seen: fmt.Sprintf("%v in %v", step, elapsed), Want: "none",
				Do: "measure again; stop what sets the clock meanwhile"}
		}
	}
	return nil
}
