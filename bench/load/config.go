package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/window"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Config says which packet-ins there are, and how many at a time. The zero value of a field means its
// default.
type Config struct {
	Version openflow.Version // default 1.3
	// Topology is as loadswitch.ParseTopology reads it; default single:1.
	Topology string
	Network  *topo.Topology // what that is; Check sets it
	Hosts    int            // at each switch; default 1000
	// Hops, if not 0, makes every packet the first of a new flow between hosts whose shortest path
	// has so many switches. It is answered when it is released and finds the rules of its path at
	// every switch. Hosts is then 20 by default, and Outstanding 32.
	Hops int
	// Outstanding packet-ins of each switch wait at any time; default 256. 1 measures round trips.
	Outstanding int
	// Rate, if not 0, is how many packets a second are sent in all, whether answers come or not.
	Rate int
	// Learning, if set, has every packet come from a host that was not there before, to a known
	// one. It is then also answered by the first flow-mod that adds an entry with the new host's
	// address.
	Learning bool
	// Buffered packet-ins have a buffer id; the others are answered by a packet-out with their
	// frame.
	Buffered bool
	// CopyVLAN, if not 0, has packets be copies of such that a switch forwards too, with the tag of
	// this VLAN.
	CopyVLAN uint16
	Seed     uint64
	Warmup   time.Duration // load before the first run that does not count; default 1 s
	// Settle is how long a controller may take until it knows all hosts; default 60 s.
	Settle time.Duration
	// Drain is after how long without any answer those that are missing are given up, after a run;
	// default 2 s.
	Drain time.Duration
	// LateLimit is how late one packet in a hundred may be sent at a set rate; default 1 ms.
	LateLimit time.Duration

	dial func(ctx context.Context, address string) (net.Conn, error) // nil dials TCP
}

// slots is how many packet-ins of a switch may wait.
func (c *Config) slots() int {
	if c.Rate > 0 {
		return window.Max
	}
	return max(c.Outstanding, probes)
}

// probes is how many hosts of a switch are asked for at a time, and half of how many of all
// switches.
const probes = 256

func (c *Config) withDefaults() {
	c.Version = cmp.Or(c.Version, openflow.V13)
	c.Topology = cmp.Or(c.Topology, "single:1")
	if c.Hops > 0 {
		c.Hosts, c.Outstanding = cmp.Or(c.Hosts, 20), cmp.Or(c.Outstanding, 32)
	}
	c.Hosts = cmp.Or(c.Hosts, 1000)
	c.Outstanding = cmp.Or(c.Outstanding, 256)
	c.Warmup = cmp.Or(c.Warmup, time.Second)
	c.Settle = cmp.Or(c.Settle, time.Minute)
	c.Drain = cmp.Or(c.Drain, 2*time.Second)
	c.LateLimit = cmp.Or(c.LateLimit, time.Millisecond)
}

// Check fills in defaults and finds what is wrong, before anything is started.
func (c *Config) Check() error {
	c.withDefaults()
	var err error
	if c.Network, err = loadswitch.ParseTopology(c.Topology, c.Seed); err != nil {
		return err
	}
	switch {
	case c.Hosts < 2:
		return fmt.Errorf("%d hosts a switch given, want 2 or more: packets go from one to another", c.Hosts)
	case c.Outstanding < 1 || c.Outstanding > window.Max:
		return fmt.Errorf("%d outstanding packet-ins given, want 1 to %d", c.Outstanding, window.Max)
	case c.Hops < 0 || c.Hops == 1 || c.Hops > paths.MaxHops:
		return fmt.Errorf("paths of %d switches given, want 2 to %d", c.Hops, paths.MaxHops)
	case c.Learning && (c.Hops > 0 || len(c.Network.Switches) > maxLearning):
		return fmt.Errorf("new hosts at %d switches given, want %d at most, and no paths that are followed",
			len(c.Network.Switches), maxLearning)
	case c.Hops > 0 && c.Rate > 0:
		return errors.New("paths at a set rate are not measured: give a number outstanding")
	case c.Rate < 0:
		return fmt.Errorf("a rate of %d given, want a positive one", c.Rate)
	}
	return paths.CheckHops(c.Network, c.Hops)
}
