package host

import (
	"cmp"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/weirnet/weir/packet"
)

// Output is the host's link.
type Output interface {
	// Send sends a frame, which is valid during the call only. It does not call the host.
	Send(frame []byte)
}

// Host is one station: a stack of layers, each of which knows those below it. Its methods are for one goroutine at
// a time.
type Host struct {
	link       link
	neighbours neighbours
	echo       echo
	udp        datagrams
	tcp        streams
	started    bool
}

// New is a host with this configuration; the error is that of Config.Check.
func New(cfg Config) (*Host, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	cfg.MTU = cmp.Or(cfg.MTU, DefaultMTU)
	cfg.NeighbourLife = cmp.Or(cfg.NeighbourLife, DefaultNeighbourLife)
	h := &Host{link: link{identity: identityOf(cfg), timers: newTimers()}}
	h.link.random = *rand.NewPCG(cfg.Seed, h.link.mac)
	h.neighbours.link = &h.link
	h.echo.via, h.udp.via, h.tcp.via = &h.neighbours, &h.neighbours, &h.neighbours
	h.udp.port, h.tcp.port = firstPort-1, firstPort-1
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
func (h *Host) Counters() Counters { return h.link.counters }

// maxWakes is how many timers one Step serves: after a late call, or with a flow at an absurd rate,
// the other hosts of a loop get their turn too.
const maxWakes = 256

// Step does what is due by now. It is called after every Receive and command too, and again at
// next, if ok; next has passed already when more was due than maxWakes.
func (h *Host) Step(now time.Duration, out Output) (next time.Duration, ok bool) {
	if !h.started {
		h.started = true
		if h.link.cfg.Announce {
			h.Announce(now, out)
		}
	}
	for range maxWakes {
		t, ok := h.link.timers.Due(now)
		if !ok {
			break
		}
		t.owner.wake(now, out)
	}
	next, _, ok = h.link.timers.First()
	return next, ok
}

// Announce sends at once, to all stations, a gratuitous ARP request (RFC 5227, section 3: sender
// and target are the host) and an unsolicited neighbour advertisement, for the addresses the host
// has.
func (h *Host) Announce(_ time.Duration, out Output) { h.neighbours.announce(out) }

// AnnounceAt has the host send at a time what Announce sends.
func (h *Host) AnnounceAt(at time.Duration) {
	a := &announcement{of: &h.neighbours}
	h.link.timers.set(&a.timer, a, at)
}

// Ping begins a series of echo requests, the first at now. The error names the part of the spec
// that is invalid.
func (h *Host) Ping(spec PingSpec, now time.Duration) (*Ping, error) { return h.echo.begin(spec, now) }

// UDP begins a flow, the first datagram at now. The error names the part of the spec that is
// invalid.
func (h *Host) UDP(spec FlowSpec, now time.Duration) (*Flow, error) { return h.udp.begin(spec, now) }

// Sink counts the flow from src and its port to this host's address dst and its port; nil if
// nothing arrived of it.
func (h *Host) Sink(src netip.Addr, srcPort uint16, dst netip.Addr, dstPort uint16) *Sink {
	return h.udp.sinks[sinkKey{packet.AddrFrom(src), packet.AddrFrom(dst), srcPort, dstPort}]
}

// TCP begins a stream, the SYN at now. The error names the part of the spec that is invalid.
func (h *Host) TCP(spec StreamSpec, now time.Duration) (*Stream, error) {
	return h.tcp.begin(spec, now)
}

// ClosePort has streams to a port be refused. All ports below the dynamic range are open in a new
// host.
func (h *Host) ClosePort(port uint16) { put(&h.tcp.closedPorts, port, true) }

// AcceptedFrom is the stream from a port of src to this host's port, or nil.
func (h *Host) AcceptedFrom(src netip.Addr, srcPort, port uint16) *Stream {
	s := h.tcp.streams[streamKey{packet.AddrFrom(src), srcPort, port}]
	if s == nil || s.active {
		return nil
	}
	return s
}
