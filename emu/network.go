package emu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/emu/random"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/session"
)

// Network is the switches, links and hosts of a topology. Its methods may be called from any
// goroutine.
type Network struct {
	cfg      Config
	epoch    time.Time
	engines  []*engine
	switches []*Switch
	links    []*Link
	hosts    []*Host
	dialer   *session.Dialer
	serial   uint32 // of the topology, the beginning of its switches' serial numbers

	attachments []*Attachment

	on, linksUp, connected, sessions atomic.Int64
	stopped                          atomic.Bool
	wakeLatency                      wakeLatency
	runner                           runner
	attempts                         attempts

	mu      sync.Mutex // guards what follows
	started bool
	closed  bool
	cancel  context.CancelFunc
	stop    chan struct{}
}

// The kinds of things that have randomness of their own.
const (
	seedForward = iota
	seedBack
	seedHosts
	seedTables
	seedMisbehaviour
	seedBackoff
	seedBehaviour
)

// Limits of a switch's session. What a controller asks for in one request may be long: a table of a
// million entries is 100 MB; while it waits to be taken, no other request is read.
const (
	maxQueue  = 256 << 20
	highWater = 1 << 20
)

// ErrClosed refuses to start a network that was closed, or started before.
var ErrClosed = errors.New("network closed or started before")

// New makes a network. All switches have power and all links are up; nothing moves before Start.
func New(cfg Config) (*Network, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	n := &Network{cfg: cfg, stop: make(chan struct{}), serial: cfg.Topology.Sum()}
	sessions := session.Config{Versions: cfg.Versions, EchoInterval: cfg.Echo, MaxQueue: maxQueue, HighWater: highWater}
	if n.epoch = startTime(); cfg.Driver != nil {
		n.epoch, n.cfg.clock, sessions.Driver = cfg.Driver.Now(), n.driven, cfg.Driver
	}
	n.dialer = session.NewDialer(sessions)
	n.runner.driver = cfg.Driver
	n.attempts = attempts{cfg: &n.cfg, sessions: n.dialer, runner: &n.runner}
	for i := range cfg.Engines {
		n.engines = append(n.engines, newEngine(n, i))
	}
	t := cfg.Topology
	for i := range t.Switches {
		n.switches = append(n.switches, n.newSwitch(i, &t.Switches[i], n.engines[i*cfg.Engines/len(t.Switches)]))
	}
	assignMACs(n.switches)
	n.connectAll()
	for i := range t.Hosts {
		if err := n.newHost(i, &t.Hosts[i]); err != nil {
			return nil, err
		}
	}
	for _, sw := range n.switches {
		sw.ports.sort()
		sw.Up()
	}
	return n, nil
}

// connectAll makes the links between switches.
func (n *Network) connectAll() {
	t := n.cfg.Topology
	for i := range t.Links {
		spec := &t.Links[i]
		l := &Link{ID: spec.ID, Index: i, net: n}
		a := n.switches[spec.A.Switch].addPort(spec.A.Port, l)
		b := n.switches[spec.B.Switch].addPort(spec.B.Port, l)
		l.ends = [2]*port{a, b}
		a.out = l.newSimplex(Forward, &a.sw.mu, spec.Forward, b, b.sw.engine, i)
		b.out = l.newSimplex(Back, &b.sw.mu, spec.Back, a, a.sw.engine, i)
		n.links = append(n.links, l)
	}
}

// newHost makes a host and its link.
func (n *Network) newHost(i int, spec *topo.Host) error {
	sw := n.switches[spec.At.Switch]
	h := &Host{Index: i, net: n, spec: spec, engine: sw.engine}
	h.timer.owner = h
	seed := random.Seeded(n.cfg.Seed, seedHosts, i)
	var err error
	if h.stack, err = n.cfg.stack(spec, seed.Next()); err != nil {
		return fmt.Errorf("host %s: %w", spec.Name, err)
	}
	l := &Link{ID: n.cfg.Topology.LinkID(spec), Index: -1, net: n}
	p := sw.addPort(spec.At.Port, l)
	l.ends = [2]*port{nil, p}
	number := len(n.cfg.Topology.Links) + i
	h.link, h.out = l, l.newSimplex(Forward, &h.mu, spec.Link, p, sw.engine, number)
	p.out = l.newSimplex(Back, &sw.mu, spec.Link, h, h.engine, number)
	n.hosts = append(n.hosts, h)
	n.switches[spec.At.Switch].hosts = append(n.switches[spec.At.Switch].hosts, h)
	return nil
}

// newSimplex makes one way of a link; it is down.
func (l *Link) newSimplex(w Direction, sender sync.Locker, spec topo.LinkSpec, to receiver, e *engine, number int) *simplex {
	d := &l.directions[w]
	d.sender, d.spec, d.to, d.engine = sender, spec, to, e
	d.random = random.Seeded(l.net.cfg.Seed, seedForward+int(w), number)
	d.timer.owner, d.timer.exact = d, true
	if p, ok := to.(*port); ok && p.sw.Profile().Delays() {
		d.absorbs, d.first = true, 1
	}
	if from := l.ends[w]; from != nil && from.sw.Profile().Delays() {
		d.first = 1
	}
	d.last = d.first
	return d
}

// Switches are in the topology's order. The list must not be changed, as the others.
func (n *Network) Switches() []*Switch { return n.switches }

// Links are those between switches, in the topology's order.
func (n *Network) Links() []*Link { return n.links }

// Hosts are in the topology's order.
func (n *Network) Hosts() []*Host { return n.hosts }

// Topology is what the network was made of.
func (n *Network) Topology() *topo.Topology { return n.cfg.Topology }

// Controllers are those of the configuration.
func (n *Network) Controllers() []string { return n.cfg.Controllers }

// Age is the time since the network was made: the clock of its hosts.
func (n *Network) Age() time.Duration { return n.now() }

// now is the network's age, by the clock of the loops or of a test.
func (n *Network) now() time.Duration {
	if n.cfg.clock != nil {
		return n.cfg.clock()
	}
	return age(n.epoch)
}

// at is the wall clock at an age.
func (n *Network) at(age time.Duration) time.Time { return n.epoch.Add(age) }
