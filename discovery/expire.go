package discovery

import (
	"cmp"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

const (
	sweepEvery        = time.Second
	sweepHosts        = 256              // hosts per sweep
	crowdedSweepHosts = 2048             // hosts per sweep while a table is crowded
	crowdedAge        = 30 * time.Second // silence after which a host that never answered is queried while its table is crowded
)

// hostNote is what is kept of a host besides its row.
type hostNote struct {
	queried  time.Time
	answered bool // it has once answered a query, so it is real
}

func (c *Core) noteHost(id netview.HostID, change func(*hostNote)) {
	n := c.hostNotes[id]
	change(&n)
	c.hostNotes[id] = n
}

// sweep checks some of the hosts, in turn: long silent ones are queried and deleted without an
// answer; unconfirmed ones are queried once after their switch has reconnected. It is suspended
// while the control network is suspected.
func (c *Core) sweep(time.Time) {
	c.sweeps.add(c.now.Add(sweepEvery), c.now)
	if c.control.expire(); c.control.suspected() {
		return
	}
	crowded := c.hostCount > c.limits.Hosts/4*3
	limit := sweepHosts
	if crowded || c.crowdedPort {
		limit = crowdedSweepHosts
	}
	c.crowdedPort = false
	c.hostRows = c.hostRows[:0]
	for h := range c.tx.HostsFrom(c.sweepFrom) {
		if len(c.hostRows) == limit {
			break
		}
		c.hostRows = append(c.hostRows, h)
	}
	c.sweepFrom = netview.HostID{}
	if n := len(c.hostRows); n == limit {
		c.sweepFrom = c.hostRows[n-1].HostID
	}
	for _, h := range slices.Clone(c.hostRows) {
		c.checkHost(h, crowded)
	}
	c.checkUnverified()
}

// checkHost checks one host.
func (c *Core) checkHost(h *netview.Host, crowded bool) {
	p := c.port(h.At)
	age := c.now.Sub(h.Seen)
	switch {
	case p != nil && !p.device.connected: // it cannot be queried, and there is no evidence that it is gone
	case p == nil || !p.up:
		if age >= c.expiry() {
			c.deleteHost(h)
			c.Counts.Expired.Add(1)
		}
	default:
		n := c.hostNotes[h.HostID]
		if p.hosts > c.limits.AtPort/4*3 {
			crowded, c.crowdedPort = true, true
		}
		unsure := h.State == netview.HostUnconfirmed && p.role == netview.PortEdge && n.queried.Before(p.device.connectedAt)
		old := age >= c.expiry() || crowded && !n.answered && age >= crowdedAge
		if (unsure || old) && (n.queried.IsZero() || c.now.Sub(n.queried) >= crowdedAge) {
			if a := c.startQuery(h); a != nil && a.claim == nil {
				a.deleteIfSilent = a.deleteIfSilent || old
			}
		}
	}
}

func (c *Core) expiry() time.Duration { return cmp.Or(c.settings.HostExpiry, c.cfg.Expiry) }

// SilentHosts asks of the hosts that did not answer in the last transaction which are in use: rules
// forward their packets. The next transaction deletes the others, unless they are heard before.
func (c *Core) SilentHosts(inUse func(netview.HostID, netview.Point) bool) {
	for _, h := range c.silent {
		if inUse == nil || !inUse(h.HostID, h.At) {
			c.unused = append(c.unused, h)
		}
	}
	clear(c.silent)
	c.silent = c.silent[:0]
}

// deleteUnused deletes the hosts that neither answered nor are in use. A row that has changed says
// that they were heard.
func (c *Core) deleteUnused() {
	for _, h := range c.unused {
		if row, _ := c.tx.Host(h.HostID); row == h {
			c.deleteHost(h)
			c.Counts.Expired.Add(1)
		}
	}
	clear(c.unused)
	c.unused = c.unused[:0]
}

// deleteHost deletes a host with all its state.
func (c *Core) deleteHost(h *netview.Host) {
	c.endUnverified(h.HostID)
	c.dropSeen(h)
	delete(c.addressAges, h.HostID)
	delete(c.hostNotes, h.HostID)
	delete(c.queries, h.HostID)
	if p := c.port(h.At); p != nil {
		p.hosts--
	}
	c.tx.DeleteHost(h.HostID)
	c.hostCount--
}
