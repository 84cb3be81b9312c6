package tenants

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/weirnet/weir/bench/window"
	"github.com/weirnet/weir/openflow"
)

// Config says which messages there are, and how many at a time. The zero value of a field means its default.
type Config struct {
	Version  openflow.Version // that controllers and switches speak; default 1.3
	Kind     Kind             // default PacketIn
	Tenants  int              // default 1
	Switches int              // each shared by all tenants; default 1
	// Rate, if not 0, is how many messages of each tenant are sent a second, whether answers come or not.
	Rate int
	// Outstanding messages of each tenant wait at any time, if there is no Rate; default 256. 1 measures round trips.
	Outstanding int
	// Nagle leaves TCP_NODELAY out, at both ends of every connection that is made or taken here.
	Nagle bool
	// Controllers is the address at which the first tenant's controller listens, with the next port for each other;
	// default any free ports on loopback.
	Controllers string
	Warmup      time.Duration // load before the first run that does not count; default 1 s
	// Settle is how long it may take until messages of all tenants come through; default 60 s.
	Settle time.Duration
	// Drain is after how long without any answer those that are missing are given up, after a run; default 2 s.
	Drain time.Duration
	// LateLimit is how late one message in a hundred may be sent at a set rate; default 1 ms.
	LateLimit time.Duration

	dial   func(ctx context.Context, address string) (net.Conn, error) // nil dials TCP
	listen func(tenant int) (net.Listener, error)                      // nil listens on TCP
}

// Bounds of a Config. A tenant's VLAN is FirstVLAN and its number, from 0.
const (
	MaxTenants  = 200
	MaxSwitches = 100
	FirstVLAN   = 100
)

// Check fills in defaults and finds what is wrong, before anything is started.
func (c *Config) Check() error {
	c.Version = cmp.Or(c.Version, openflow.V13)
	c.Kind = cmp.Or(c.Kind, PacketIn)
	c.Tenants = cmp.Or(c.Tenants, 1)
	c.Switches = cmp.Or(c.Switches, 1)
	if c.Rate == 0 {
		c.Outstanding = cmp.Or(c.Outstanding, 256)
	}
	c.Warmup = cmp.Or(c.Warmup, time.Second)
	c.Settle = cmp.Or(c.Settle, time.Minute)
	c.Drain = cmp.Or(c.Drain, 2*time.Second)
	c.LateLimit = cmp.Or(c.LateLimit, time.Millisecond)
	switch {
	case c.Tenants < 1 || c.Tenants > MaxTenants:
		return fmt.Errorf("%d tenants given, want 1 to %d", c.Tenants, MaxTenants)
	case c.Switches < 1 || c.Switches > MaxSwitches:
		return fmt.Errorf("%d switches given, want 1 to %d", c.Switches, MaxSwitches)
	case c.Rate < 0 || c.Rate > maxRate:
		return fmt.Errorf("a rate of %d given, want 1 to %d", c.Rate, maxRate)
	case c.Rate > 0 && c.Outstanding != 0:
		return fmt.Errorf("both a rate and %d outstanding messages given, want one of them", c.Outstanding)
	case c.Rate == 0 && (c.Outstanding < 1 || c.Outstanding > maxOutstanding):
		return fmt.Errorf("%d outstanding messages given, want 1 to %d", c.Outstanding, maxOutstanding)
	}
	if _, err := c.controllers(); err != nil {
		return err
	}
	return c.Kind.check()
}

// maxRate is the highest rate of a tenant, and maxOutstanding how many of its messages may wait where there is none.
const (
	maxRate        = 10_000_000
	maxOutstanding = 1 << 14
)

// slots is how many messages of a tenant may wait: at a rate those of some seconds.
func (c *Config) slots() int {
	if c.Rate == 0 {
		return c.Outstanding
	}
	return min(max(1<<12, 5*c.Rate), window.Max)
}

// controllers is where tenants' controllers are to listen.
func (c *Config) controllers() (list []string, err error) {
	if c.Controllers == "" {
		for range c.Tenants {
			list = append(list, "127.0.0.1:0")
		}
		return list, nil
	}
	host, text, err := net.SplitHostPort(c.Controllers)
	port := 0
	if err == nil {
		port, err = net.LookupPort("tcp", text)
	}
	if err != nil || port < 1 || port+c.Tenants-1 > 0xffff {
		return nil, fmt.Errorf("controllers at %q given, want HOST:PORT of the first of %d, each at the next port",
			c.Controllers, c.Tenants)
	}
	for i := range c.Tenants {
		list = append(list, net.JoinHostPort(host, fmt.Sprint(port+i)))
	}
	return list, nil
}
