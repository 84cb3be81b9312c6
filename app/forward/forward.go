package forward

import (
	"sync/atomic"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/topology"
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
	// MaxPairsPort is how many pairs may begin at one port; the constant of that name if 0.
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
	// MaxGone is how many places of deleted hosts are remembered, so that pairs follow when they
	// are learned elsewhere.
	MaxGone = 1 << 16
	// MaxHeldSwitch is how many packets wait at one ingress switch.
	MaxHeldSwitch = 4096
)

// Switch is the ordered output to one switch. Its methods append to a queue and never block; an
// error means that the queue is full or the connection gone. Arguments are encoded before they
// return.
type Switch interface {
	FlowMod(*openflow.FlowMod) error
	PacketOut(*openflow.PacketOut) error
	// Barrier calls done once: with nil when the switch has confirmed all before it, else with the
	// reason.
	Barrier(done func(error)) error
	// Flush has what was appended sent. The switch whose input is being handled is flushed after
	// BatchEnd by itself.
	Flush()
}

// Counts are what happened since the start. They may be read at any time.
type Counts struct {
	PacketIns   atomic.Uint64 // handed to the application
	Copies      atomic.Uint64 // of them, copies of packets that the switch has forwarded itself
	Pairs       atomic.Uint64 // pairs installed
	Released    atomic.Uint64 // packets sent on
	NoPath      atomic.Uint64 // packets dropped: no path to the host
	HeldDropped atomic.Uint64 // packets dropped: too many were waiting for a path
	Unsent      atomic.Uint64 // messages dropped: the switch's queue was full, or its connection gone
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
	cfg          Config
	hosts        index[hostPlace] // by hostKey; written by Step
	switches     index[*Datapath] // by datapath id; written by Attach's caller under attach
	attach       chan struct{}    // a lock of one: Attach and Detach
	paths        *pathRegistry
	maps         atomic.Pointer[topology.Source] // that the application follows; nil if Step is called by somebody else
	topology     atomic.Pointer[topology.Map]    // that Step was called with
	directsLeft  atomic.Int64                    // in this second
	refusing     atomic.Int64                    // switches that refuse rules
	deletedHosts map[uint64]hostPlace            // places of hosts that were deleted and not learned again; Step's
	retired      retired
	inherited    inherited
	mover        mover
	backoff      atomic.Pointer[topology.Filter] // the links that flap; nil: none does
	moves        pathing.Moves                   // planned moves
	movesQueued  atomic.Bool                     // planned moves wait for one of MovesMax places
	bell         loop.Bell                       // rung when there is room
	recheck      bool                            // a link has changed since Second; Step's
	seconds      atomic.Uint32                   // calls of Second
	revision     atomic.Uint64                   // of the view that Step has applied
	snap         atomic.Pointer[netview.Snapshot]
	count        Counts
}

// hostPlace is where a host is.
type hostPlace struct {
	at netview.Point
}

// New returns an application.
func New(cfg Config) *Forward {
	if cfg.MaxPairsPort <= 0 {
		cfg.MaxPairsPort = MaxPairsPort
	}
	f := &Forward{cfg: cfg, paths: newPaths(), deletedHosts: make(map[uint64]hostPlace), attach: make(chan struct{}, 1),
		bell: loop.NewBell()}
	f.mover.drains, f.mover.restorer = make(drains), pathing.NewRestorer()
	return f
}

// Counts are what happened since the start.
func (f *Forward) Counts() *Counts { return &f.count }

// hostKey packs a host's address and VLAN id (0 for untagged) into one key.
func hostKey(mac uint64, vlan uint16) uint64 { return mac<<12 | uint64(vlan&0xfff) }

func hostKeyOf(h *netview.Host) uint64 { return hostKey(h.MAC.Uint64(), h.VLAN) }

// Frame is what the application needs of a packet's headers.
type Frame struct {
	Dst, Src  uint64 // MAC addresses, in the low 48 bits
	VLAN      uint16 // as vlan_vid matches it: 0 untagged, else the id with openflow.VLANPresent
	EtherType uint16
}

// multicast reports whether the destination is a group or broadcast address.
func (fr Frame) multicast() bool { return fr.Dst>>40&1 != 0 }

// pair is what a unicast rule matches.
type pair struct {
	src uint64 // MAC<<16 | VLAN
	dst uint64
}

func pairOf(fr Frame) pair { return pair{src: fr.Src<<16 | uint64(fr.VLAN), dst: fr.Dst} }

func (p pair) vlan() uint16 { return uint16(p.src) }

// dstKey is the destination as a key of the hosts.
func (p pair) dstKey() uint64 { return hostKey(p.dst, p.vlan()&0xfff) }

// srcKey is the source as a key of the hosts.
func (p pair) srcKey() uint64 { return hostKey(p.src>>16, p.vlan()&0xfff) }

// hash is the same for both directions of a pair.
func (p pair) hash() uint64 {
	h := (p.src>>16 ^ p.dst) * 0x9e3779b97f4a7c15
	h ^= (p.src>>16 + p.dst) * 0xc2b2ae3d27d4eb4f
	h ^= h >> 29
	return h * 0xbf58476d1ce4e5b9
}

// appendMatch appends the OXM TLVs of the pair: vlan_vid, eth_src, eth_dst.
func (p pair) appendMatch(b []byte) []byte {
	var src, dst = packet.MACFromUint64(p.src >> 16), packet.MACFromUint64(p.dst)
	b = append(b, 0x80, 0x00, byte(openflow.FieldVLANVID)<<1, 2, byte(p.vlan()>>8), byte(p.vlan()))
	b = append(append(b, 0x80, 0x00, byte(openflow.FieldEthSrc)<<1, 6), src[:]...)
	return append(append(b, 0x80, 0x00, byte(openflow.FieldEthDst)<<1, 6), dst[:]...)
}

// pairOfMatch reads a pair back from the match of its rule.
func pairOfMatch(m openflow.Match) (pair, bool) {
	vlan, ok1 := m.Uint(openflow.FieldVLANVID)
	src, ok2 := m.Uint(openflow.FieldEthSrc)
	dst, ok3 := m.Uint(openflow.FieldEthDst)
	return pair{src: src<<16 | vlan, dst: dst}, ok1 && ok2 && ok3
}

// Hash returns the number by which the packets between two hosts, in either direction, choose among
// paths of equal cost.
func Hash(src, dst packet.MAC) uint64 {
	return pair{src: src.Uint64() << 16, dst: dst.Uint64()}.hash()
}

// currentMap returns the map in which paths are chosen; nil before the first. It may be newer than the
// changes that Step has applied: another follower of the source has them already, and moves its paths.
func (f *Forward) currentMap() *topology.Map {
	if maps := f.maps.Load(); maps != nil {
		return maps.Map()
	}
	return f.topology.Load()
}

// datapath returns a switch that was ever attached, or nil.
func (f *Forward) datapath(dpid netview.DPID) *Datapath {
	d, _ := f.switches.get(uint64(dpid))
	return d
}
