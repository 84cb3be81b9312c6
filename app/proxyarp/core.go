package proxyarp

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// Core decides which host has which address, and answers by it. Learn, Tick and Lease are called by
// the owner; Answer and NewClaim on any goroutine.
type Core struct {
	cfg    Config
	Counts Counts

	now   atomic.Int64 // ns since the core was made, good to a tick
	start time.Time

	mu          sync.RWMutex // guards bindings, told
	bindings    map[address]*binding
	answersSent map[netview.Point]int // answers in this second

	// Of the owner.
	atPort  map[netview.Point]int // bindings of hosts that are there
	clashes map[address]bool      // alarmed
	waiting []waiting
	leases  leases
	second  time.Duration // when told was cleared
}

// binding is the host that an address belongs to: the newest claimant, and the last other one.
type binding struct {
	mac   packet.MAC
	at    netview.Point
	heard time.Duration // since the core was made; of the last claim
	rival packet.MAC    // zero: none
	since time.Duration // of the rival's last claim
}

// clash reports whether two hosts have claimed the address within the time of a conflict.
func (b *binding) clash(now, window time.Duration) bool {
	return !b.rival.IsZero() && now-b.since < window
}

// waiting is a claim whose host is not in the view yet.
type waiting struct {
	claim
	until time.Duration
}

// NewCore returns a core that knows no address.
func NewCore(cfg Config, now time.Time) *Core {
	return &Core{
		cfg: cfg.withDefaults(), start: now, bindings: make(map[address]*binding), answersSent: make(map[netview.Point]int),
		atPort: make(map[netview.Point]int), clashes: make(map[address]bool), leases: newLeases(),
	}
}

// age is how old the core is.
func (c *Core) age() time.Duration { return time.Duration(c.now.Load()) }

// Answer appends the answer to a packet that came in at a port, if it is a question that may be
// answered; ok reports whether.
func (c *Core) Answer(b []byte, k *packet.Key, at netview.Point, snap *netview.Snapshot) (frame []byte, ok bool) {
	q, ok := ask(k)
	if !ok {
		return b, false
	}
	mac, ok := c.holder(address{q.target, q.vlan & packet.VLANMask}, snap)
	if !ok || mac == q.asker || !mayAsk(&q, at, snap) {
		return b, false
	}
	if h, _ := snap.Host(netview.HostID{MAC: mac, VLAN: q.vlan & packet.VLANMask}); h == nil || h.At == at {
		return b, false // it hears the question itself
	}
	c.mu.Lock()
	n := c.answersSent[at] + 1
	if n <= c.cfg.Limits.Answers {
		c.answersSent[at] = n
	}
	c.mu.Unlock()
	if n > c.cfg.Limits.Answers {
		c.Counts.Limited.Add(1)
		return b, false
	}
	c.Counts.Answered.Add(1)
	return q.appendAnswer(b, mac), true
}

// mayAsk reports whether the asker is at an edge port, and not known at another place.
func mayAsk(q *question, at netview.Point, snap *netview.Snapshot) bool {
	sw, ok := snap.Switch(at.DPID)
	if !ok {
		return false
	}
	if p, ok := sw.Port(at.Port); !ok || !p.Up || p.Role != netview.PortEdge {
		return false
	}
	h, known := snap.Host(netview.HostID{MAC: q.asker, VLAN: q.vlan & packet.VLANMask})
	return !known || h.At == at
}

// holder returns the host that has an address, if others may be told.
func (c *Core) holder(n address, snap *netview.Snapshot) (packet.MAC, bool) {
	c.mu.RLock()
	b := c.bindings[n]
	var mac packet.MAC
	var at netview.Point
	good := false
	if b != nil {
		now := c.age()
		mac, at, good = b.mac, b.at, now-b.heard < c.cfg.Fresh && !b.clash(now, c.cfg.Conflict)
	}
	c.mu.RUnlock()
	if !good {
		return mac, false
	}
	return mac, isAt(snap, netview.HostID{MAC: mac, VLAN: n.vlan}, at)
}

// isAt reports whether the view has a host, confirmed, at a place.
func isAt(snap *netview.Snapshot, id netview.HostID, at netview.Point) bool {
	h, ok := snap.Host(id)
	return ok && h.At == at && h.State == netview.HostConfirmed
}

