package discovery

import (
	"cmp"
	"time"

	"github.com/weirnet/weir/netview"
)

const (
	sweepEvery        = time.Second
	sweepHosts        = 256              // hosts per sweep
	crowdedSweepHosts = 2048             // hosts per sweep while a table is crowded
	crowdedAge        = 30 * time.Second // silence after which a host that never answered is queried while its table is crowded
)

// hostSweeper checks some of the hosts each second, in turn: long silent ones are queried and
// deleted without an answer; unconfirmed ones are queried once after their switch has reconnected.
type hostSweeper struct {
	*hostTable
	expiry  time.Duration // Config.Expiry
	at      deadlines[time.Time]
	from    netview.HostID  // start of the next sweep
	batch   []*netview.Host // scratch of next
	crowded bool            // the last sweep found a port near Limits.AtPort
	// Hosts that did not answer in this transaction, and those of the last one that are not in use.
	silent, unused []*netview.Host
}

// next returns the hosts of the next sweep, and whether the table is crowded.
func (w *hostSweeper) next() (hosts []*netview.Host, crowded bool) {
	hosts = w.batch[:0]
	crowded = w.count > w.limits.Hosts/4*3
	limit := sweepHosts
	if crowded || w.crowded {
		limit = crowdedSweepHosts
	}
	w.crowded = false
	for h := range w.tx.HostsFrom(w.from) {
		if len(hosts) == limit {
			break
		}
		hosts = append(hosts, h)
	}
	w.from = netview.HostID{}
	if n := len(hosts); n == limit {
		w.from = hosts[n-1].HostID
	}
	w.batch = hosts
	return hosts, crowded
}

// sweepAction is what a sweep does with a host.
type sweepAction uint8

const (
	keepHost     sweepAction = iota
	queryHost                // its switch has reconnected
	queryOldHost             // it is deleted without an answer
	expireHost               // it is at a port that is down or gone
)

func (w *hostSweeper) check(h *netview.Host, crowded bool) sweepAction {
	p, age := w.port(h.At), w.now.Sub(h.Seen)
	expired := age >= cmp.Or(w.settings.HostExpiry, w.expiry)
	switch {
	case p != nil && !p.device.connected: // it cannot be queried, and there is no evidence that it is gone
		return keepHost
	case (p == nil || !p.up) && expired:
		return expireHost
	case p == nil || !p.up:
		return keepHost
	}
	n := w.notes[h.HostID]
	if p.hosts > w.limits.AtPort/4*3 {
		crowded, w.crowded = true, true
	}
	unsure := h.State == netview.HostUnconfirmed && p.role == netview.PortEdge && n.queried.Before(p.device.connectedAt)
	old := expired || crowded && !n.answered && age >= crowdedAge
	switch {
	case !n.queried.IsZero() && w.now.Sub(n.queried) < crowdedAge:
		return keepHost
	case old:
		return queryOldHost
	case unsure:
		return queryHost
	}
	return keepHost
}

// keepUsed asks of the silent hosts which are in use; the others are to be deleted.
func (w *hostSweeper) keepUsed(inUse func(netview.HostID, netview.Point) bool) {
	for _, h := range w.silent {
		if inUse == nil || !inUse(h.HostID, h.At) {
			w.unused = append(w.unused, h)
		}
	}
	clear(w.silent)
	w.silent = w.silent[:0]
}

// takeUnused returns the hosts to delete. A row that has changed says that its host was heard.
func (w *hostSweeper) takeUnused() (hosts []*netview.Host) {
	for _, h := range w.unused {
		if row, _ := w.tx.Host(h.HostID); row == h {
			hosts = append(hosts, h)
		}
	}
	clear(w.unused)
	w.unused = w.unused[:0]
	return hosts
}

// sweep checks the next hosts. It is suspended while the control network is suspected.
func (c *Core) sweep(time.Time) {
	c.sweeper.at.add(c.now.Add(sweepEvery), c.now)
	if c.control.expire(); c.control.suspected() {
		return
	}
	hosts, crowded := c.sweeper.next()
	for _, h := range hosts {
		switch action := c.sweeper.check(h, crowded); action {
		case queryHost, queryOldHost:
			if a := c.queries.start(h, h.At); a != nil && a.claim == nil && action == queryOldHost {
				a.deleteIfSilent = true
			}
		case expireHost:
			c.expireHost(h)
		}
	}
	c.checkUnverified()
}

func (c *Core) expireHost(h *netview.Host) {
	c.deleteHost(h)
	c.Counts.Expired.Add(1)
}

// SilentHosts asks of the hosts that did not answer in the last transaction which are in use: rules
// forward their packets. The next transaction deletes the others, unless they are heard before.
func (c *Core) SilentHosts(inUse func(netview.HostID, netview.Point) bool) { c.sweeper.keepUsed(inUse) }
