package sim

import (
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/session"
)

// wires are the connections that there are, in the order in which they were made. Those whose
// sessions have ended leave with the next tick.
type wires struct {
	w       *world
	live    []*wire
	made    int
	reading *end // of a switch, while it takes what came
}

// connect makes a connection of a switch with an instance.
func (x *wires) connect(sw int, m *machine) *wire {
	x.made++
	c := &wire{w: x.w, id: x.made, sw: sw, machine: m, random: x.w.random(randWire, uint64(sw)<<16|uint64(x.made))}
	for i := range c.ends {
		c.ends[i] = &end{wire: c, which: i}
	}
	c.ends[0].peer, c.ends[1].peer = c.ends[1], c.ends[0]
	x.live = append(x.live, c)
	return c
}

// tick wakes sessions whose deadline has passed, every session.TickInterval.
func (x *wires) tick() {
	live := x.live[:0]
	for _, c := range x.live {
		for _, e := range c.ends {
			if e.session != nil && e.session.Due() {
				e.running(e.session.Wake)
			}
		}
		if !c.over() {
			live = append(live, c)
		}
	}
	clear(x.live[len(live):])
	x.live = live
	x.w.After(session.TickInterval, x.tick)
}

// orphan ends the connections of a machine whose instance is gone.
func (x *wires) orphan(m *machine) {
	for _, c := range x.live {
		e := c.ends[atInstance]
		if c.machine == m && e.session != nil && !e.session.Ended() {
			e.session = nil // nobody steps it any more
			e.Close()
		}
	}
}

// control does something to the connections of a switch.
func (x *wires) control(e Event, mend func(func())) {
	sw := x.w.net.Switches()[e.A]
	var live []*wire
	for _, c := range x.live {
		if c.sw == e.A && !c.over() {
			live = append(live, c)
		}
	}
	each := func(do func(*end)) {
		for _, c := range live {
			for _, at := range c.ends {
				do(at)
			}
		}
	}
	switch e.Kind {
	case CutControl:
		for _, c := range live {
			c.cut(true)
		}
	case LoseControl:
		for _, c := range live {
			c.cut(false)
		}
	case NoControl:
		_ = sw.Control().CutOff(emu.AllControllers, true)
		mend(func() { _ = sw.Control().CutOff(emu.AllControllers, false) })
	case SlowControl:
		each(func(at *end) { at.slow = time.Duration(e.B) * time.Millisecond })
		mend(func() { each(func(at *end) { at.slow = 0 }) })
	case StallControl:
		stall := func(on bool) {
			for _, c := range live {
				c.ends[atSwitch].stalled = on
				c.ends[atSwitch].wake(0)
			}
		}
		stall(true)
		mend(func() { stall(false) })
	}
}
