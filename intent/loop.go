package intent

import (
	"context"
	"errors"
	"runtime"
	"time"
)

// ErrGone is the error of Wait for an intent that there is not, or no more.
var ErrGone = errors.New("intent: there is no such intent")

func (e *Engine) withClock() {
	if e.config.Now == nil {
		e.config.Now = time.Now
	}
}

// giveWay lets those go on who send what was ordered: they may stand behind this goroutine, which has much to do, on the same processor.
func giveWay() { runtime.Gosched() }

func (e *Engine) ring() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Submit takes requests and waits until what is accepted of them is durable: SubmitAsync says the rest. When the context ends first, they may
// become durable all the same.
func (e *Engine) Submit(ctx context.Context, reqs []Request, atomic bool) ([]Answer, error) {
	type result struct {
		answers []Answer
		err     error
	}
	ended := make(chan result, 1)
	if err := e.SubmitAsync(reqs, atomic, func(a []Answer, err error) { ended <- result{a, err} }); err != nil {
		return nil, err
	}
	select {
	case r := <-ended:
		return r.answers, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Wait waits until an intent is in one of some states. The error is the context's, or ErrGone; with the context's the intent is as it is now.
func (e *Engine) Wait(ctx context.Context, id string, want ...State) (Intent, error) {
	in, n, w, ok := e.wait(id, want)
	switch {
	case !ok:
		return in, ErrGone
	case w == nil:
		return in, nil
	}
	select {
	case in, ok := <-w.found:
		if !ok {
			return in, ErrGone
		}
		return in, nil
	case <-ctx.Done():
		e.leave(n, w)
		if now, ok := e.Get(id); ok {
			in = now
		}
		return in, ctx.Err()
	}
}

// Run runs the engine until the context ends. What is ordered stays in the switches.
func (e *Engine) Run(ctx context.Context) {
	defer close(e.done)
	defer e.finish()
	defer func() { e.decision.flush(e.core) }()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		var alarm <-chan time.Time
		if next := e.turn(e.config.Now()); !next.IsZero() {
			timer.Reset(time.Until(next))
			alarm = timer.C
		}
		e.turns.Add(1)
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
			giveWay() // more outcomes may be about to come: they are one step then
		case <-e.follow.changed():
		case <-alarm:
		}
	}
}

// Pulse has Run do a turn soon, and returns how many it has done: who asks again and again sees whether it hangs. It never blocks.
func (e *Engine) Pulse() uint64 {
	e.ring()
	return e.turns.Load()
}

// Turn is one round of Run, for who steps an engine that does not run: when Waiting says so, or the time of the last call has come (zero: never).
func (e *Engine) Turn() (next time.Time) {
	select {
	case <-e.wake:
	default:
	}
	return e.turn(e.config.Now())
}

// Waiting says whether something has come that Turn would handle.
func (e *Engine) Waiting() bool { return len(e.wake) > 0 || e.follow.behind() }

// Ask has f called with the core by the engine's goroutine, between two steps, and waits for it. It returns false if the engine is over.
func (e *Engine) Ask(f func(*Core)) bool {
	asked := make(chan struct{})
	e.mu.Lock()
	if e.over {
		e.mu.Unlock()
		return false
	}
	e.asks = append(e.asks, func(c *Core) { f(c); close(asked) })
	e.mu.Unlock()
	e.ring()
	select {
	case <-asked:
		return true
	case <-e.done:
		return false
	}
}
