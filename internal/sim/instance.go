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
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/warmstart"
)

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
func (w *world) start() {
	if w.running != nil {
		return
	}
	w.starts++
	facts := new(warmstart.Facts)
	if w.file != nil {
		var err error
		if facts, err = warmstart.Parse(w.file); err != nil {
			w.fail("what was remembered cannot be read: %v", err)
			return
		}
	}
	l := &instanceRun{w: w, number: w.starts, random: w.random(randInstance, uint64(w.starts))}
	cfg := node.Defaults()
	cfg.Forward.Unknown = string(w.plan.Unknown)
	var err error
	l.instance, err = node.NewStepped(node.SteppedConfig{
		Config: cfg, Driver: w, Key: make([]byte, 32), Life: uint16(l.random.Uint32()), Seed: l.random.Uint64() | 1,
		Facts: facts, Store: w.store,
		Remember: func(file []byte) error {
			if !l.over {
				w.file = append([]byte(nil), file...)
			}
			return nil
		},
	})
	if errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrFull) {
		w.say("instance %d does not start: %v", l.number, err)
		w.After(time.Second, w.start)
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
	w.running = l
	w.intents.kept()
	w.say("instance %d starts, remembers %d switches, %d links, %d hosts", l.number, len(facts.Switches),
		len(facts.Links), len(facts.Hosts))
	for _, p := range l.parts {
		p.ask(w.now)
	}
}

// kill ends the instance: its connections break, and what it had not written is lost.
func (w *world) kill() {
	if w.running == nil {
		return
	}
	w.say("instance %d is killed", w.running.number)
	w.running.over = true
	w.running = nil
	w.intents.died()
	w.paused = time.Time{}
	for _, c := range w.wires {
		e := c.ends[atInstance]
		if e.session != nil && !e.session.Ended() {
			e.session = nil // nobody steps it any more
			e.Close()
		}
	}
}

// wakeParts has the parts take their turn for which something waits.
func (l *instanceRun) wakeParts() {
	if l.w.now.Before(l.w.paused) {
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
	if w.now.Before(w.paused) {
		p.ask(w.paused)
		return
	}
	p.at = time.Time{}
	if next := p.Step(p.run.w.now); !next.IsZero() {
		p.ask(later(next, w.now.Add(time.Microsecond)))
	}
}

// dial connects a switch with the instance that runs.
func (w *world) dial(ctx context.Context, _ string) (net.Conn, error) {
	if w.running == nil {
		return nil, errRefused
	}
	c := w.newWire(emu.Dialling(ctx).Index)
	w.After(c.take(), func() {
		if w.running == nil {
			c.ends[atInstance].Close()
			return
		}
		_, _ = w.running.instance.Server().ServeConn(c.ends[atInstance])
	})
	return c.ends[atSwitch], nil
}
