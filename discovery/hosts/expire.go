package hosts

import (
	"cmp"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
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
	*Rows
	expiry  time.Duration // Config.Expiry
	at      inventory.Deadlines[time.Time]
	from    netview.HostID  // start of the next sweep
	batch   []*netview.Host // scratch of next
	crowded bool            // the last sweep found a port near Limits.AtPort
	// Hosts that did not answer in this transaction, and those of the last one that are not in use.
	silent, unused []*netview.Host
}

// next returns the hosts of the next sweep, and whether the table is crowded.
func (w *hostSweeper) next() (hosts []*netview.Host, crowded bool) {
	hosts = w.batch[:0]
	crowded = w.Count > w.Limits.Hosts/4*3
	limit := sweepHosts
	if crowded || w.crowded {
		limit = crowdedSweepHosts
	}
	w.crowded = false
	for h := range w.Tx.HostsFrom(w.from) {
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
	p, age := w.Port(h.At), w.Now.Sub(h.Seen)
	expired := age >= cmp.Or(w.Settings.HostExpiry, w.expiry)
	switch {
	case p != nil && !p.Device.Connected: // it cannot be queried, and there is no evidence that it is gone
		return keepHost
	case (p == nil || !p.Up) && expired:
		return expireHost
	case p == nil || !p.Up:
		return keepHost
	}
	n := w.notes[h.HostID]
	if p.Hosts > w.Limits.AtPort/4*3 {
		crowded, w.crowded = true, true
	}
	unsure := h.State == netview.HostUnconfirmed && p.Role == netview.PortEdge && n.queried.Before(p.Device.ConnectedAt)
	old := expired || crowded && !n.answered && age >= crowdedAge
	switch {
	case !n.queried.IsZero() && w.Now.Sub(n.queried) < crowdedAge:
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
		if row, _ := w.Tx.Host(h.HostID); row == h {
			hosts = append(hosts, h)
		}
	}
	clear(w.unused)
	w.unused = w.unused[:0]
	return hosts
}

// sweep checks the next hosts. It is suspended while the control network is suspected.
func (t *Tracker) sweep(time.Time) {
	t.sweeper.at.Add(t.Now.Add(sweepEvery), t.Now)
	if t.control.Expire(); t.control.Suspected() {
		return
	}
	hosts, crowded := t.sweeper.next()
	for _, h := range hosts {
		switch action := t.sweeper.check(h, crowded); action {
		case queryHost, queryOldHost:
			if a := t.queries.start(h, h.At); a != nil && a.claim == nil && action == queryOldHost {
				a.deleteIfSilent = true
			}
		case expireHost:
			t.expireHost(h)
		}
	}
	t.moves.checkUnverified()
}

func (t *Tracker) expireHost(h *netview.Host) {
	t.Delete(h)
	t.Counts.Expired.Add(1)
}
