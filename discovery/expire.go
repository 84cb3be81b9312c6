package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

const (
	sweepEvery   = time.Second
	sweepHosts   = 256              // looked at in a sweep
	crowdedHosts = 2048             // looked at in a sweep while a table is crowded
	crowdedAge   = 30 * time.Second // silence after which a host that never answered is asked while its table is crowded
)

// note is what is remembered of a host besides its row.
type note struct {
	asked    time.Time
	answered bool // a question, once: it is not invented
}

func (c *Core) note(id netview.HostID, change func(*note)) {
	n := c.notes[id]
	change(&n)
	c.notes[id] = n
}

// sweep looks at some of the hosts, in turn: those silent for long are asked and go if they do not answer; those whose
// place is not sure are asked once after their switch has come back. While the control network is suspected nobody is.
func (c *Core) sweep() {
	c.agenda.add(appointment{at: c.now.Add(sweepEvery), duty: dutySweep})
	if c.waitNoMore(); c.suspects() {
		return
	}
	crowded := c.hosts > c.cfg.Limits.Hosts/4*3
	limit := sweepHosts
	if crowded || c.crowdedPort {
		limit = crowdedHosts
	}
	c.crowdedPort = false
	c.hostRows = c.hostRows[:0]
	for h := range c.tx.HostsFrom(c.swept) {
		if len(c.hostRows) == limit {
			break
		}
		c.hostRows = append(c.hostRows, h)
	}
	c.swept = netview.HostID{}
	if n := len(c.hostRows); n == limit {
		c.swept = c.hostRows[n-1].HostID
	}
	for _, h := range slices.Clone(c.hostRows) {
		c.lookAt(h, crowded)
	}
	c.lookBack()
}

// lookAt looks at one host.
func (c *Core) lookAt(h *netview.Host, crowded bool) {
	p := c.port(h.At)
	age := c.now.Sub(h.Seen)
	switch {
	case p != nil && !p.device.connected: // it cannot be asked, and nothing says that it went
	case p == nil || !p.up:
		if age >= c.expiry() {
			c.deleteHost(h)
			c.Counts.Expired.Add(1)
		}
	default:
		n := c.notes[h.HostID]
		if p.hosts > c.cfg.Limits.AtPort/4*3 {
			crowded, c.crowdedPort = true, true
		}
		unsure := h.State == netview.HostUnconfirmed && p.role == netview.PortEdge && n.asked.Before(p.device.since)
		old := age >= c.expiry() || crowded && !n.answered && age >= crowdedAge
		if (unsure || old) && (n.asked.IsZero() || c.now.Sub(n.asked) >= crowdedAge) {
			if a := c.startAsk(h); a != nil && a.claim == nil {
				a.purge = a.purge || old
			}
		}
	}
}

func (c *Core) expiry() time.Duration { return or(c.settings.HostExpiry, c.cfg.Expiry) }

// deleteHost deletes a host with all that is remembered of it.
func (c *Core) deleteHost(h *netview.Host) {
	c.endUnasked(h.HostID)
	c.forget(h)
	delete(c.ages, h.HostID)
	delete(c.notes, h.HostID)
	delete(c.asks, h.HostID)
	if p := c.port(h.At); p != nil {
		p.hosts--
	}
	c.tx.DeleteHost(h.HostID)
	c.hosts--
}
