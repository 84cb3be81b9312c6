package southbound

import (
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
)

// StallLimit is how long a call of an application may take before an alarm says that it does not return.
const StallLimit = 5 * time.Second

// Calls is in which call of an application a goroutine is. Begin and End are that goroutine's, Stalled is
// of one that watches.
type Calls struct {
	number  uint64
	current atomic.Uint64 // number and application of the call; 0: none

	seen  uint64
	since time.Time
}

// appBits are the bits of an application's number.
const appBits = 8

// Begin begins a call of an application, which has a number up to 255. It ends the call before.
func (c *Calls) Begin(app int) {
	c.number++
	c.current.Store(c.number<<appBits | uint64(app))
}

// End ends the call.
func (c *Calls) End() { c.current.Store(0) }

// Stalled returns the number of the application whose call has not returned since it was first looked
// for, StallLimit ago.
func (c *Calls) Stalled(now time.Time) (app int, stalled bool) {
	if at := c.current.Load(); at == 0 || at != c.seen {
		c.seen, c.since = at, now
		return 0, false
	}
	return int(c.seen & (1<<appBits - 1)), now.Sub(c.since) >= StallLimit
}

// StallPart looks every second for sessions whose reader an application does not return to. Others go
// on; nothing that the switch says is read meanwhile, since nobody else may read it.
func (g *Registry) StallPart(now func() time.Time) *loop.Part {
	alarmed := make(map[*Switch]string)
	return &loop.Part{Name: "stalled applications", Beats: int(time.Second / beat.Every), Turn: func() time.Time {
		at := now()
		g.lookForStalls(at, alarmed)
		return at.Add(time.Second)
	}}
}

// lookForStalls raises an alarm for each session that stands, and clears those of others.
func (g *Registry) lookForStalls(now time.Time, alarmed map[*Switch]string) {
	var stalled []*Switch
	g.mu.Lock()
	for sw := range g.sessions {
		if app, late := sw.calls.Stalled(now); late && alarmed[sw] == "" {
			alarmed[sw] = g.apps[app].Name() + ": switch " + sw.DPID.String()
			stalled = append(stalled, sw)
		}
	}
	g.mu.Unlock()
	for _, sw := range stalled {
		g.cfg.Alarms.Raise(netview.AlarmAppStalled, alarmed[sw],
			"it has not returned from a call for "+StallLimit.String()+": until it does, nothing is read that the switch sends")
	}
	for sw, object := range alarmed {
		if !sw.calls.stands() {
			delete(alarmed, sw)
			g.cfg.Alarms.Clear(netview.AlarmAppStalled, object)
		}
	}
}

// stands reports whether the call is still the one that Stalled has seen.
func (c *Calls) stands() bool { return c.seen != 0 && c.current.Load() == c.seen }
