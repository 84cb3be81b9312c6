package guard

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Gate counts the packet-ins of one session, by port, and sheds those of ports that flood. Admit
// belongs to the session's reader; the loop takes the counts and sets the limits.
type Gate struct {
	dpid  netview.DPID
	epoch uint64
	out   Output
	max   int

	// Of the reader.
	low  []*tally          // by port number, up to lowPorts
	high map[uint32]*tally // the others

	busy atomic.Bool // something was counted since the loop looked
	mu   sync.Mutex  // guards all
	all  []*tally    // in the order of their first packet

	limited bool // of the loop: some tallies may have a limit
}

// lowPorts is how many port numbers have a place of their own in Gate.low.
const lowPorts = 4096

// tally are the counts of one port. The sum over both classes is what the port has sent.
type tally struct {
	port         uint32
	data, probes count
}

// count is one class of packet-ins: how many came, how many are let through in all, and how many
// had come when the loop looked last.
type count struct {
	seen, limit atomic.Uint64
	last        uint64 // of the loop
}

// open is the limit of a count that has none.
const open = math.MaxUint64

func newGate(dpid netview.DPID, epoch uint64, out Output, limits Limits) *Gate {
	return &Gate{dpid: dpid, epoch: epoch, out: out, max: limits.Counted}
}

// Admit counts a packet-in of a port, a discovery frame or anything else, and reports whether it is
// to be handled. It is called on the session's reader.
func (g *Gate) Admit(port uint32, probe bool) bool {
	var t *tally
	if port < uint32(len(g.low)) {
		t = g.low[port]
	}
	if t == nil {
		t = g.tally(port)
	}
	if !g.busy.Load() {
		g.busy.Store(true)
	}
	c := &t.data
	if probe {
		c = &t.probes
	}
	return c.seen.Add(1) <= c.limit.Load()
}

// tally returns the counts of a port with a high number, or a new one.
func (g *Gate) tally(port uint32) *tally {
	if t := g.high[port]; t != nil {
		return t
	}
	if len(g.all) >= g.max && port != openflow.PortAny { // only the reader changes g.all
		return g.tally(openflow.PortAny)
	}
	t := &tally{port: port}
	t.data.limit.Store(open)
	t.probes.limit.Store(open)
	switch {
	case port >= lowPorts:
		if g.high == nil {
			g.high = make(map[uint32]*tally)
		}
		g.high[port] = t
	default:
		if n := int(port) + 1; n > len(g.low) {
			g.low = append(g.low, make([]*tally, n-len(g.low))...)
		}
		g.low[port] = t
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all = append(g.all, t)
	return t
}

// Sample is what a port has sent since the last sample.
type Sample struct {
	At           netview.Point
	Data, Probes uint64 // packet-ins, shed ones included
	Shed         uint64 // of them, those that were not handled
}

// sample appends the samples of the ports that sent something.
func (g *Gate) sample(samples []Sample) []Sample {
	if !g.busy.Swap(false) {
		return samples
	}
	g.mu.Lock()
	all := g.all
	g.mu.Unlock()
	for _, t := range all {
		s := Sample{At: netview.Point{DPID: g.dpid, Port: t.port}}
		var shed uint64
		s.Data, shed = t.data.sample()
		s.Shed = shed
		s.Probes, shed = t.probes.sample()
		s.Shed += shed
		if s.Data+s.Probes > 0 {
			samples = append(samples, s)
		}
	}
	return samples
}

func (c *count) sample() (came, shed uint64) {
	seen, limit := c.seen.Load(), c.limit.Load()
	came = seen - c.last
	if seen > limit {
		shed = seen - max(limit, c.last)
	}
	c.last = seen
	return came, shed
}

// setLimits grants each held port its quota for the elapsed time and removes the limit from the
// rest.
func (g *Gate) setLimits(held func(netview.Point) (Class, uint32), elapsed time.Duration) {
	g.mu.Lock()
	all := g.all
	g.mu.Unlock()
	g.limited = false
	for _, t := range all {
		class, allowed := held(netview.Point{DPID: g.dpid, Port: t.port})
		more := max(1, uint64(float64(allowed)*elapsed.Seconds()))
		t.data.setLimit(class&ClassData != 0, more, uint64(allowed))
		t.probes.setLimit(class&ClassProbes != 0, more, uint64(allowed))
		g.limited = g.limited || class != 0
	}
}

func (c *count) setLimit(held bool, more, most uint64) {
	if !held {
		c.limit.Store(open)
		return
	}
	seen, limit := c.seen.Load(), c.limit.Load()
	if limit == open {
		limit = seen
	}
	c.limit.Store(min(max(limit, seen)+more, seen+most))
}
