package loop

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/beat"
)

// Part is an engine of an instance with a goroutine of its own. The engine embeds it and fills it in
// when it is created. Only Name and Turn are required.
type Part struct {
	Name string
	// Turn handles all input, and does all that is due. It returns when to call it again if there is
	// no input before; zero is never.
	Turn func() (next time.Time)
	Bell Bell // rung after input was queued for Turn

	// Changed returns a channel that is closed at the next change of the state that the part follows,
	// or is closed already if there was one since its last turn; Behind reports whether there was one.
	Changed func() <-chan struct{}
	Behind  func() bool

	// After returns the delay between waking and turn, so that one turn handles what arrives
	// together; nil is none.
	After func() time.Duration
	// Woken is called by Run between waking and that delay: to let producers of input continue.
	Woken func(rung bool)
	// Lazy postpones the time that Turn returns to the next beat.
	Lazy bool

	// Beats, if not 0, is the number of beats (package beat) between two calls of Beat, or of Turn
	// without Beat. A part that is stepped beats at the times that Step returns.
	Beats int
	Beat  func()

	End func() // called when Run returns
	// Own, if set, is the loop of a part that needs another one; Run only calls it. It counts its
	// turns with Count.
	Own func(ctx context.Context)

	turns atomic.Uint64 // done by Run
	next  time.Time     // of the next beat, if the part is stepped
}

// Run calls Turn until the context ends: first at once, or at the first beat.
func (p *Part) Run(ctx context.Context) {
	if p.Own != nil {
		p.Own(ctx)
		return
	}
	if p.End != nil {
		defer p.End()
	}
	timer, beats := stopped(), stopped()
	defer timer.Stop()
	defer beats.Stop()
	onBeats := p.Beats > 0 && p.Beat == nil
	if p.Beats > 0 {
		beats.Reset(beat.Next(time.Now(), p.Beats))
	}
	for first := true; ; first = false {
		if !first || !onBeats {
			next := p.Turn()
			p.turns.Add(1)
			if p.Lazy && !next.IsZero() {
				next = next.Add(beat.Wait(next))
			}
			timer.Stop()
			if !next.IsZero() && !onBeats {
				timer.Reset(time.Until(next))
			}
		}
		if !p.wait(ctx, timer, beats) {
			return
		}
	}
}

// stopped returns a timer that does not fire before it is reset.
func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// wait waits until a turn is due; it returns false if the context has ended.
func (p *Part) wait(ctx context.Context, timer, beats *time.Timer) bool {
	var changed <-chan struct{}
	if p.Changed != nil {
		changed = p.Changed()
	}
	rung := false
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	case now := <-beats.C:
		beats.Reset(beat.Next(now, p.Beats))
		if p.Beat != nil {
			p.Beat()
		}
		return true
	case <-p.Bell.C():
		rung = true
	case <-changed:
	}
	if p.Woken != nil {
		p.Woken(rung)
	}
	return p.After == nil || beat.Sleep(ctx, p.After())
}

// Waiting reports whether there is input for a turn.
func (p *Part) Waiting() bool { return p.Bell.Rung() || p.Behind != nil && p.Behind() }

// Step does one round of Run, for callers that drive the part themselves. It may be called at any
// time; it is due when Waiting is true and After has passed, and at the time that the last call
// returned (zero is never).
func (p *Part) Step(now time.Time) (next time.Time) {
	if p.Beat != nil {
		period := time.Duration(p.Beats) * beat.Every
		if p.next.IsZero() {
			p.next = now.Add(period)
		} else if !now.Before(p.next) {
			p.Beat()
			p.next = now.Add(period)
		}
	}
	if p.Bell.Take() && p.Woken != nil {
		p.Woken(true)
	}
	if next = p.Turn(); next.IsZero() || !p.next.IsZero() && p.next.Before(next) {
		return p.next
	}
	return next
}

// Pulse requests a turn, and returns the number of completed turns: it stays the same if the part
// hangs. It never blocks.
func (p *Part) Pulse() uint64 {
	p.Bell.Ring()
	return p.turns.Load()
}

// Count counts a turn of a part with a loop of its own.
func (p *Part) Count() { p.turns.Add(1) }
