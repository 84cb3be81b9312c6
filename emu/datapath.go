package emu

import (
	"time"

	"github.com/weirnet/weir/flowtable"
)

// datapath is the data side of a switch: its tables, the clock that they are given, and the time at which its engine
// lets entries run out. It is guarded by the switch's lock. Times never go back: an engine's, which is that of the
// beginning of its round, may be before that of a session's reader.
type datapath struct {
	engine  *engine
	table   *flowtable.Switch // nil without power
	entries int               // that the counts know of
	expires time.Duration     // when the engine looks for entries that run out; 0: it does not
	timer   timer
	latest  time.Duration // of the times that the tables were given
}

// clock is a time for the tables.
func (d *datapath) clock(now time.Duration) time.Duration {
	d.latest = max(d.latest, now)
	return d.latest
}

// wake lets entries run out. The engine calls it.
func (d *datapath) wake(e *engine, out *output) {
	d.expires = 0
	next, ok := d.table.Expire(out.now, out)
	d.count()
	if ok {
		d.expires = max(next, e.now+1)
		e.timers.set(&d.timer, d.expires)
	}
}

// expire has the engine look for entries that run out, after entries with time-outs were added.
func (d *datapath) expire(now time.Duration, out *output) {
	next, ok := d.table.Expire(now, out)
	if ok && (d.expires == 0 || next < d.expires) {
		d.expires = max(next, now+1)
		d.engine.schedule(&d.timer, d.expires)
	}
}

// count tells the engine's counts how many entries there are.
func (d *datapath) count() {
	n := 0
	if d.table != nil {
		n = d.table.Entries()
	}
	if n != d.entries {
		d.engine.counts.entries.Add(int64(n - d.entries))
		d.entries = n
	}
}
