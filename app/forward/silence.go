package forward

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/topology"
)

// Bounds of how long a switch may owe an answer, in beats, before it counts as silent.
const (
	silentAfter = 5
	// patienceMax bounds what a switch is given that was called silent and was slow: twice the time that it took.
	patienceMax = 50
)

// silence is whether a switch is silent: it owes the answer to a barrier, and nothing has come from it for a while. Its
// session ends seconds later, when echo requests are not answered. Meanwhile no pair is begun whose path passes it, and
// those that are begun are given up: packets that are flooded meet the rules of its neighbours and, where its own is
// missing, are flooded back to them. They would loop. Any goroutine may use it.
type silence struct {
	owed   atomic.Int32 // barriers without an answer; changed with mu held
	silent atomic.Bool  // likewise

	mu       sync.Mutex
	heard    uint32 // beat in which it was last heard, or first owed an answer
	patience uint32 // beats: more than silentAfter after it was silent and then heard, in this session
}

// asked notes a barrier. answered takes its end.
func (s *silence) asked(beat uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owed.Load() == 0 {
		s.heard = beat
	}
	s.owed.Add(1)
}

func (s *silence) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owed.Add(-1)
}

// hears notes that something came from the switch, and reports whether it was silent. It costs two loads while no answer
// is owed.
func (s *silence) hears(beat uint32) (was bool) {
	if s.owed.Load() == 0 && !s.silent.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if was = s.silent.Swap(false); was {
		s.patience = min(2*(beat-s.heard), patienceMax)
	}
	s.heard = beat
	return was
}

// falls reports whether the switch is silent from now on.
func (s *silence) falls(beat uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owed.Load() == 0 || s.silent.Load() || beat-s.heard < max(silentAfter, s.patience) {
		return false
	}
	s.silent.Store(true)
	return true
}

// begins begins a session, or ends all: nothing is known of the switch. It reports whether it was silent.
func (s *silence) begins(beat uint32) (was bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard, s.patience = beat, 0
	return s.silent.Swap(false)
}

// Beat is called every beat.Every, on Step's goroutine: it gives up what waits for silent switches. Beats that were
// missed, since a turn took long, are not made up for: the switches' answers wait as well.
func (f *Forward) Beat() {
	if f.fallSilent(f.clock.beats.Add(1)) {
		for _, d := range f.switches.all() {
			d.installer.giveUpSilent(d.conn.Load())
		}
		f.cleaner.due()
	}
}

// fallSilent notes which switches are silent from now on, and reports whether any are.
func (f *Forward) fallSilent(beat uint32) (any bool) {
	f.switches.byID.Each(func(d *Datapath) {
		if d.silence.falls(beat) {
			f.switches.silentOnes.Add(1)
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
	inst.retryMoves = true
	inst.retired.addDue(inst.ingress, w.pr, w.path)
}

// silent reports whether any switch of some hops is. It costs one load while none is.
func (t *switchTable) silent(hops []topology.Hop) bool {
	return t.silentOnes.Load() > 0 && slices.ContainsFunc(hops, func(h topology.Hop) bool {
		d := t.get(h.DPID)
		return d != nil && d.silence.silent.Load()
	})
}
