package loop

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/beat"
)

// Part is what has a goroutine of its own in an instance. An engine embeds it and fills it in when
// it is made; all but Name and Turn may be left out.
type Part struct {
	Name string
	// Turn does all that has come, and all that is due. It returns when it is to be called if
	// nothing comes; zero is never.
	Turn func() (next time.Time)
	Bell Bell // rung by who leaves something for Turn

	// Changed returns a channel that is closed at the next change of what the part follows, or at
	// once if there was one since its last turn; Behind reports whether there was one.
	Changed func() <-chan struct{}
	Behind  func() bool

	// After returns how long after the part was woken it has its turn, so that what comes together
	// is one turn; nil is at once.
	After func() time.Duration
	// Woken is called by Run between waking and turn: to let those go on who leave more.
	Woken func(rung bool)
	// Lazy has Run wait from the time that Turn returned to the next beat.
	Lazy bool

	// Beats, if not 0, is how many beats (package beat) lie between two calls of Beat, or of Turn
	// where there is no Beat. Who steps the part calls it at the times that Step returns.
	Beats int
	Beat  func()

	End func() // called when Run returns
	// Own is called by Run in place of all this: a part that waits in a way of its own. Its turns
	// are counted by Count.
	Own func(ctx context.Context)

	turns atomic.Uint64 // that Run has done
	next  time.Time     // of the next beat, of a part that is stepped
}

// Run gives the part its turns until the context ends: the first at once, or with the first beat.
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

// stopped is a timer that does not fire before it is reset.
func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// wait returns when the part is to have a turn; false if the context has ended.
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

// Waiting reports whether something has come that a turn would handle.
func (p *Part) Waiting() bool { return p.Bell.Rung() || p.Behind != nil && p.Behind() }

// Step is one round of Run, for callers that drive the part themselves: at any time, and when
// Waiting says so and After has passed, or the time that the last call returned has come (zero is
// never).
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

// Pulse has the part take a turn soon, and returns how many it has done: of a part that hangs the
// number stays the same. It never blocks.
func (p *Part) Pulse() uint64 {
	p.Bell.Ring()
	return p.turns.Load()
}

// Count counts a turn of a part that waits in a way of its own.
func (p *Part) Count() { p.turns.Add(1) }
