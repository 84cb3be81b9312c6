package sim

import (
	"math/rand/v2"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/session"
)

// world is everything that is simulated.
type world struct {
	clock
	transcript
	seed uint64
	plan *Plan

	net     network
	machine machine
	wires   wires
	streams streams
	intents *userIntents
	app     *application
	monitor *monitor
}

func newWorld(p *Plan, trace func(string, ...any)) *world {
	w := &world{clock: clock{now: epoch}, seed: p.Seed, plan: p}
	w.transcript = newTranscript(&w.clock, trace)
	w.net.w, w.wires.w, w.streams.w = w, w, w
	w.machine = newMachine(w)
	w.intents = newUserIntents(w, p.Intents)
	w.app = newApplication(w, p.Rules)
	return w
}

// Start implements session.Driver: the connection knows whose end it is.
func (w *world) Start(s *session.Stepper) { s.Conn().LocalAddr().(address).end.start(s) }

// random is the source of random numbers of one thing among those of a kind.
func (w *world) random(kind, which uint64) *rand.Rand {
	return rand.New(rand.NewPCG(w.seed, kind<<32|which))
}

// The kinds of things that have a source of random numbers.
const (
	randPlan uint64 = iota
	randWire
	randInstance
	randAct
	randCheck
	randIntents
	randFarLinks
	randRules
)

// run simulates until a time.
func (w *world) run(until time.Time) {
	for len(w.wrong) == 0 {
		w.net.turn()
		next := until
		at, do, ok := w.queue.First()
		if ok && at.Before(next) {
			next = at
		}
		if !w.net.at.IsZero() && !w.net.at.After(next) && w.net.at.Before(until) {
			w.now = later(w.now, w.net.at)
			continue
		}
		if !next.Before(until) {
			w.now = until
			return
		}
		w.queue.Pop()
		w.now = later(w.now, at)
		do()
		w.machine.wakeParts()
	}
}

var _ emu.Driver = (*world)(nil)
