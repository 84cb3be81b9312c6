package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math/rand/v2"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/timerq"
)

// epoch is when every simulation begins.
var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// world is everything that is simulated, and its time.
type world struct {
	seed  uint64
	now   time.Time
	queue timerq.Times[func()] // what will happen
	log   hash.Hash
	words []byte // of the log, before they are hashed
	trace func(format string, args ...any)

	net      *emu.Network
	netAt    time.Time // when the network wants its turn; zero: never
	busy     int       // turns of the network since time stands still
	stood    time.Time // since when it does
	plan     *Plan
	running  *instanceRun // nil while no instance runs
	starts   int
	file     []byte // what the last instance remembered
	store    *store.Memory
	intents  *userIntents
	wires    []*wire
	made     int // wires
	stations []*station
	streams  []*stream
	sockets  []*socket
	paused   time.Time // until when the instance's process does not run

	hops    hopMeter
	monitor *monitor
	wrong   []string
}

// Now implements session.Driver.
func (w *world) Now() time.Time { return w.now }

// elapsed is the simulated time since the begin.
func (w *world) elapsed() time.Duration { return w.now.Sub(epoch) }

// at has something happen at a time.
func (w *world) at(t time.Time, do func()) {
	w.queue.Add(t, do)
}

// After implements emu.Driver.
func (w *world) After(d time.Duration, do func()) { w.at(w.now.Add(d), do) }

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
)

// maxTurnsAtOnce is how many turns the network may take at one time.
const maxTurnsAtOnce = 10_000

// run simulates until a time.
func (w *world) run(until time.Time) {
	for len(w.wrong) == 0 {
		w.turn()
		next := until
		at, do, ok := w.queue.First()
		if ok && at.Before(next) {
			next = at
		}
		if !w.netAt.IsZero() && !w.netAt.After(next) && w.netAt.Before(until) {
			w.now = later(w.now, w.netAt)
			continue
		}
		if !next.Before(until) {
			w.now = until
			return
		}
		w.queue.Pop()
		w.now = later(w.now, at)
		do()
		w.wakeParts()
	}
}

// turn lets the network do what is due.
func (w *world) turn() {
	next, more, ok := w.net.Turn()
	switch {
	case more:
		w.netAt = w.now
	case ok:
		w.netAt = later(epoch.Add(next), w.now)
	default:
		w.netAt = time.Time{}
	}
	if w.busy++; w.stood.Before(w.now) {
		w.busy, w.stood = 0, w.now
	}
	if w.busy > maxTurnsAtOnce {
		w.fail("frames loop and time stands still")
	}
	w.hops.look(w)
}

// wakeParts gives what waits in the instance its turn.
func (w *world) wakeParts() {
	if w.running != nil {
		w.running.wakeParts()
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// note writes words into the log of the world, with the time.
func (w *world) note(kind byte, id int, b []byte) {
	w.words = append(w.words[:0], kind)
	w.words = binary.BigEndian.AppendUint64(w.words, uint64(w.elapsed()))
	w.words = binary.BigEndian.AppendUint32(w.words, uint32(id))
	w.words = binary.BigEndian.AppendUint32(w.words, uint32(len(b)))
	w.log.Write(w.words)
	w.log.Write(b)
}

// fail notes that something is wrong, and ends the run.
func (w *world) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.say("wrong: %s", text)
	w.wrong = append(w.wrong, text)
}

// say tells who follows the run.
func (w *world) say(format string, args ...any) {
	if w.trace != nil {
		w.trace("%9.3f %s", w.elapsed().Seconds(), fmt.Sprintf(format, args...))
	}
}

func newWorld(p *Plan, trace func(string, ...any)) *world {
	w := &world{seed: p.Seed, now: epoch, log: sha256.New(), plan: p, trace: trace}
	w.store = store.NewMemory(w.Now)
	w.intents = newUserIntents(w, p.Intents)
	return w
}

var _ emu.Driver = (*world)(nil)
