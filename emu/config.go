package emu

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"runtime"
	"time"

	"github.com/weirnet/weir/emu/fidelity"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
)

// Config describes a network, and the controllers of its switches. The zero value of each field but
// Topology means its default.
type Config struct {
	// Topology has passed its Check, and must not be changed any more.
	Topology *topo.Topology
	// Versions are those that the switches offer; none means 1.0 and 1.3. The highest one that the
	// controller speaks too is used.
	Versions []openflow.Version
	// Controllers are what each switch connects to, all of them: TCP addresses, or whatever Dial
	// understands. None is allowed.
	Controllers []string
	// Dial makes a connection; nil dials TCP.
	Dial func(ctx context.Context, controller string) (net.Conn, error)
	// TLS, if set, is the configuration of a switch's TLS, by its datapath id; nil for a switch
	// speaks none. It needs a ServerName.
	TLS func(datapath uint64) *tls.Config
	// Seed is that of all randomness: losses, jitter, back-off, hosts, lies, select groups.
	Seed uint64
	// Switch is how each switch's tables are made; its Seed is ignored.
	Switch flowtable.Config
	// Profile is how switches behave for which the topology says nothing else; the zero value is
	// ideal, at no cost.
	Profile profile.Profile
	// Silent has hosts say nothing by themselves; else each announces its addresses a while after
	// its switch is first connected to a controller.
	Silent bool
	// LocalPort gives each switch a port OFPP_LOCAL as that of a bridge of Open vSwitch whose
	// interface is down: with an address and the switch's name, and nothing behind it. Some
	// applications take a switch's address from it.
	LocalPort bool
	// Engines is how many loops share the switches; default GOMAXPROCS.
	Engines int
	// BackoffMin and BackoffMax are the first and the longest time until a switch tries again to
	// connect: each is twice the one before, less up to half of it at random. Default 250 ms and 8
	// s.
	BackoffMin, BackoffMax time.Duration
	// Echo is how often a switch asks whether its controller lives, which has three times so long
	// to answer; default 10 s, negative never.
	Echo time.Duration

	// Tolerance is how late what was promised for a time may be before it counts as late
	// (Fidelity); default fidelity.DefaultTolerance.
	Tolerance time.Duration

	// Accepted, if set, is called with each message by which a controller, by its number in Controllers, has changed a
	// switch or sent a packet, when that is done. It must not block, call the network, or keep the message: the
	// switch's lock is held.
	Accepted func(sw *Switch, controller int, m openflow.Message)

	// Driver, if set, has the network live, in place of goroutines and of the clock.
	Driver Driver

	clock func() time.Duration                           // of a network that no loop runs, for tests
	stack func(h *topo.Host, seed uint64) (stack, error) // of hosts, for tests
}

// The defaults of Config.
const (
	defaultBackoffMin = 250 * time.Millisecond
	defaultBackoffMax = 8 * time.Second
	defaultEcho       = 10 * time.Second
)

// errNoTopology refuses a Config without one.
var errNoTopology = errors.New("a network without a topology")

func (c Config) withDefaults() (Config, error) {
	if c.Topology == nil {
		return c, errNoTopology
	}
	if c.Engines <= 0 {
		c.Engines = runtime.GOMAXPROCS(0)
	}
	if c.stack == nil {
		c.stack = c.newStack
	}
	c.Engines = min(c.Engines, len(c.Topology.Switches))
	if c.BackoffMin <= 0 {
		c.BackoffMin = defaultBackoffMin
	}
	if c.BackoffMax <= 0 {
		c.BackoffMax = defaultBackoffMax
	}
	c.BackoffMax = max(c.BackoffMin, c.BackoffMax)
	if c.Tolerance <= 0 {
		c.Tolerance = fidelity.DefaultTolerance
	}
	if c.Echo == 0 {
		c.Echo = defaultEcho
	}
	return c, nil
}

// newStack is the stack of a host.
func (c *Config) newStack(h *topo.Host, seed uint64) (stack, error) {
	return host.New(host.Config{
		Name: h.Name, MAC: h.MAC, IPv4: h.IPv4, IPv6: h.IPv6, VLAN: h.VLAN, Seed: seed,
	})
}
