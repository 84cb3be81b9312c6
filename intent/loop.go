package intent

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/weirnet/weir/loop"
)

// ErrGone is the error of Wait for an intent that does not exist, or no longer.
var ErrGone = errors.New("intent: there is no such intent")

func (c *Config) setClock() {
	if c.Now == nil {
		c.Now = time.Now
	}
}

// part is how the engine has its turns. Rules stay in the switches when it ends.
func (e *Engine) part() loop.Part {
	return loop.Part{
		Name: "intents", Bell: loop.NewBell(),
		Turn:    e.turn,
		Portion: e.portion,
		Changed: func() <-chan struct{} { return e.follower.Changed() },
		Behind:  func() bool { return e.follower.Behind() },
		Woken: func(rung bool) {
			if rung {
				yieldProcessor() // outcomes often come in groups: process them in one step
			}
		},
		End: func() {
			e.decisions.flush(e.core)
			e.shutDown()
			close(e.done)
		},
	}
}

// yieldProcessor lets the goroutines run that send the orders: they may be queued behind this one,
// which has much to do, on the same processor.
func yieldProcessor() { runtime.Gosched() }

// Submit submits requests and waits until those accepted are durable: see SubmitAsync. If the
// context ends first, they may become durable all the same.
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

// Wait waits until an intent enters one of some states. The error is the context's, with the intent
// as it is then, or ErrGone.
func (e *Engine) Wait(ctx context.Context, id string, want ...State) (Intent, error) {
	in, n, w, ok := e.catalog.wait(id, want)
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
		e.catalog.cancelWait(n, w)
		if now, ok := e.Get(id); ok {
			in = now
		}
		return in, ctx.Err()
	}
}

// Query calls f with the core on the engine's goroutine, between two steps, and waits for it. It
// returns false after shutdown.
func (e *Engine) Query(f func(*Core)) bool {
	asked := make(chan struct{})
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return false
	}
	e.queries = append(e.queries, func(c *Core) { f(c); close(asked) })
	e.mu.Unlock()
	e.Bell.Ring()
	select {
	case <-asked:
		return true
	case <-e.done:
		return false
	}
}
