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
func (c *Core) sweep() {
	c.agenda.add(appointment{at: c.now.Add(sweepEvery), duty: dutySweep})
	if c.expireSuspicion(); c.controlSuspected() {
		return
	}
	crowded := c.hostCount > c.cfg.Limits.Hosts/4*3
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
		if p.hosts > c.cfg.Limits.AtPort/4*3 {
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
