package proxyarp

import (
	"cmp"
	"net/netip"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/netview"
)

// Owner is the application's name.
const Owner = "proxyarp"

// Config is the configuration of the application. Zero fields mean their defaults.
type Config struct {
	Fresh    time.Duration // how long a claim holds without being heard again. Default 10 min
	Conflict time.Duration // how long after a claim another host's makes a conflict, if the first is still there. Default 10 min
	Limits   Limits

	// Now is the clock. Default: the system's.
	Now func() time.Time
	// Learned is told of an address that a DHCP server has given to a host whose place is known.
	// Default: nobody is.
	Learned func(host netview.HostID, ip netip.Addr)
	// Alarms is told of addresses that two hosts claim; nil: nobody is.
	Alarms alarm.Sink
}

// Limits bound the memory that others can make grow. Zero fields mean their defaults.
type Limits struct {
	Bindings int // addresses known in all. Default 65536
	AtPort   int // addresses of hosts at one port. Default 1024
	Queue    int // claims that wait for the loop. Default 4096
	Waiting  int // claims of hosts that the view does not have yet. Default 1024
	Leases   int // requests to DHCP servers that wait for their answer. Default 4096
	Answers  int // at one port in a second. Default 50
}

// claimTimeout is how long a claim waits for its host to be in the view.
const claimTimeout = 2 * time.Second

// leaseWait is how long a request to a DHCP server waits for its answer.
const leaseWait = time.Minute

func (c Config) withDefaults() Config {
	c.Fresh = cmp.Or(c.Fresh, 10*time.Minute)
	c.Conflict = cmp.Or(c.Conflict, 10*time.Minute)
	l := &c.Limits
	l.Bindings = cmp.Or(l.Bindings, 65536)
	l.AtPort = cmp.Or(l.AtPort, 1024)
	l.Queue = cmp.Or(l.Queue, 4096)
	l.Waiting = cmp.Or(l.Waiting, 1024)
	l.Leases = cmp.Or(l.Leases, 4096)
	l.Answers = cmp.Or(l.Answers, 50)
	return c
}
