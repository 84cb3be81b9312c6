package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/warmstart"
)

// machine is what instances run on, one after the other. It keeps what survives them: what they
// remember, and the store.
type machine struct {
	w       *world
	index   int
	running *instanceRun // nil while none runs
	starts  int
	file    []byte // what the last instance remembered
	store   *store.Memory
	offset  time.Duration // of its clock
	paused  time.Time     // until when the instance's process does not run
	stuffed bool          // it writes nothing to switches, as its process is about to stop
	member  *member       // of a cluster; nil: it is alone
}

func newMachine(w *world, index int) *machine {
	return &machine{w: w, index: index, store: store.NewMemory(w.Now)}
}

// controllers are the machines as switches know them.
func (w *world) controllers() (names []string) {
	for _, m := range w.machines {
		names = append(names, m.name())
	}
	return names
}

func (m *machine) name() string { return fmt.Sprintf("weir%d", m.index+1) }

// instanceRun is an instance, from its start until it is killed.
type instanceRun struct {
	w        *world
	machine  *machine
	number   int
	decides  bool // it has engines: it owns its store, or thinks so
	reign    int  // of all owners, the how many-th it is
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
	l := &instanceRun{w: w, machine: m, number: m.starts, random: w.random(randInstance, uint64(m.index)<<16|uint64(m.starts))}
	if m.member != nil {
		m.member.begin(l)
		return
	}
	facts, ok := m.facts()
	if !ok {
		return
	}
	cfg := l.config(m.store)
	cfg.Facts = facts
	var err error
	if l.instance, err = node.NewStepped(cfg); isStores(err) {
		w.say("instance %d does not start: %v", l.number, err)
		w.After(time.Second, m.start)
		return
	} else if err != nil {
		w.fail("an instance cannot start: %v", err)
		return
	}
	m.running = l
	l.begins(facts)
}

// isStores reports whether an instance cannot start because of its store.
func isStores(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrFull)
}

// facts are what the machine remembers.
func (m *machine) facts() (*warmstart.Facts, bool) {
	if m.file == nil {
		return new(warmstart.Facts), true
	}
	facts, err := warmstart.Parse(m.file)
	if err != nil {
		m.w.fail("what was remembered cannot be read: %v", err)
	}
	return facts, err == nil
}

// config is how the instance is set up.
func (l *instanceRun) config(st store.Store) node.SteppedConfig {
	w, m := l.w, l.machine
	cfg := node.Defaults()
	cfg.Forward.Unknown = string(w.plan.Unknown)
	if w.plan.Equal {
		cfg.OpenFlow.Role = config.OpenFlowEqual
	}
	if m.member != nil {
		cfg.Name = m.name()
	}
	return node.SteppedConfig{
		Config: cfg, Driver: m, Key: make([]byte, 32), Life: uint16(l.random.Uint32()), Seed: l.random.Uint64() | 1,
		Store: st, Outcomes: func(list []ruleset.Outcome) {
			if l == w.decider() {
				w.app.told(list)
			}
		},
		Remember: func(file []byte) error {
			if !l.over {
				m.file = append([]byte(nil), file...)
				if m.member != nil {
					m.member.remembers()
				}
			}
			return nil
		},
	}
}

// begins has the instance decide for the network from now on.
func (l *instanceRun) begins(facts *warmstart.Facts) {
	w := l.w
	view := l.instance.View()
	l.inputs, l.wanted = view.Inputs(), view.Desired("operator")
	l.settings = new(netview.Settings)
	for _, p := range l.instance.Parts() {
		l.parts = append(l.parts, &part{Part: p, run: l})
	}
	l.decides = true
	w.intents.kept()
	w.app.begin()
	w.say("%s starts, remembers %d switches, %d links, %d hosts", l.name(), len(facts.Switches),
		len(facts.Links), len(facts.Hosts))
	for _, p := range l.parts {
		p.ask(w.now)
	}
}

// name names the instance for who follows the run.
func (l *instanceRun) name() string {
	if l.machine.member == nil {
		return fmt.Sprintf("instance %d", l.number)
	}
	return fmt.Sprintf("instance %d of %s", l.number, l.machine.name())
}

// Now implements session.Driver: it is what the clock of the machine says.
func (m *machine) Now() time.Time { return m.w.now.Add(m.offset) }

// Start implements session.Driver.
func (m *machine) Start(s *session.Stepper) { m.w.Start(s) }

// after has an instance do something after a time, if it runs then: a paused one does it when it goes on.
func (l *instanceRun) after(d time.Duration, do func()) { l.w.After(d, func() { l.awake(do) }) }

func (l *instanceRun) awake(do func()) {
	switch {
	case l.over:
	case l.machine.isPaused():
		l.w.at(l.machine.paused, func() { l.awake(do) })
	default:
		do()
	}
}

// kill ends the instance: its connections break, and what it had not written is lost.
func (m *machine) kill() {
	if m.running == nil {
		return
	}
	m.w.say("%s is killed", m.running.name())
	m.end()
}

// end ends the instance.
func (m *machine) end() {
	m.running.over = true
	m.running = nil
	m.w.intents.died()
	m.paused, m.stuffed = time.Time{}, false
	m.w.wires.orphan(m)
	if m.member != nil {
		m.member.died()
	}
}

// pause has the instance's process not run for a time.
func (m *machine) pause(d time.Duration) {
	if m.running != nil {
		m.paused = later(m.paused, m.w.now.Add(d))
	}
}

// mayWrite reports whether the instance may write to switches now.
func (m *machine) mayWrite() bool { return m.member == nil || m.running == nil || m.member.mayWrite() }

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
	if l.machine.isPaused() {
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
	if m := p.run.machine; m.isPaused() {
		p.ask(m.paused)
		return
	}
	p.at = time.Time{}
	m := p.run.machine
	if next := p.Step(m.Now()); !next.IsZero() {
		p.ask(later(next.Add(-m.offset), w.now.Add(time.Microsecond)))
	}
}

// dial connects a switch with the instance that runs on a machine.
func (w *world) dial(ctx context.Context, name string) (net.Conn, error) {
	m := w.machines[slices.Index(w.controllers(), name)]
	if m.running == nil || m.running.instance.Server() == nil {
		return nil, errRefused
	}
	c := w.wires.connect(emu.Dialling(ctx).Index, m)
	w.After(c.take(), func() {
		if m.running == nil || m.running.instance.Server() == nil {
			c.ends[atInstance].Close()
			return
		}
		c.run = m.running
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
