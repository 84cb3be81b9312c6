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
	"github.com/weirnet/weir/store/owner"
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
	n   *node
	cfg SteppedConfig
}

// NewStepped makes an instance that owns its store. Its parts have had no turn yet. The error is that of a store that cannot be
// read.
func NewStepped(cfg SteppedConfig) (*Stepped, error) {
	s := newStepped(cfg)
	s.n.terms = begunTerm(context.Background(), &s.n.cfg, s.n.store)
	return s, s.begin(cfg.Facts)
}

// NewSteppedStandby makes an instance that stands by while another owns the store. It has no parts before it has taken over. own
// is its claim, which whoever steps it tries and keeps.
func NewSteppedStandby(cfg SteppedConfig, own *owner.Claim) *Stepped {
	s := newStepped(cfg)
	s.n.own, s.n.terms, s.n.owns = own, own.Terms(), own.Terms().Only()
	return s
}

func newStepped(cfg SteppedConfig) *Stepped {
	n := &node{cfg: cfg.Config, view: netview.New(netview.Limits{}), store: cfg.Store, said: new(storeState)}
	if n.store == nil {
		n.store = store.NewMemory(cfg.Driver.Now)
	}
	if n.cfg.Log == nil {
		n.cfg.Log = slog.New(slog.DiscardHandler)
	}
	n.alarms = alarm.NewAt(n.view, cfg.Driver.Now)
	return &Stepped{n: n, cfg: cfg}
}

// Hold has an instance that stands by hold the sessions of switches from now on: they may connect.
func (s *Stepped) Hold() error {
	if err := s.n.newSouthbound(session.Config{Driver: s.cfg.Driver}, s.cfg.Driver.Now); err != nil {
		return err
	}
	s.n.switches.Standby.Hold()
	return nil
}

// Ask asks the switches for the role of master: this instance owns the store now.
func (s *Stepped) Ask() {
	if s.n.switches != nil {
		s.n.switches.Standby.Ask()
	}
}

// Take makes an instance that owns the store now the one that decides, as it remembers the network. It may be called once. The
// error is that of a store that cannot be read: such an instance is over.
func (s *Stepped) Take(facts *warmstart.Facts) error {
	if err := s.begin(facts); err != nil {
		return err
	}
	s.n.switches.Standby.Take()
	return nil
}

// StepDown has the instance write nothing more: another one owns the store, or may. It is over then.
func (s *Stepped) StepDown() {
	if s.n.switches != nil {
		s.n.switches.SetMasterOfAll("")
	}
}

// begin makes the engines and joins them, and loads what is kept.
func (s *Stepped) begin(facts *warmstart.Facts) error {
	n, cfg := s.n, &s.cfg
	now := cfg.Driver.Now
	n.maps = topology.NewSource(n.view)
	n.said.join(n.alarms)
	sessions := session.Config{Driver: cfg.Driver}
	if n.switches == nil {
		if err := n.newSouthbound(sessions, now); err != nil {
			return err
		}
	}
	joinTenants(n, sessions, now, cfg.Outcomes)
	n.join(boot{key: cfg.Key, life: cfg.Life, seed: cfg.Seed, now: now})
	n.recollect(facts)
	if err := n.openIntents(context.Background(), now); err != nil {
		return err
	}
	n.recorder = warmstart.NewTo(cfg.Remember, now, n.view, n.treeOf, n.alarms)
	n.parts = n.engineParts(now)
	return nil
}

// Server is what switches connect to; nil: nothing, yet.
func (s *Stepped) Server() *session.Server {
	if s.n.switches == nil {
		return nil
	}
	return s.n.switches.Server
}

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
