package loadswitch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Config says how a network's switches are.
type Config struct {
	Version openflow.Version // that all switches speak
	// Hosts are how many there are at each switch, spread over HostPorts ports of it (default 48,
	// at most MaxHostPorts, and no more than Hosts).
	Hosts     int
	HostPorts int
	// FirstID is the datapath id of the first switch; the others follow. Default 1.
	FirstID uint64
	// Tap, if set, makes the tap of a switch; it may return nil.
	Tap func(sw *Switch) Tap
	// MaxQueue is how many bytes wait for the controller; the session's default if 0.
	MaxQueue int
	// Plain has every flow-mod decoded, also one of the encoding that is read from its bytes
	// otherwise: what is kept is the same.
	Plain bool
	// Dial makes a connection to a controller; nil dials TCP.
	Dial func(ctx context.Context, address string) (net.Conn, error)
}

// MaxHostPorts is how many ports of hosts a switch may have: in OpenFlow 1.0 all ports stand in one
// message of 64 KiB.
const MaxHostPorts = 1000

// Network is the emulated switches of a topology.
type Network struct {
	Switches []*Switch

	cfg      Config
	topology *topo.Topology
	degrees  []int // links of each switch
	dialer   *session.Dialer
	start    time.Time
	closed   atomic.Int64
	ended    atomic.Pointer[error] // why the first session was ended

	mods, put, removed atomic.Uint64 // as Tally has them
}

// New makes the switches of a topology that ParseTopology returned; Connect connects them.
func New(t *topo.Topology, cfg Config) *Network {
	if cfg.HostPorts == 0 {
		cfg.HostPorts = 48
	}
	cfg.HostPorts = min(cfg.HostPorts, cfg.Hosts, MaxHostPorts)
	cfg.FirstID = max(cfg.FirstID, 1)
	n := &Network{cfg: cfg, topology: t, degrees: t.Degrees(), start: startTime()}
	n.dialer = session.NewDialer(session.Config{Versions: []openflow.Version{cfg.Version}, MaxQueue: cfg.MaxQueue,
		Refused: func(r session.Refusal) { n.lost(nil, r.Err) }})
	for i := range t.Switches {
		n.Switches = append(n.Switches, n.newSwitch(i))
	}
	for _, l := range t.Links {
		a, b := n.Switches[l.A.Switch], n.Switches[l.B.Switch]
		at, to := a.ports.at(l.A.Port), b.ports.at(l.B.Port)
		at.peer, at.peerPort, to.peer, to.peerPort = b, l.B.Port, a, l.A.Port
	}
	return n
}

func (n *Network) newSwitch(i int) *Switch {
	links := n.degrees[i]
	sw := &Switch{Index: i, net: n, ports: ports{n.cfg.FirstID + uint64(i), make([]port, links+n.cfg.HostPorts)}}
	sw.input.plain = n.cfg.Plain
	for h := range n.cfg.Hosts {
		at := topo.End{Switch: i, Port: uint32(links + 1 + h%n.cfg.HostPorts)}
		sw.Hosts = append(sw.Hosts, NewHost(i*n.cfg.Hosts+h, at))
	}
	if n.cfg.Tap != nil {
		sw.tap = n.cfg.Tap(sw)
	}
	return sw
}

// Topology is the network's.
func (n *Network) Topology() *topo.Topology { return n.topology }

// Host finds a host by its number.
func (n *Network) Host(number int) *Host {
	return &n.Switches[number/n.cfg.Hosts].Hosts[number%n.cfg.Hosts]
}

// Lost says how many sessions were lost, by whom, and why the first was; nil if none was.
func (n *Network) Lost() error {
	dead, err := n.Disconnected(), n.Ended()
	switch {
	case dead == 0:
		return nil
	case errors.Is(err, session.ErrHandshake), errors.Is(err, session.ErrDead), errors.Is(err, session.ErrStuck):
		return fmt.Errorf("%d of %d sessions were given up: %w", dead, len(n.Switches), err)
	}
	return fmt.Errorf("the controller ended %d of %d sessions: %w", dead, len(n.Switches), err)
}

// Disconnected is how many sessions were ended, by the controller or because it said nothing.
func (n *Network) Disconnected() int { return int(n.closed.Load()) }

// Ended is why the first session that was ended was; nil if none was.
func (n *Network) Ended() error {
	if err := n.ended.Load(); err != nil {
		return *err
	}
	return nil
}

func (n *Network) lost(_ *Switch, err error) {
	n.ended.CompareAndSwap(nil, &err)
	n.closed.Add(1)
}

// Announce has hosts of a switch speak, so that a controller learns where they are: all of them, or
// those for which say is true. What does not fit into the switch's queue is left out.
func (sw *Switch) Announce(say func(i int) bool) {
	var frame []byte
	for i := range sw.Hosts {
		if say == nil || say(i) {
			frame = sw.Hosts[i].AppendAnnouncement(frame[:0])
			_ = sw.PacketIn(sw.Hosts[i].At.Port, openflow.NoBuffer, frame)
		}
	}
}
