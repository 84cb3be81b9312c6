package emu

import (
	"context"
	"time"

	"github.com/weirnet/weir/session"
)

// Driver is the clock and the scheduler of a network, in place of the goroutines of loop.go: for
// simulations, where one goroutine steps everything and sets the time. It calls
// Network.Turn after whatever it did to the network, and when its time has come. The connections
// that Config.Dial gives it, at once, are those of session.Driver. Faults of control channels but
// cuts are the driver's own: Stall and Slow do nothing.
type Driver interface {
	session.Driver
	// After calls a function when a time has passed, never within the call of After.
	After(d time.Duration, f func())
}

// dialler is the key of the switch in the context of Config.Dial.
type dialler struct{}

// Dialling is the switch that wants a connection, by the context that Config.Dial is given; nil in
// other contexts.
func Dialling(ctx context.Context) *Switch {
	sw, _ := ctx.Value(dialler{}).(*Switch)
	return sw
}

// turnRounds is how many rounds of an engine are one turn at most: frames that never come to rest
// must not hold up the driver.
const turnRounds = 64

// Turn has everything happen that is due now, in the order of the engines. It says when to call it
// again: at once, if more is left to do; else at a time, if it is ok.
func (n *Network) Turn() (next time.Duration, more, ok bool) {
	for range turnRounds {
		more = false
		for _, e := range n.engines {
			_, busy, _ := e.step(n.now())
			more = busy || more
		}
		for _, e := range n.engines {
			more = !e.maySleep() || more
		}
		if !more {
			break
		}
	}
	for _, e := range n.engines {
		if at, has := e.timers.next(); has && (!ok || at < next) {
			next, ok = at, true
		}
	}
	return next, more, ok
}

// driven is the network's age by its driver.
func (n *Network) driven() time.Duration { return n.cfg.Driver.Now().Sub(n.epoch) }
