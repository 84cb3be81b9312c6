package sim

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/warmstart"
)

// machine is what instances run on, one after the other. It keeps what survives them: what they
// remember, and the store.
type machine struct {
	w       *world
	running *instanceRun // nil while none runs
	starts  int
	file    []byte // what the last instance remembered
	store   *store.Memory
	paused  time.Time // until when the instance's process does not run
}

func newMachine(w *world) machine { return machine{w: w, store: store.NewMemory(w.Now)} }

// instanceRun is an instance, from its start until it is killed.
type instanceRun struct {
	w        *world
	number   int
	instance *node.Stepped
	parts    []*part
	random   *rand.Rand
	over     bool
	inputs   *netview.Inputs
	settings *netview.Settings
	wanted   *netview.Desired // of an operator
}

// part is a part of an instance, with its place in the queue.
type part struct {
	*loop.Part
	run    *instanceRun
	at     time.Time // when it has its turn; zero: it is not in the queue
	number int       // of the place in the queue; an older one is not its turn any more
}

// How long a part waits for its turn when there is something to do: mostly the first, now and then
// up to the second.
const (
	turnTakes    = 200 * time.Microsecond
	turnTakesMax = 50 * time.Millisecond
)

// errRefused is what a switch hears that connects while no instance listens.
var errRefused = errors.New("connection refused")

// start starts an instance with what the previous one remembered.
func (m *machine) start() {
	if m.running != nil {
		return
	}
	w := m.w
	m.starts++
	facts := new(warmstart.Facts)
	if m.file != nil {
		var err error
		if facts, err = warmstart.Parse(m.file); err != nil {
			w.fail("what was remembered cannot be read: %v", err)
			return
		}
	}
	l := &instanceRun{w: w, number: m.starts, random: w.random(randInstance, uint64(m.starts))}
	cfg := node.Defaults()
	cfg.Forward.Unknown = string(w.plan.Unknown)
	var err error
	l.instance, err = node.NewStepped(node.SteppedConfig{
		Config: cfg, Driver: w, Key: make([]byte, 32), Life: uint16(l.random.Uint32()), Seed: l.random.Uint64() | 1,
		Facts: facts, Store: m.store, Outcomes: func(list []ruleset.Outcome) {
			if !l.over {
				w.app.told(list)
			}
		},
		Remember: func(file []byte) error {
			if !l.over {
				m.file = append([]byte(nil), file...)
			}
			return nil
		},
	})
	if errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrFull) {
		w.say("instance %d does not start: %v", l.number, err)
		w.After(time.Second, m.start)
		return
	} else if err != nil {
		w.fail("an instance cannot start: %v", err)
		return
	}
	view := l.instance.View()
	l.inputs, l.wanted = view.Inputs(), view.Desired("operator")
	l.settings = new(netview.Settings)
	for _, p := range l.instance.Parts() {
		l.parts = append(l.parts, &part{Part: p, run: l})
	}
	m.running = l
	w.intents.kept()
	w.app.begin()
	w.say("instance %d starts, remembers %d switches, %d links, %d hosts", l.number, len(facts.Switches),
		len(facts.Links), len(facts.Hosts))
	for _, p := range l.parts {
		p.ask(w.now)
	}
}

// kill ends the instance: its connections break, and what it had not written is lost.
func (m *machine) kill() {
	if m.running == nil {
		return
	}
	m.w.say("instance %d is killed", m.running.number)
	m.running.over = true
	m.running = nil
	m.w.intents.died()
	m.paused = time.Time{}
	m.w.wires.orphan()
}

// pause has the instance's process not run for a time.
func (m *machine) pause(d time.Duration) {
	if m.running != nil {
		m.paused = later(m.paused, m.w.now.Add(d))
	}
}

// isPaused reports whether the process does not run.
func (m *machine) isPaused() bool { return m.w.now.Before(m.paused) }

// wakeParts gives what waits in the instance its turn.
func (m *machine) wakeParts() {
	if m.running != nil {
		m.running.wakeParts()
	}
}

// wakeParts has the parts take their turn for which something waits.
func (l *instanceRun) wakeParts() {
	if l.w.machine.isPaused() {
		return // and what has its turn when the pause is over gives the others theirs
	}
	for _, p := range l.parts {
		if !p.Waiting() {
			continue
		}
		after := time.Duration(0)
		if p.After != nil {
			after = p.After()
		}
		if !p.at.IsZero() && !p.at.After(l.w.now.Add(after+turnTakes)) {
			continue // soon enough
		}
		d := time.Duration(l.random.Int64N(int64(turnTakes)))
		if l.random.IntN(100) == 0 {
			d = time.Duration(l.random.Int64N(int64(turnTakesMax)))
		}
		p.ask(l.w.now.Add(after + d))
	}
}

// ask puts the part into the queue.
func (p *part) ask(at time.Time) {
	p.number++
	p.at = at
	mine := p.number
	p.run.w.at(at, func() {
		if mine == p.number && !p.run.over {
			p.turn()
		}
	})
}

func (p *part) turn() {
	w := p.run.w
	if w.machine.isPaused() {
		p.ask(w.machine.paused)
		return
	}
	p.at = time.Time{}
	if next := p.Step(p.run.w.now); !next.IsZero() {
		p.ask(later(next, w.now.Add(time.Microsecond)))
	}
}

// dial connects a switch with the instance that runs.
func (m *machine) dial(ctx context.Context, _ string) (net.Conn, error) {
	if m.running == nil {
		return nil, errRefused
	}
	c := m.w.wires.connect(emu.Dialling(ctx).Index)
	m.w.After(c.take(), func() {
		if m.running == nil {
			c.ends[atInstance].Close()
			return
		}
		_, _ = m.running.instance.Server().ServeConn(c.ends[atInstance])
	})
	return c.ends[atSwitch], nil
}

// troubleStore has writes to the store fail for a while: half of them, in one way.
func (m *machine) troubleStore(e Event, end func(func())) {
	fault := []store.Fault{store.Unavailable, store.Full, store.UnknownDone, store.UnknownLost, store.UnknownLate}[e.B]
	r := m.w.random(randAct, uint64(e.At))
	m.store.Inject(func(c store.Call) store.Fault {
		if c.Name == "Txn" && r.IntN(2) == 0 {
			return fault
		}
		return store.None
	})
	end(func() { m.store.Inject(nil); m.store.Settle() })
}
