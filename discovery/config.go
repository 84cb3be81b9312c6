package discovery

import (
	"cmp"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Config configures discovery. Zero fields mean their defaults.
type Config struct {
	Domain uint16 // domain of the switch plan: only its frames make links; default 1
	Key    []byte // the cluster's key, for the frames' authentication; at least 16 bytes
	Seed   uint64 // first one-time number; 0 means random

	Period time.Duration // between two probes of a port, stretched if there are too many (pace.go); default 2 s
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

	Alarms alarm.Sink // may be nil
	// InUse reports whether rules have forwarded packets of a host lately, without a packet-in:
	// such a host is kept, though it does not answer. It is called by discovery's loop between
	// transactions and must not block. nil: never.
	InUse func(id netview.HostID, at netview.Point) bool
}

// Limits are the bounds of what others can make grow. Zero fields mean their defaults.
type Limits struct {
	Facts    int // switch and port events queued; beyond that sessions block. Default 4096
	Probes   int // LLDP frames queued; more are dropped. Default 16384
	Frames   int // frames of unknown hosts queued; more are dropped. Default 4096
	Hosts    int // hosts known in all. Default 131072
	AtPort   int // hosts known at one port. Default 16384
	IPs      int // addresses of one host: an ARP or ND beyond replaces the oldest. Default 16
	Pending  int // sightings deferred at ports of unknown role. Default 4096
	Queries  int // hosts queried at a time. Default 1024
	Switches int // datapath ids known; beyond that the longest disconnected is evicted. Default 16384
	Ports    int // of all switches known. Default 1,000,000, about 1 KB each
	OfSwitch int // ports of one switch; more are ignored. Default 8192
	// Ports that switches which are not established report by port statuses, above 512 each: more
	// are ignored. Default 8192
	New int
	// Ports of switches that disconnected within a minute; beyond that the first of them is
	// forgotten. Default 16384
	Passing int
	Known   int // entries of the table of the fast path, a power of two. Default 65536 (1 MiB)
}

// Times and bounds that are not configurable.
const (
	missedProbes      = 3                // missed periods after which a link is removed
	keepDownLink      = 60 * time.Second // how long a link that is down stays in the view
	refreshSeen       = 60 * time.Second // how stale Host.Seen may be
	maxSettles        = 5                // times Settle: the longest delay of the role edge by switches that keep connecting
	segmentPorts      = 64               // ports of a switch probed at one time
	roundSlots        = 20               // of a period, over which the rounds of switches are spread
	unobservedSilence = 30 * time.Second // silence that makes an edge of a port whose link was not observed to go down
	pendingShare      = 16               // one port may take 1/16 of Limits.Pending
	// Session time after which a switch is established; one without it is forgotten after the same
	// time.
	establishedAfter = time.Minute
	freePorts        = 512              // ports of a new switch that do not count against Limits.New
	maxRemovedPorts  = 256              // deleted ports remembered per switch
	batchInputs      = 128              // inputs per transaction
	startupGrace     = 10 * time.Second // after a start old probes may be those of the previous process
)

// fastStartTimes are when a port is probed after it comes up. The first probe may be lost because
// the rule that sends it to us is not installed yet.
var fastStartTimes = [...]time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond, 400 * time.Millisecond, time.Second}

func (c Config) withDefaults() Config {
	c.Domain = cmp.Or(c.Domain, 1)
	c.Period = cmp.Or(c.Period, 2*time.Second)
	c.Settle = cmp.Or(c.Settle, time.Second)
	c.Expiry = cmp.Or(c.Expiry, 30*time.Minute)
	l := &c.Limits
	l.Facts = cmp.Or(l.Facts, 4096)
	l.Probes = cmp.Or(l.Probes, 16384)
	l.Frames = cmp.Or(l.Frames, 4096)
	l.Hosts = cmp.Or(l.Hosts, 131072)
	l.AtPort = cmp.Or(l.AtPort, 16384)
	l.IPs = cmp.Or(l.IPs, 16)
	l.Pending = cmp.Or(l.Pending, 4096)
	l.Queries = cmp.Or(l.Queries, 1024)
	l.Switches = cmp.Or(l.Switches, 16384)
	l.Ports = cmp.Or(l.Ports, 1_000_000)
	l.OfSwitch = cmp.Or(l.OfSwitch, 8192)
	l.New = cmp.Or(l.New, 8192)
	l.Passing = cmp.Or(l.Passing, 16384)
	l.Known = cmp.Or(l.Known, 65536)
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
