package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Config is how discovery works. Zero fields mean their defaults.
type Config struct {
	Instance string // our name: the master of switches that connect here
	Domain   uint16 // the domain of the switch plan: only frames of this one make links; default 1
	Key      []byte // the cluster's key, for the frames' authentication; at least 16 bytes
	Seed     uint64 // first one-time number; 0 means random

	Period time.Duration // between two probes of a port, unless there are too many (pace.go); default 2 s
	Settle time.Duration // how long a port must have been silent to be an edge; default 1 s
	Expiry time.Duration // how long a silent host that answers no question is kept; default 30 min; Settings.HostExpiry overrides it
	Limits Limits

	// RoundTrip is how long a message to a switch and its answer take, nobody waiting; 0 if that is not known. It is called
	// by discovery's loop and must not block. nil: latencies are not measured.
	RoundTrip func(netview.DPID) time.Duration

	// Received is how many bytes the session of a switch has received so far; its silence is not a link's. nil: sessions
	// that are up are believed to work.
	Received func(netview.DPID) uint64

	// Now is the clock; nil is the system's.
	Now func() time.Time

	Alarms Alarms // nil: nobody
	// InUse tells whether packets of a host have been forwarded lately, by rules that hide them from us: such a host is
	// kept, though it answers nothing. It is called inside a transaction and must not write to the view. nil: never.
	InUse func(id netview.HostID, at netview.Point) bool
}

// Alarms takes what an operator should know. Its methods may be called from any goroutine and do not block.
type Alarms interface {
	Raise(kind netview.AlarmKind, object, text string)
	Clear(kind netview.AlarmKind, object string)
}

// Limits are the bounds of what others can make grow. Zero fields mean their defaults.
type Limits struct {
	Facts    int // switch and port events queued; more make their sessions wait. Default 4096
	Probes   int // LLDP frames queued; more are dropped. Default 16384
	Frames   int // frames of unknown hosts queued; more are dropped. Default 4096
	Hosts    int // hosts known in all. Default 131072
	AtPort   int // hosts known at one port. Default 16384
	IPs      int // addresses of one host: an ARP or ND beyond replaces the oldest. Default 16
	Pending  int // hosts remembered in all for ports of unknown role. Default 4096
	Asks     int // hosts asked at a time whether they are still there. Default 1024
	Switches int // datapath ids known; beyond that the one disconnected for longest goes. Default 16384
	Ports    int // of all switches known. Default 1,000,000, about 1 KB each
	OfSwitch int // ports of one switch: those that it reports beyond are ignored. Default 8192
	Passing  int // ports of switches that went before they were a minute old; beyond that the first to go is forgotten. Default 32768
	Known    int // entries of the table of the fast path, a power of two. Default 65536 (1 MiB)
}

// What discovery waits for.
const (
	missedProbes = 3                // periods unheard, after which a link is removed
	keepDown     = 60 * time.Second // a link that is down stays in the view
	refreshSeen  = 60 * time.Second // how stale Host.Seen may be
	settleMax    = 5                // times Settle: switches that keep connecting delay the role edge no longer than this
	segment      = 64               // ports of a switch probed at one time
	slots        = 20               // times in a period at which switches are probed
	unseenWait   = 30 * time.Second // silence that makes an edge where a link was and nobody saw it go
	pendingShare = 16               // the part of Limits.Pending that one port may take: 1 in so many
	provenAfter  = time.Minute      // of a session, and a switch is remembered; one that had none so long is forgotten after as long
	goneMax      = 256              // deleted ports of a switch that are remembered
	batch        = 128              // inputs of one transaction
	keepSilent   = 10 * time.Second // after start, old probes may be those of the life before
)

// fastStart is when a port is probed after it comes up. The answer to the first may miss the rule that sends it here.
var fastStart = [...]time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond, 400 * time.Millisecond, time.Second}

func (c Config) withDefaults() Config {
	c.Domain = or(c.Domain, 1)
	c.Period = or(c.Period, 2*time.Second)
	c.Settle = or(c.Settle, time.Second)
	c.Expiry = or(c.Expiry, 30*time.Minute)
	l := &c.Limits
	l.Facts = or(l.Facts, 4096)
	l.Probes = or(l.Probes, 16384)
	l.Frames = or(l.Frames, 4096)
	l.Hosts = or(l.Hosts, 131072)
	l.AtPort = or(l.AtPort, 16384)
	l.IPs = or(l.IPs, 16)
	l.Pending = or(l.Pending, 4096)
	l.Asks = or(l.Asks, 1024)
	l.Switches = or(l.Switches, 16384)
	l.Ports = or(l.Ports, 1_000_000)
	l.OfSwitch = or(l.OfSwitch, 8192)
	l.Passing = or(l.Passing, 32768)
	l.Known = or(l.Known, 65536)
	return c
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// SwitchFacts is what a session's handshake tells of a switch. Discovery keeps Ports.
type SwitchFacts struct {
	DPID         netview.DPID
	Version      openflow.Version
	Address      string // of the switch's end of the connection
	Desc         openflow.Desc
	Buffers      uint32
	Tables       uint8
	Capabilities uint32
	Ports        []openflow.Port
}

// Output sends a frame out of a port, by a packet-out. It returns false if the switch is not connected or its session did
// not take the frame: that it is not heard means nothing then. The frame is valid during the call only. It is called from
// discovery's loop and must not block.
type Output interface {
	PacketOut(dpid netview.DPID, port uint32, frame []byte) bool
	// Barrier asks a switch to say when it has come to all that it was sent before (OpenFlow 1.3, 7.3.7), and calls passed
	// when it does, from any goroutine; never if it does not. It must not block.
	Barrier(dpid netview.DPID, passed func())
}
