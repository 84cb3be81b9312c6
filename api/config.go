package api

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/intents"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/stats"
)

// Config is what the interface needs of the rest of an instance. Fields that may be nil say so; all
// functions are called from many goroutines at a time and must not block, except those of Switches,
// Intents, IntentFlows, IntentRules, Groups and Meters.
type Config struct {
	rest.StackConfig
	View *netview.View
	// Instance is the name of this one.
	Instance string

	// Switches asks switches themselves. nil: the routes that need it answer 404.
	Switches SwitchAsker
	// Paths finds ways through the network. nil: /v1/paths answers 404.
	Paths PathFinder
	// Counters are those that a switch was last heard to have; nil if none were. nil: the routes
	// that need it answer 404.
	Counters func(netview.DPID) *stats.Switch
	// SoftRules yields the soft rules that are thought to be on a switch. nil: none.
	SoftRules func(netview.DPID) iter.Seq[*netview.Rule]
	// IntentRules are the rules of intents that are wanted at a switch. nil: none.
	IntentRules func(netview.DPID) []*netview.Rule
	// Groups and Meters are what is wanted at a switch, or what it has under our numbers; they wait for
	// the turn of flowsync. nil: none.
	Groups func(netview.DPID) []client.Group
	Meters func(netview.DPID) []client.Meter
	// Members are the instances of the cluster, ordered by name. nil: none.
	Members func() []client.Member
	// Roster changes them; nil: nothing does.
	Roster Roster
	// Apps are the built-in applications, ordered by name. nil: none.
	Apps func() []client.App
	// Configuration is what the instance is set up with. nil: /v1/config answers 404.
	Configuration Configuration
	// Drains are what is drained. nil: /v1/drain answers 404.
	Drains Drains
	// Tokens are those that the instance takes. nil: /v1/tokens answers 404.
	Tokens Tokens
	// Tenants are the definitions of tenants. nil: /v1/tenants answers 404.
	Tenants Tenants
	// TenantOf returns the name of the tenant that a rule is of, by its cookie; "" if it is no tenant's, or of one that is gone.
	// nil: there are none.
	TenantOf func(cookie uint64) string
	// TenantStates is what serves them; nil: nothing does.
	TenantStates TenantStates
	// Forgetter forgets what is gone for good. nil: nothing is forgotten on request (404).
	Forgetter Forgetter
	// Intents are what users want connected. nil: /v1/intents answers 404.
	Intents intents.Engine
	// IntentFlows asks a switch for the flow entries of an intent, by its number. Errors are as
	// those of Switches. nil: /v1/intents/{id}/traffic answers 404.
	IntentFlows func(ctx context.Context, dpid netview.DPID, number uint32) ([]openflow.FlowStats, error)
	// Audit records what is changed, or attempted. nil: nothing is audited, and /v1/audit answers
	// 404.
	Audit rest.Auditor
	// Backup writes a snapshot of the store. nil: /v1/backup answers 404.
	Backup func(context.Context, io.Writer) error
	// Check compares all switches with what is wanted of them, at a revision of the view; it waits
	// for the switches. nil: /v1/check answers 404.
	Check func(context.Context) (*client.Check, netview.Revision, error)
	// Sync is how a switch is kept as wanted, and the revision up to which; nil if it is not known.
	// nil: never shown.
	Sync func(netview.DPID) (*client.Sync, netview.Revision)
	// Gatherer is what /metrics shows. nil: only what the interface measures of itself.
	Gatherer prometheus.Gatherer
	// Ready is nil while the instance is fit to serve, for /readyz. nil: always.
	Ready func() error

	Now func() time.Time // nil: time.Now
}

// SwitchAsker asks a switch, now, and waits for its answer as long as the context lives. Errors
// wrap ErrNotConnected where there is nobody to ask. What it returns must stay valid: it is read
// after the call.
type SwitchAsker interface {
	Flows(ctx context.Context, dpid netview.DPID) ([]openflow.FlowStats, error)
}

// Disjoint says what the paths of one answer must not share.
type Disjoint uint8

// What paths may share.
const (
	ShareAll      Disjoint = iota // alternatives: anything
	ShareSwitches                 // no link twice
	ShareNothing                  // neither a link nor a switch between the ends
)

// PathQuery asks for ways from one switch to another.
type PathQuery struct {
	Src, Dst netview.DPID
	// SrcHost and DstHost are set where the ends are hosts: the first path is then the one that
	// their traffic takes.
	SrcHost, DstHost *netview.Host
	K                int // at most so many, 1 to MaxPaths
	Disjoint         Disjoint
}

// Path is a way through the network: its links in order; none if it begins and ends at the same
// switch.
type Path struct {
	Links []netview.LinkKey
	Cost  uint64
	InUse bool // what the two hosts send each other takes it now, by rules of the system

	Intents []string // ids of intents whose packets take it, of many not all
}

// PathFinder finds paths in a snapshot, the one that the system takes first, then by rising cost.
// No path at all is no error but an empty answer.
type PathFinder interface {
	Paths(s *netview.Snapshot, q PathQuery) []Path
}

func (c Config) orDefaults() Config {
	c.StackConfig = c.StackConfig.WithDefaults()
	if c.IntentRules == nil {
		c.IntentRules = func(netview.DPID) []*netview.Rule { return nil }
	}
	if c.Groups == nil {
		c.Groups = func(netview.DPID) []client.Group { return nil }
	}
	if c.Meters == nil {
		c.Meters = func(netview.DPID) []client.Meter { return nil }
	}
	if c.TenantOf == nil {
		c.TenantOf = func(uint64) string { return "" }
	}
	if c.SoftRules == nil {
		c.SoftRules = func(netview.DPID) iter.Seq[*netview.Rule] { return func(func(*netview.Rule) bool) {} }
	}
	if c.Members == nil {
		c.Members = func() []client.Member { return nil }
	}
	if c.Apps == nil {
		c.Apps = func() []client.App { return nil }
	}
	if c.Ready == nil {
		c.Ready = func() error { return nil }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}
