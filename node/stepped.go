package node

import (
	"context"
	"log/slog"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/app/guard"
	"github.com/weirnet/weir/app/proxyarp"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/recall"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
	"github.com/weirnet/weir/topology"
)

// SteppedConfig is how an instance is set up that somebody steps.
type SteppedConfig struct {
	Config Config // what its engines look at, beside the inputs below; nothing is opened
	Driver session.Driver
	Key    []byte // the cluster's
	Life   uint16 // another than that of the instance before
	Seed   uint64 // of one-time numbers and of the times at which statistics are asked for; not 0
	// Facts are what the instance before this one remembered; Remember is given what this one does, valid during the call.
	Facts    *recall.Facts
	Remember func(file []byte) error
	// Store is what the instance before this one had, or nil for an empty one in memory.
	Store store.Store
}

// Stepped is an instance without goroutines, clock, files and API: the same engines, joined in the same way. Its sessions and its
// parts are stepped by whoever made it, for simulations. It ends by not being stepped any more.
type Stepped struct {
	n     *node
	parts []Part
}

// A Part is what has a goroutine of its own in an instance that runs. Turn is called when Waiting says so and After has passed, or
// when the time of its last call has come (zero: never).
type Part struct {
	Name    string
	Turn    func() (next time.Time)
	Waiting func() bool
	After   func() time.Duration // nil: at once
}

// NewStepped makes an instance. Its parts have had no turn yet. The error is that of a store that cannot be read.
func NewStepped(cfg SteppedConfig) (*Stepped, error) {
	n := &node{cfg: cfg.Config, view: netview.New(netview.Limits{}), store: cfg.Store, said: new(storeState)}
	if n.store == nil {
		n.store = store.NewMemory(cfg.Driver.Now)
	}
	if n.cfg.Log == nil {
		n.cfg.Log = slog.New(slog.DiscardHandler)
	}
	now := cfg.Driver.Now
	n.alarms = alarm.NewAt(n.view, now)
	n.said.join(n.alarms)
	n.switches = newSwitches(&n.cfg, n.view, n.alarms)
	n.switches.failModes.now = now
	n.server = session.NewServer(session.Config{
		Driver: cfg.Driver, Admit: n.admit, EchoInterval: n.cfg.EchoInterval, EchoMisses: n.cfg.EchoMisses,
	}, n.switches)
	n.join(nature{key: cfg.Key, life: cfg.Life, seed: cfg.Seed, now: now})
	n.recollect(cfg.Facts)
	if err := n.openIntents(context.Background(), now); err != nil {
		return nil, err
	}
	s := &Stepped{n: n}
	s.parts = append(n.stepAlarms(now), n.stepEngines(now)...)
	s.parts = append(s.parts, n.stepRecorder(cfg.Remember, now))
	s.parts = append(append(s.parts, n.intents.step()...), n.stepWatch(now))
	return s, nil
}

// Server is what switches connect to.
func (s *Stepped) Server() *session.Server { return s.n.server }

// View is the instance's.
func (s *Stepped) View() *netview.View { return s.n.view }

// Parts are in the order in which an instance starts them.
func (s *Stepped) Parts() []Part { return s.parts }

// Compare begins what `weir check` does.
func (s *Stepped) Compare() *flowsync.Comparison { return s.n.flowsync.Compare() }

// Intents are the instance's.
func (s *Stepped) Intents() *intent.Engine { return s.n.intents.engine }

// Flowsync is the instance's.
func (s *Stepped) Flowsync() *flowsync.Loop { return s.n.flowsync }

// every is the next time of something that is done again and again.
type every struct {
	period time.Duration
	now    func() time.Time
	next   time.Time
}

// due says whether the time has come, and sets the next.
func (e *every) due() bool {
	now := e.now()
	if now.Before(e.next) {
		return false
	}
	e.next = now.Add(e.period)
	return true
}

// stepAlarms are the parts that tell people.
func (n *node) stepAlarms(now func() time.Time) []Part {
	refresh := every{period: alarm.Refresh, now: now, next: now().Add(alarm.Refresh)}
	watch := n.alarms.Watcher(n.view)
	allow, looked := n.allowing(now), netview.Revision(0)
	return []Part{
		{Name: "alarms", Waiting: n.alarms.Waiting, Turn: func() time.Time { n.alarms.Turn(refresh.due()); return refresh.next }},
		{Name: "watch", Waiting: watch.Waiting, Turn: func() time.Time { watch.Turn(); return time.Time{} }},
		{
			Name: "allow list", Waiting: func() bool { return n.view.Snapshot().Revision() != looked },
			After: func() time.Duration { return allowEvery },
			Turn:  func() time.Time { looked = allow.look(); return time.Time{} },
		},
	}
}

// stepRecorder is the part that remembers.
func (n *node) stepRecorder(save func(file []byte) error, now func() time.Time) Part {
	r := recall.NewTo(save, now, n.view, n.treeOf, n.alarms)
	return Part{Name: "recorder", Waiting: r.Waiting, After: r.Gather, Turn: func() time.Time { r.Turn(); return time.Time{} }}
}

// never says that nothing waits.
func never() bool { return false }

// step are the parts that keep what is asked for, and decide it.
func (x *intents) step() []Part {
	keep := func(name string, j *journal.Journal) Part {
		return Part{Name: name, Waiting: j.Waiting, Turn: func() time.Time { return j.Turn(context.Background()) }}
	}
	return []Part{
		keep("journal of intents", x.journal), keep("journal of paths", x.decisions),
		{Name: "intents", Waiting: x.engine.Waiting, Turn: x.engine.Turn},
	}
}

// stepEngines are the parts that decide.
func (n *node) stepEngines(now func() time.Time) []Part {
	parts := []Part{
		{Name: "discovery", Waiting: n.discovery.Waiting, Turn: func() time.Time { next, _ := n.discovery.Turn(); return next }},
		{Name: "flowsync", Waiting: n.flowsync.Waiting, Turn: n.flowsync.Turn},
		{Name: "statistics", Waiting: n.stats.Waiting, Turn: n.stats.Turn},
	}
	if n.forward != nil {
		follower := n.forward.Follow(n.view, func(m *topology.Map) { n.paths.now.Store(m) })
		second := every{period: time.Second, now: now, next: now().Add(time.Second)}
		parts = append(parts, Part{Name: "forward", Waiting: follower.Waiting, Turn: func() time.Time {
			if second.due() {
				n.forward.Second()
			}
			follower.Turn()
			return second.next
		}})
	}
	if n.guard != nil {
		parts = append(parts, Part{Name: "guard", Waiting: never, Turn: func() time.Time { n.guard.Turn(); return now().Add(guard.Every) }})
	}
	if n.proxyarp != nil {
		parts = append(parts, Part{Name: "proxyarp", Waiting: n.proxyarp.Waiting, Turn: func() time.Time {
			n.proxyarp.Turn()
			return now().Add(proxyarp.Every)
		}})
	}
	return parts
}
