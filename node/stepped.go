package node

import (
	"context"
	"log/slog"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/topology"
	"github.com/weirnet/weir/warmstart"
)

// SteppedConfig is how an instance is set up that somebody steps.
type SteppedConfig struct {
	Config Config // what its engines look at, beside the inputs below; nothing is opened
	Driver session.Driver
	Key    []byte // the cluster's
	Life   uint16 // another than that of the instance before
	Seed   uint64 // of one-time numbers and of the times at which statistics are asked for; not 0
	// Facts are what the instance before this one remembered; Remember is given what this one does,
	// valid during the call.
	Facts    *warmstart.Facts
	Remember func(file []byte) error
	// Store is what the instance before this one had, or nil for an empty one in memory.
	Store store.Store
	// Outcomes takes those of orders that Stepped.Order was given, in a turn of the part that keeps rules.
	Outcomes func([]ruleset.Outcome)
}

// Stepped is an instance without goroutines, clock, files and API: the same engines, joined in the
// same way. Its sessions and its parts are stepped by whoever made it, for simulations. It ends by
// not being stepped any more.
type Stepped struct {
	n *node
}

// NewStepped makes an instance. Its parts have had no turn yet. The error is that of a store that
// cannot be read.
func NewStepped(cfg SteppedConfig) (*Stepped, error) {
	n := &node{cfg: cfg.Config, view: netview.New(netview.Limits{}), store: cfg.Store, said: new(storeState)}
	n.maps = topology.NewSource(n.view)
	if n.store == nil {
		n.store = store.NewMemory(cfg.Driver.Now)
	}
	if n.cfg.Log == nil {
		n.cfg.Log = slog.New(slog.DiscardHandler)
	}
	now := cfg.Driver.Now
	n.alarms = alarm.NewAt(n.view, now)
	n.said.join(n.alarms)
	n.terms = begunTerm(context.Background(), &n.cfg, n.store)
	if err := n.newSouthbound(session.Config{Driver: cfg.Driver}, now); err != nil {
		return nil, err
	}
	joinTenants(n, session.Config{Driver: cfg.Driver}, now, cfg.Outcomes)
	n.join(boot{key: cfg.Key, life: cfg.Life, seed: cfg.Seed, now: now})
	n.recollect(cfg.Facts)
	if err := n.openIntents(context.Background(), now); err != nil {
		return nil, err
	}
	n.recorder = warmstart.NewTo(cfg.Remember, now, n.view, n.treeOf, n.alarms)
	n.parts = n.engineParts(now)
	return &Stepped{n: n}, nil
}

// Server is what switches connect to.
func (s *Stepped) Server() *session.Server { return s.n.switches.Server }

// View is the instance's.
func (s *Stepped) View() *netview.View { return s.n.view }

// Parts are in the order in which an instance starts them.
func (s *Stepped) Parts() []*loop.Part { return s.n.parts }

// Compare begins what `weir check` does.
func (s *Stepped) Compare() *flowsync.RunningCheck { return s.n.flowsync.StartCheck() }

// Invariants returns what does not hold between two turns of flowsync, nil if all does.
func (s *Stepped) Invariants() error { return flowsync.Invariants(s.n.flowsync) }

// Intents are the instance's.
func (s *Stepped) Intents() *intent.Engine { return s.n.intents.engine }

// Order has rules of an application installed and removed. They are no intents'.
func (s *Stepped) Order(list []ruleset.Order) { s.n.flowsync.Order(list) }

// Repairs are how many rules, groups and meters were lost or changed by others, and put back. It is called by who has the
// turn.
func (s *Stepped) Repairs() uint64 { return flowsync.Repairs(s.n.flowsync) }
