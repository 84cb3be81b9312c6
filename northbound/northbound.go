package northbound

import (
	"time"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/settings"
	"github.com/weirnet/weir/stats"
	"github.com/weirnet/weir/topology"
	"github.com/weirnet/weir/warmstart"
)

// Engines are the parts of an instance that answers are put together from.
type Engines struct {
	View      *netview.View
	Server    *session.Server
	Discovery *discovery.Discovery
	Maps      *topology.Source // of the view
	Flowsync  *flowsync.Loop
	Forward   *forward.Forward // nil if disabled
	Stats     *stats.Loop
	Intents   *intent.Engine // nil: there are none
	Settings  *settings.Settings
	Recorder  *warmstart.Recorder
	Domain    uint16
	// StoreAnswer is how long a request waits for the store.
	StoreAnswer time.Duration
	// Forgotten tells those of a switch that is forgotten who do not follow the view.
	Forgotten func(netview.DPID)
}

// Answers are those of one instance.
type Answers struct {
	Engines
	RuleChecks RuleChecks
}

var (
	_ api.PathFinder  = (*Answers)(nil)
	_ api.SwitchAsker = (*Answers)(nil)
	_ api.Forgetter   = (*Answers)(nil)
)
