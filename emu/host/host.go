package host

import (
	"cmp"
	"math/rand/v2"
	"time"

	"github.com/weirnet/weir/packet"
)

// Output is the host's link.
type Output interface {
	// Send sends a frame, which is valid during the call only. It does not call the host.
	Send(frame []byte)
}

// Host is one station. Its methods are for one goroutine at a time.
type Host struct {
	cfg     Config
	ip4     packet.Addr // zero: none
	ip6     packet.Addr
	mac     uint64
	started bool

	timers timers
	random rand.PCG
	buf    []byte // the frame that is being built; grows to the longest one sent

	counters Counters

	neighbours map[packet.Addr]*neighbour
	order      []*neighbour // in order of arrival
	next       int          // index in order of the next to be evicted
	heldBytes  int

	pings    map[uint16]*Ping // by echo identifier
	pingID   uint16
	flows    map[uint16]*Flow // by source port
	port     uint16           // the last source port given out
	sinks    map[sinkKey]*Sink
	sinkRow  []*Sink // in order of arrival
	sinkNext int     // index in sinkRow of the next that may be evicted

	streams     map[streamKey]*Stream
	accepted    []*Stream // those of them that other hosts opened
	streamPort  uint16
	closedPorts map[uint16]bool
}

// New is a host with this configuration; the error is that of Config.Check.
func New(cfg Config) (*Host, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	cfg.MTU = cmp.Or(cfg.MTU, DefaultMTU)
	cfg.NeighbourLife = cmp.Or(cfg.NeighbourLife, DefaultNeighbourLife)
	h := &Host{cfg: cfg, mac: cfg.MAC.Uint64(), ip4: packet.AddrFrom(cfg.IPv4.Addr()), ip6: packet.AddrFrom(cfg.IPv6.Addr()),
		timers: newTimers()}
	h.random = *rand.NewPCG(cfg.Seed, h.mac)
	h.port, h.streamPort = firstPort-1, firstPort-1
	return h, nil
}

// put sets an entry of a map that is made with its first one: most hosts need few of their maps.
func put[K comparable, V any](m *map[K]V, key K, v V) {
	if *m == nil {
		*m = make(map[K]V)
	}
	(*m)[key] = v
}

// Counters are the host's totals now.
func (h *Host) Counters() Counters { return h.counters }

// maxWakes is how many timers one Step serves: after a late call, or with a flow at an absurd rate,
// the other hosts of a loop get their turn too.
const maxWakes = 256

// Step does what is due by now. It is called after every Receive and command too, and again at
// next, if ok; next has passed already when more was due than maxWakes.
func (h *Host) Step(now time.Duration, out Output) (next time.Duration, ok bool) {
	if !h.started {
		h.started = true
		if h.cfg.Announce {
			h.Announce(now, out)
		}
	}
	for range maxWakes {
		t, ok := h.timers.Due(now)
		if !ok {
			break
		}
		t.owner.wake(h, now, out)
	}
	next, _, ok = h.timers.First()
	return next, ok
}

// vlan is the tag of frames in the form of package packet.
func (h *Host) vlan() uint16 {
	if h.cfg.VLAN == 0 {
		return 0
	}
	return packet.VLANPresent | h.cfg.VLAN
}

// own reports whether ip is an address of this host.
func (h *Host) own(ip packet.Addr) bool { return !ip.IsZero() && (ip == h.ip4 || ip == h.ip6) }

// source is the host's address of ip's version; ok is false if it has none.
func (h *Host) source(ip packet.Addr) (src packet.Addr, ok bool) {
	if ip.Is4() {
		return h.ip4, !h.ip4.IsZero()
	}
	return h.ip6, !h.ip6.IsZero()
}
