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

	// Portion, if set, is what Prompt calls in place of Turn: as much of it as may delay another part. More
	// is whether something is left.
	Portion func() (next time.Time, more bool)

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

	turns atomic.Uint64 // done by Run, and by Prompt
	next  time.Time     // of the next beat, if the part is stepped

	owned owned       // whether somebody has a turn
	due   atomic.Bool // Run has taken the bell's token, and has not begun the turn
	timer *time.Timer // of Run: when the last turn wanted another
}

// Run calls Turn until the context ends: first at once, or at the first beat.
func (p *Part) Run(ctx context.Context) {
	if p.Own != nil {
		p.Own(ctx)
		return
	}
	beats := stopped()
	defer beats.Stop()
	p.timer = stopped()
	p.owned.begin()
	defer p.end()
	var changed <-chan struct{}
	beaten := false
	if p.Beats > 0 {
		beats.Reset(beat.Next(time.Now(), p.Beats))
	}
	for due := !p.onBeats(); ; due = true {
		p.due.Store(false)
		if due && p.owned.take() {
			if beaten {
				p.Beat()
				beaten = false
			}
			p.have(p.whole)
			if changed = nil; p.Changed != nil {
				changed = p.Changed()
			}
			p.release(false)
		} else if due {
			changed = nil // who has a turn now rings when it is over
		} else if p.Changed != nil {
			changed = p.Changed()
		}
		again, beat := p.wait(ctx, changed, beats)
		if !again {
			return
		}
		beaten = beaten || beat
	}
}

// onBeats reports whether the turns are the beats.
func (p *Part) onBeats() bool { return p.Beats > 0 && p.Beat == nil }

// end waits for the end of a turn of Prompt, has no other begin, and ends the part.
func (p *Part) end() {
	for !p.owned.take() {
		<-p.Bell.C()
	}
	p.timer.Stop()
	if p.End != nil {
		p.End()
	}
}

// whole is a turn as a portion, after which nothing is left.
func (p *Part) whole() (next time.Time, more bool) { return p.Turn(), false }

// have has a turn, or a portion of one, and sets the timer for the next. The caller owns the part.
func (p *Part) have(portion func() (time.Time, bool)) (more bool) {
	next, more := portion()
	p.turns.Add(1)
	if p.Lazy && !next.IsZero() {
		next = next.Add(beat.Wait(next))
	}
	p.timer.Stop()
	if !next.IsZero() && !p.onBeats() {
		p.timer.Reset(time.Until(next))
	}
	return more
}

// release ends the caller's ownership. If another turn is due, by more or by Run, Run has it.
func (p *Part) release(more bool) {
	if p.owned.release() || more {
		p.Bell.Ring()
	}
}

// Prompt is Ring for a caller with little input that may wait for the turn: it has the turn itself, or a
// Portion of one, if the part runs, nobody has a turn and none is due. The caller holds no lock, and queues
// its input before, as for Ring. A part that has a turn and prompts another may be prompted in turn: that
// rings. What a part does after it has prompted another must not depend on whether that had its turn.
func (p *Part) Prompt() {
	if p.Bell.Rung() || p.due.Load() || !p.owned.try() {
		p.Bell.Ring()
		return
	}
	portion := p.Portion
	if portion == nil {
		portion = p.whole
	}
	p.release(p.have(portion))
}

// owned is whether somebody has a turn of a part: at most one has.
type owned struct{ state atomic.Int32 }

// The states. Nobody can take the part before begin.
const (
	notBegun int32 = iota
	free
	taken
	wanted // taken, and somebody who could not take it waits
)

// begin makes the part free.
func (o *owned) begin() { o.state.Store(free) }

// try makes the caller the owner, unless there is one.
func (o *owned) try() bool { return o.state.CompareAndSwap(free, taken) }

// take is try for Run: an owner is told that somebody waits.
func (o *owned) take() bool {
	for !o.try() {
		if o.state.CompareAndSwap(taken, wanted) || o.state.Load() == wanted {
			return false
		}
	}
	return true
}

// release makes the part free, and reports whether somebody waits for it.
func (o *owned) release() bool { return o.state.Swap(free) == wanted }

// stopped returns a timer that does not fire before it is reset.
func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// wait waits until a turn is due, or a beat; again is false if the context has ended.
func (p *Part) wait(ctx context.Context, changed <-chan struct{}, beats *time.Timer) (again, beaten bool) {
	rung := false
	select {
	case <-ctx.Done():
		return false, false
	case <-p.timer.C:
		return true, false
	case now := <-beats.C:
		beats.Reset(beat.Next(now, p.Beats))
		return true, p.Beat != nil
	case <-p.Bell.C():
		rung = true
		p.due.Store(true)
	case <-changed:
	}
	if p.Woken != nil {
		p.Woken(rung)
	}
	return p.After == nil || beat.Sleep(ctx, p.After()), false
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
