package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Instance is an instance, and an emulated network that it controls. The zero value of a field means
// its default.
type Instance struct {
	Topology string         // as loadswitch.ParseTopology reads it; default wan:206
	Network  *topo.Topology // what that is; Check sets it
	Hops     int            // switches of each path; default 6
	Seed     uint64
	// Limit is how long anything may take that is waited for; default 2 min.
	Limit time.Duration
	// Controller is the OpenFlow address of an instance that runs, and API and Token how to ask it;
	// if empty, one is started for each run, with its store on the disk of Dir.
	Controller, API, Token string
	// Dir is where the data of instances is, each in a directory of its own that is removed; empty:
	// the directory of temporary files.
	Dir     string
	Program string // the weir binary; default this one
	// PlainSwitches has switches decode every flow-mod, instead of reading those of paths from
	// their bytes.
	PlainSwitches bool
	Null          bool       // a null instance is started instead
	Test          *InProcess // in tests: who is asked
}

// InProcess is who is asked in a test: how switches and requests get there, and how many directions
// of links it shows.
type InProcess struct {
	OpenFlow, API func(ctx context.Context, address string) (net.Conn, error)
	Links         func() int
}

// Check fills in defaults and finds what is wrong, before anything is started.
func (c *Instance) Check() error {
	c.Topology = cmp.Or(c.Topology, "wan:206")
	c.Hops = cmp.Or(c.Hops, 6)
	c.Limit = cmp.Or(c.Limit, 2*time.Minute)
	switch {
	case c.Limit < 0:
		return fmt.Errorf("a limit of %v given, want a positive one", c.Limit)
	case c.Hops < 2 || c.Hops > paths.MaxHops:
		return fmt.Errorf("paths of %d switches given, want 2 to %d", c.Hops, paths.MaxHops)
	case (c.Controller == "") != (c.API == ""):
		return errors.New("want both the addresses of a controller and of its API, or neither")
	}
	var err error
	if c.Network, err = loadswitch.ParseTopology(c.Topology, c.Seed); err == nil {
		_, err = paths.New(c.newNetwork(), c.Hops, c.Seed)
	}
	return err
}

// newNetwork makes the switches. What waits for the instance may be much: the entries of a whole
// table.
func (c *Instance) newNetwork() *loadswitch.Network {
	cfg := loadswitch.Config{Version: openflow.V13, Plain: c.PlainSwitches, Hosts: paths.EndPorts, HostPorts: paths.EndPorts,
		MaxQueue: 256 << 20}
	if c.Test != nil {
		cfg.Dial = c.Test.OpenFlow
	}
	return loadswitch.New(c.Network, cfg)
}
