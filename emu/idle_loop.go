package emu

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/emu/alarmclock"
)

// idleWaiter is how an engine without anything to do waits: for its bell, or for a time. Where a
// time was promised to somebody, that is exact to some microseconds: by an alarm clock until
// shortly before, and by looking at the clock for the rest.
type idleWaiter struct {
	*engine
	timer   *time.Timer
	alarm   *alarmclock.Clock // nil: there is none on this system
	wokenAt atomic.Int64      // when, last
}

// Of a wait for what a switch with a profile is to do, the last watch is spent looking at the
// clock: an alarm clock's waking takes about so long.
const watch = 60 * time.Microsecond

// newIdleWaiter has a goroutine ring the engine's bell at alarms, until end.
func (e *engine) newIdleWaiter() *idleWaiter {
	r := &idleWaiter{engine: e, timer: time.NewTimer(time.Hour), alarm: alarmclock.New()}
	if a := r.alarm; a != nil {
		go func() {
			for a.Await() {
				e.net.wakeLatency.add(e.net.now() - time.Duration(r.wokenAt.Load()))
				e.wakeUp()
			}
		}()
	}
	return r
}

func (r *idleWaiter) end() {
	r.timer.Stop()
	if r.alarm != nil {
		r.alarm.Close()
	}
}

// until waits for the bell, or for a time.
func (r *idleWaiter) until(next time.Duration) {
	n, exact, watch := r.net, r.timers.exact > 0, watch
	if !r.fine {
		watch = 0
	}
	begun := n.now()
	r.late.Rests(begun)
	if exact && r.alarm != nil && next-begun > watch && next-begun < time.Hour {
		r.wokenAt.Store(int64(next - watch))
		r.alarm.Set(next - begun - watch)
	}
	if !exact || next-begun > watch {
		r.timer.Reset(next - begun)
		select {
		case <-n.stop:
		case <-r.wakeup:
		case <-r.timer.C:
		}
	}
	now := n.now()
	if exact && next-now <= watch {
		for now < next && len(r.wakeup) == 0 && !n.stopped.Load() {
			runtime.Gosched()
			now = n.now()
		}
	}
	r.late.Wakes(now, now-next)
}
