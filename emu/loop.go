package emu

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/session"
)

// The goroutines of this package, all of them started here:
//
//   - loop, one for each engine, from Start to Close: owns the engine.
//   - attempts.connect, one for each connection that is being made, at most maxStarting at a time: it ends
//     when the connection stands or failed; the session's reader goes on.
//   - the timers of back-offs, which start connections again.

func startTime() time.Time { return time.Now() }

// age is how old a network is that began at a time.
func age(epoch time.Time) time.Duration { return time.Since(epoch) }

// Start has the engines run and the switches connect; it returns at once. When ctx is done, no more
// connections are made. The error is returned if TCP connections would need more open files than
// may be had, or is ErrClosed.
func (n *Network) Start(ctx context.Context) error {
	if n.cfg.Dial == nil {
		if err := raiseFiles(len(n.switches) * len(n.cfg.Controllers)); err != nil {
			return err
		}
	}
	n.mu.Lock()
	if n.started || n.closed {
		n.mu.Unlock()
		return ErrClosed
	}
	n.started = true
	ctx, n.cancel = context.WithCancel(ctx)
	if n.cfg.Driver == nil {
		for _, e := range n.engines {
			n.runner.running.Go(func() { e.loop() })
		}
	}
	n.mu.Unlock()
	n.attempts.begin(ctx)
	for _, h := range n.hosts {
		h.do(func(stack, time.Duration, host.Output) {})
	}
	return nil
}

// Close takes the network down: all connections end, all engines stop. It waits for them until ctx
// is done.
func (n *Network) Close(ctx context.Context) error {
	n.mu.Lock()
	if !n.closed {
		n.closed = true
		close(n.stop)
		n.stopped.Store(true)
	}
	if n.cancel != nil {
		n.cancel()
	}
	n.mu.Unlock()
	n.attempts.end()
	for _, sw := range n.switches {
		_ = sw.control.setFaults(AllControllers, func(f *faults) { *f = faults{} })
	}
	err := n.dialer.Close(ctx)
	n.runner.running.Wait()
	return err
}

// loop runs the engine.
func (e *engine) loop() {
	n, r := e.net, e.newIdleWaiter()
	defer r.end()
	for !n.stopped.Load() {
		next, more, ok := e.step(n.now())
		if more {
			runtime.Gosched() // to those who read what controllers say
			continue
		}
		if !e.maySleep() {
			continue
		}
		if !ok {
			next = n.now() + time.Hour
		}
		r.until(next)
	}
}

// wakeUp wakes an engine that sleeps.
func (e *engine) wakeUp() {
	select {
	case e.wakeup <- struct{}{}:
	default:
	}
}

// AwaitConnected waits until every switch that has power is connected to a controller at least.
// Without controllers it does not wait.
func (n *Network) AwaitConnected(ctx context.Context) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		have, want := n.connected.Load(), n.on.Load()
		if have >= want || len(n.cfg.Controllers) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d switches are connected%s: %w", have, want, n.troubleSuffix(), ctx.Err())
		case <-n.stop:
			return ErrClosed
		case <-tick.C:
		}
	}
}

// lost schedules the next attempt to connect, if a connection is wanted.
func (ch *channel) lost() {
	if after, again := ch.failed(); again {
		n := ch.sw.net
		n.runner.later(after, func() { n.attempts.enqueue(ch) })
	}
}

// runner runs what a network does beside its engines: in goroutines, or by its driver.
type runner struct {
	driver  Driver         // nil: goroutines
	running sync.WaitGroup // they and the engines' loops
}

// spawn runs a function that may block.
func (r *runner) spawn(f func()) {
	if r.driver != nil {
		r.driver.After(0, f)
		return
	}
	r.running.Go(f)
}

// later runs a function after a time.
func (r *runner) later(after time.Duration, f func()) {
	if r.driver != nil {
		r.driver.After(after, f)
		return
	}
	time.AfterFunc(after, f)
}

// pause waits for a time, or for the end of the connection; true if the fault changed meanwhile.
func pause(d time.Duration, ended, changed <-chan struct{}) bool {
	if d <= 0 {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ended:
	case <-changed:
		return true
	}
	return false
}

var _ session.SwitchHandler = (*conn)(nil)