// claimRefresh is how old a claim must be for the same one to be news.
const claimRefresh = 15 * time.Second

// NewClaim reads what a packet claims; ok is false if it claims nothing new.
func (c *Core) NewClaim(k *packet.Key, at netview.Point) (cl claim, ok bool) {
	if cl, ok = claimOf(k, at); !ok {
		return cl, false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	b := c.bindings[cl.name]
	return cl, b == nil || b.mac != cl.mac || b.at != at || c.age()-b.heard > claimRefresh || !b.rival.IsZero()
}

// Learn takes a claim. One whose host the view does not have there yet waits for it.
func (c *Core) Learn(cl claim, snap *netview.Snapshot) {
	h, ok := snap.Host(cl.host())
	switch {
	case !ok && len(c.waiting) < c.cfg.Limits.Waiting:
		c.waiting = append(c.waiting, waiting{cl, c.age() + claimTimeout})
	case !ok:
		c.Counts.Refused.Add(1)
	case cl.at != (netview.Point{}) && h.At != cl.at || h.State != netview.HostConfirmed:
		c.Counts.Misplaced.Add(1)
	default:
		cl.at = h.At
		c.bind(&cl, snap)
	}
}

// bind records a valid claim.
func (c *Core) bind(cl *claim, snap *netview.Snapshot) {
	now := c.age()
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.bindings[cl.name]
	switch {
	case b == nil && (len(c.bindings) >= c.cfg.Limits.Bindings || c.atPort[cl.at] >= c.cfg.Limits.AtPort):
		c.Counts.Refused.Add(1)
		return
	case b == nil:
		b = &binding{}
		c.bindings[cl.name] = b
		c.Counts.Learned.Add(1)
	case b.mac != cl.mac:
		if now-b.heard < c.cfg.Conflict && isAt(snap, netview.HostID{MAC: b.mac, VLAN: cl.name.vlan}, b.at) {
			b.rival, b.since = b.mac, b.heard
		}
		c.uncountPort(b.at)
	default:
		c.uncountPort(b.at)
	}
	b.mac, b.at, b.heard = cl.mac, cl.at, now
	c.atPort[b.at]++
	if b.clash(now, c.cfg.Conflict) && !c.clashes[cl.name] {
		c.clashes[cl.name] = true
		c.Counts.Clashes.Add(1)
		if c.cfg.Alarms != nil {
			c.cfg.Alarms.Raise(netview.AlarmAddressClash, cl.name.String(),
				fmt.Sprintf("%s and %s both claim %s: nobody is told who has it", b.rival, b.mac, cl.name))
		}
	}
}

// uncountPort removes a binding from the count of its port.
func (c *Core) uncountPort(at netview.Point) {
	if c.atPort[at]--; c.atPort[at] <= 0 {
		delete(c.atPort, at)
	}
}

// Tick advances time: waiting claims are checked again, and once a second expired ones are removed.
func (c *Core) Tick(snap *netview.Snapshot, now time.Time) {
	age := now.Sub(c.start)
	c.now.Store(int64(age))
	again := c.waiting
	c.waiting = nil
	for _, w := range again {
		switch _, ok := snap.Host(w.host()); {
		case ok:
			c.Learn(w.claim, snap)
		case age < w.until:
			c.waiting = append(c.waiting, w)
		default:
			c.Counts.Misplaced.Add(1)
		}
	}
	if age-c.second < time.Second {
		return
	}
	c.second = age
	c.leases.expire(age)
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.answersSent)
	for n, b := range c.bindings {
		if age-b.heard >= c.cfg.Fresh {
			c.uncountPort(b.at)
			delete(c.bindings, n)
		}
	}
	var over []address
	for n := range c.clashes {
		if b := c.bindings[n]; b == nil || !b.clash(age, c.cfg.Conflict) {
			over = append(over, n)
		}
	}
	slices.SortFunc(over, func(a, b address) int { return slices.Compare(a.ip[:], b.ip[:]) })
	for _, n := range over {
		delete(c.clashes, n)
		if b := c.bindings[n]; b != nil {
			b.rival = packet.MAC{}
		}
		if c.cfg.Alarms != nil {
			c.cfg.Alarms.Clear(netview.AlarmAddressClash, n.String())
		}
	}
}
