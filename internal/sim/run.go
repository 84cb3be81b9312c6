package sim

import (
	"runtime/debug"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/openflow"
)

// Outcome is what came of a run.
type Outcome struct {
	Hash      string        // of all that the sessions were handed, with its time
	Wrong     []string      // what does not hold; nothing: all does
	Simulated time.Duration // how long the world has lived
	History   []Operation   // requests for intents, of a cluster
	Owners    int           // that there were, of a cluster
}

// quiet is how long the network has before the first event of a history.
const quiet = 8 * time.Second

// Run simulates a plan. With trace, it is told line by line.
func Run(p *Plan, trace func(format string, args ...any)) (o Outcome) {
	w := newWorld(p, trace)
	defer func() {
		if r := recover(); r != nil {
			w.fail("panic: %v\n%s", r, debug.Stack())
		}
		o = w.outcome()
		if w.instances != nil {
			o.History, o.Owners = w.history.operations(), w.instances.reigns
		}
	}()
	if err := w.build(); err != nil {
		w.fail("building the network: %v", err)
		return
	}
	w.run(epoch.Add(quiet))
	last := quiet
	for _, e := range p.Events {
		w.at(epoch.Add(quiet+e.At), func() { w.act(e) })
		last = max(last, quiet+e.At+e.For)
	}
	if len(p.Streams) > 0 {
		last = w.streams.begin(last)
	}
	w.run(epoch.Add(last + 3*time.Second)) // hosts are in flight for two seconds at most
	w.streams.judge()
	inspector{w}.check()
	return
}

// accepted is what hears what switches have taken; nil: nothing does.
func (w *world) accepted() func(*emu.Switch, int, openflow.Message) {
	if w.referee == nil {
		return nil
	}
	return w.referee.accepted
}

// build makes the network and the first instance.
func (w *world) build() error {
	t, err := w.plan.topology()
	if err != nil {
		return err
	}
	w.net.Network, err = emu.New(emu.Config{
		Topology: t, Versions: []openflow.Version{w.plan.Version}, Controllers: w.controllers(), Dial: w.dial,
		Seed: w.seed, Silent: true, Engines: 1, Driver: w, Accepted: w.accepted(),
	})
	if err != nil {
		return err
	}
	for _, sw := range w.plan.Sockets {
		if err := w.net.addSocket(sw); err != nil {
			return err
		}
	}
	for _, h := range w.plan.Hosts {
		if err := w.net.addStation(h); err != nil {
			return err
		}
	}
	for _, m := range w.machines {
		m.start()
	}
	w.wires.tick()
	w.monitor = watch(w)
	for i, h := range w.plan.Hosts {
		w.net.stations[i].plug(w.net.sockets[h.Socket])
	}
	return w.net.Start(neverEnds)
}
