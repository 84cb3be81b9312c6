package forward

import (
	"cmp"
	"sync/atomic"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/app/forward/admission"
	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// Owner is the name of the application, and of the owner of its rules.
const Owner = "forward"

// Unknown is what happens to a unicast packet that no rule matches.
type Unknown string

// The choices of Config.Unknown.
const (
	// UnknownController hands the packet to the controller, which releases it along its new path.
	UnknownController Unknown = "controller"
	// UnknownFlood floods it along the tree, with a metered copy to the controller, which installs
	// the path.
	UnknownFlood Unknown = "flood"
)

// Config is the configuration of the application.
type Config struct {
	Domain     uint16  // of the cookies; see package plan
	Generation uint16  // number of this run in the cookies of pairs: another one than that of the run before
	Unknown    Unknown // UnknownController if empty
	// MaxPairsPort is how many pairs may begin at one port; admission.PerPort if 0.
	MaxPairsPort int
	Alarms       alarm.Sink // told when a switch begins to refuse rules, and when it stops; may be nil
	// Broadcast reaches all hosts; nil: nobody does, and packets to unknown hosts are dropped.
	Broadcast Broadcaster
}

// Broadcaster is who reaches all hosts. Neither method may wait for the application.
type Broadcaster interface {
	// Flood sends a packet to a host that is not known to all, on the goroutine that reads from the switch it
	// came to. The packet is valid during the call.
	Flood(netview.DPID, *openflow.PacketIn)
	// Applied is told that the pairs' rules that send to ports which were gone at a revision of the view are
	// deleted: what these ports lead to now may be used.
	Applied(netview.Revision)
}

// Limits. What is over them is counted, not queued.
const (
	// MaxPairs is how many pairs one ingress switch may have; further packets are released without
	// a rule.
	MaxPairs = 1 << 20
	// MaxHeld is how many packets of one pair wait for its path; further ones are dropped.
	MaxHeld = 16
	// MaxHeldSwitch is how many packets wait at one ingress switch.
	MaxHeldSwitch = 4096
)

// Counts are what happened since the start. They may be read at any time.
type Counts struct {
	outlet.Counts
	PacketIns   atomic.Uint64 // handed to the application
	Copies      atomic.Uint64 // of them, copies of packets that the switch has forwarded itself
	Pairs       atomic.Uint64 // pairs installed
	NoPath      atomic.Uint64 // packets dropped: no path to the host, or a host that nobody knows and no Broadcaster
	HeldDropped atomic.Uint64 // packets dropped: too many were waiting for a path
	Unruled     atomic.Uint64 // packets released without a rule: too many pairs
	Moved       atomic.Uint64 // pairs moved to another path
	Adopted     atomic.Uint64 // pairs of an earlier run
	Refused     atomic.Uint64 // pairs' rules that a switch refused
}

// ByKind are the counters by their names in metrics.
func (c *Counts) ByKind() map[string]uint64 {
	return map[string]uint64{
		"packet_ins": c.PacketIns.Load(), "copies": c.Copies.Load(), "pairs": c.Pairs.Load(),
		"released": c.Released.Load(), "no_path": c.NoPath.Load(), "held_dropped": c.HeldDropped.Load(),
		"unsent": c.Unsent.Load(), "unruled": c.Unruled.Load(), "moved": c.Moved.Load(), "adopted": c.Adopted.Load(),
		"refused": c.Refused.Load(),
	}
}

// Forward is the application. The package comment lists which method is called from where.
type Forward struct {
	*shared
	adopter  adopter
	cleaner  cleaner
	repairs  repairs
	planner  planner
	revision atomic.Uint64 // of the view that Step has applied
}

// New returns an application.
func New(cfg Config) *Forward {
	cfg.MaxPairsPort = cmp.Or(max(cfg.MaxPairsPort, 0), admission.PerPort)
	s := &shared{cfg: cfg, paths: pairs.NewPaths(cfg.Domain, cfg.Generation), switches: newSwitchTable()}
	s.routes.places = &s.places
	s.refusals.clock, s.refusals.switches, s.refusals.alarms = &s.clock, &s.switches, cfg.Alarms
	s.retired.clock, s.retired.routes = &s.clock, &s.routes
	s.slots.bell = loop.NewBell()
	f := &Forward{shared: s, adopter: adopter{s}, planner: newPlanner(s)}
	f.cleaner = cleaner{shared: s, writer: outlet.NewWriter(&s.count.Counts)}
	f.repairs = newRepairs(s, &f.cleaner)
	return f
}

// Counts are what happened since the start.
func (f *Forward) Counts() *Counts { return &f.count }

// Hash returns the number by which the packets between two hosts, in either direction, choose among
// paths of equal cost.
func Hash(src, dst packet.MAC) uint64 { return pairs.Of(src.Uint64(), dst.Uint64(), 0).Hash() }
