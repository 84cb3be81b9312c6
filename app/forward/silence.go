package forward

import (
	"slices"
	"sync/atomic"

	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/topology"
)

// silentAfter is the number of beats for which a switch that owes an answer is not heard before it counts as silent.
const silentAfter = 5

// silence is whether a switch is silent: it owes the answer to a barrier, and nothing has come from it for a while. Its
// session ends seconds later, when echo requests are not answered. Meanwhile no path is begun through it, and those that
// are begun are given up: packets that are flooded meet the rules of its neighbours and, where its own is missing, are
// flooded back to them. They would loop. Any goroutine may use it.
type silence struct {
	owed   atomic.Int32  // barriers without an answer
	heard  atomic.Uint32 // beat in which it was last heard, or first owed an answer
	silent atomic.Bool
}

// asked notes a barrier. answered takes its end.
func (s *silence) asked(beat uint32) {
	if s.owed.Add(1) == 1 {
		s.heard.Store(beat)
	}
}

func (s *silence) answered() { s.owed.Add(-1) }

// hears notes that something came from the switch, and reports whether it was silent. It costs one load while no
// answer is owed.
func (s *silence) hears(beat uint32) (was bool) {
	if s.owed.Load() <= 0 && !s.silent.Load() {
		return false
	}
	s.heard.Store(beat)
	return s.silent.CompareAndSwap(true, false)
}

// falls reports whether the switch is silent from now on.
func (s *silence) falls(beat uint32) bool {
	return s.owed.Load() > 0 && beat-s.heard.Load() >= silentAfter && s.silent.CompareAndSwap(false, true)
}

// Beat is called every beat.Every, on Step's goroutine: it gives up what waits for silent switches, and calls Second
// once a second.
func (f *Forward) Beat() {
	now := f.clock.beats.Add(1)
	if f.fallSilent(now) {
		for _, d := range f.switches.all() {
			d.installer.giveUpSilent(d.conn.Load())
		}
		f.cleaner.due()
	}
	if now%beatsPerSecond == 0 {
		f.Second()
	}
}

// fallSilent notes which switches are silent from now on, and reports whether any are.
func (f *Forward) fallSilent(beat uint32) (any bool) {
	f.switches.byID.Each(func(d *Datapath) {
		if d.silence.falls(beat) {
			f.refusals.active.Add(1)
			any = true
		}
	})
	return any
}

// giveUpSilent gives up the installs of new pairs that wait for silent switches, and has what was written of their
// paths deleted. The lock is not held.
func (inst *installer) giveUpSilent(out *outlet.Conn) {
	inst.run(out, func() {
		var waiting []*install
		for _, w := range inst.installs {
			if !w.moving && w.Awaits() && inst.switches.silent(w.path.Hops[w.first+1:]) {
				waiting = append(waiting, w)
			}
		}
		slices.SortFunc(waiting, func(a, b *install) int { return a.pr.Compare(b.pr) })
		for _, w := range waiting {
			inst.giveUpPath(out, w)
		}
	})
}

// giveUpPath gives up an install none of whose packets may take its path.
func (inst *installer) giveUpPath(out *outlet.Conn, w *install) {
	w.abandoned = true
	delete(inst.installs, w.pr)
	if out != nil {
		inst.waiting.direct(out, w)
	}
	inst.waiting.drop(w)
	inst.retired.addDue(inst.ingress, w.pr, w.path)
}

// silent reports whether any switch of some hops is.
func (t *switchTable) silent(hops []topology.Hop) bool {
	return slices.ContainsFunc(hops, func(h topology.Hop) bool {
		d := t.get(h.DPID)
		return d != nil && d.silence.silent.Load()
	})
}
