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

	net       network
	machines  []*machine
	wires     wires
	streams   streams
	intents   *userIntents
	app       *application
	monitor   *monitor
	instances *instances // of a cluster; nil: one is alone
	referee   *referee   // of a cluster
	history   *history
}

func newWorld(p *Plan, trace func(string, ...any)) *world {
	w := &world{clock: clock{now: epoch}, seed: p.Seed, plan: p}
	w.transcript = newTranscript(&w.clock, trace)
	w.net.w, w.wires.w, w.streams.w = w, w, w
	w.history = &history{w: w}
	if n := len(p.Offsets); n > 0 {
		w.referee = newReferee(w)
		w.instances = newInstances(w, n)
	} else {
		w.machines = []*machine{newMachine(w, 0)}
	}
	w.intents = newUserIntents(w, p.Intents)
	w.app = newApplication(w, p.Rules)
	return w
}

// decider is the instance that decides for the network: of several that think so the latest. Nil: none does.
func (w *world) decider() (l *instanceRun) {
	for _, m := range w.machines {
		if r := m.running; r != nil && r.decides && (l == nil || r.reign > l.reign) {
			l = r
		}
	}
	return l
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
	randCluster
	randClusterPlan
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
		for _, m := range w.machines {
			m.wakeParts()
		}
	}
}

var _ emu.Driver = (*world)(nil)
