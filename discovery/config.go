package discovery

import (
	"cmp"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Config configures discovery. Zero fields mean their defaults.
type Config struct {
	Domain uint16 // domain of the switch plan: only its frames make links; default 1
	Key    []byte // the cluster's key, for the frames' authentication; at least 16 bytes
	Seed   uint64 // first one-time number; 0 means random

	Period time.Duration // between two probes of a port, stretched if there are too many (probes/pace.go); default 2 s
	Settle time.Duration // how long a port must have been silent to be an edge; default 1 s
	// How long a silent host is kept before it is queried, and deleted without an answer; default
	// 30 min; overridden by Settings.HostExpiry.
	Expiry time.Duration
	// Limits bound everything that others can make grow. Zero fields mean their defaults.
	Limits Limits

	// RoundTrip returns the control round trip of an idle session; 0 if unknown. It is called by
	// discovery's loop between transactions and must not block. nil: latencies are not measured.
	RoundTrip func(netview.DPID) time.Duration

	// Now is the clock; nil is the system's.
	Now func() time.Time

	// Changed is called by discovery's loop after a transaction of which port statuses or lost sessions were a
	// part: paths may have failed, and who has others goes first. It must not block; nil: nobody is told.
	Changed func()

	Alarms alarm.Sink // may be nil
	// InUse reports whether rules have forwarded packets of a host lately, without a packet-in:
	// such a host is kept, though it does not answer. It is called by discovery's loop between
	// transactions and must not block. nil: never.
	InUse func(id netview.HostID, at netview.Point) bool
}

// Limits are the bounds of what others can make grow.
type Limits = inventory.Limits

// Times and bounds that are not configurable.
const (
	keepDownLink      = 60 * time.Second // how long a link that is down stays in the view
	maxSettles        = 5                // times Settle: the longest delay of the role edge by switches that keep connecting
	unobservedSilence = 30 * time.Second // silence that makes an edge of a port whose link was not observed to go down
	// Session time after which a switch is established; one without it is forgotten after the same
	// time.
	establishedAfter = time.Minute
	freePorts        = 512              // ports of a new switch that do not count against Limits.New
	maxRemovedPorts  = 256              // deleted ports remembered per switch
	batchInputs      = 128              // inputs per transaction
	startupGrace     = 10 * time.Second // after a start old probes may be those of the previous process
)

func (c Config) withDefaults() Config {
	c.Domain = cmp.Or(c.Domain, 1)
	c.Period = cmp.Or(c.Period, 2*time.Second)
	c.Settle = cmp.Or(c.Settle, time.Second)
	c.Expiry = cmp.Or(c.Expiry, 30*time.Minute)
	c.Limits = c.Limits.WithDefaults()
	return c
}

// SwitchFacts is what a session's handshake reports of a switch. Discovery retains Ports.
type SwitchFacts struct {
	DPID         netview.DPID
	Epoch        uint64 // of the session: higher than that of every one before
	Version      openflow.Version
	Address      string // of the switch's end of the connection
	Desc         openflow.Desc
	Buffers      uint32
	Tables       uint8
	Capabilities uint32
	Ports        []openflow.Port
	// Received counts the bytes received in this session: while it does not grow, silent links are
	// no evidence. nil: the session is assumed to work.
	Received *atomic.Uint64
	// Out is the way to the switch in this session; nil: it takes nothing.
	Out Output
}

// Output is the way to a switch in one session. PacketOut returns false if the session did not accept
// the frame, or has ended: then the switch's silence is no evidence. The frame is valid during the call
// only. It is called from discovery's loop and must not block.
type Output interface {
	PacketOut(port uint32, frame []byte) bool
	// Barrier sends a barrier request (OpenFlow 1.3, 7.3.7), and calls passed on its reply, from
	// any goroutine; never without one. It must not block.
	Barrier(passed func())
}
