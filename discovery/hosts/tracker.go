package hosts

import (
	"slices"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
)

// Tracker keeps where hosts are. In: sightings, what ports become, time. Out: rows of hosts, queries to
// hosts with the barriers after them, alarms. It changes no role and no link.
type Tracker struct {
	*inventory.Table
	control   *inventory.ControlNetwork
	prober    *probes.Prober
	Seen      *SeenCache
	Rows      *Rows
	Deferred  *Deferred
	queries   *queries
	Occupancy occupancy
	moves     moves
	sweeper   hostSweeper
}

// New returns a tracker, and adds what it does at some time to a schedule. expiry is how long silent hosts are
// kept, unless the settings say otherwise.
func New(
	t *inventory.Table, n *inventory.ControlNetwork, b *probes.Prober, s *inventory.Schedule, expiry time.Duration,
) *Tracker {
	seen := newSeenCache(t.Limits.Known)
	table := newRows(t, seen)
	open := make(map[netview.HostID]*query)
	queries := &queries{
		Rows: table, out: b.Out, open: open,
		barriers: barriers{Transaction: t.Transaction, open: open, of: make(map[netview.DPID]*awaiting)},
	}
	h := &Tracker{
		Table: t, control: n, prober: b, Seen: seen, Rows: table,
		Deferred:  &Deferred{Transaction: t.Transaction, seen: seen, at: make(map[netview.Point][]Sighting)},
		queries:   queries,
		Occupancy: occupancy{Rows: table, pace: b.Pace, prober: b, queries: queries},
		moves: moves{
			Table: t, control: n, prober: b, pace: b.Pace, table: table, queries: queries,
			claims:     heldClaims{Transaction: t.Transaction, seen: seen},
			unverified: unverifiedMoves{Transaction: t.Transaction, from: make(map[netview.HostID]netview.Point)},
		},
		sweeper: hostSweeper{Rows: table, expiry: expiry},
	}
	s.Add(h.tasks()...)
	h.sweeper.at.Add(t.Now.Add(sweepEvery), t.Now)
	return h
}

// tasks returns what is done at some time.
func (t *Tracker) tasks() []inventory.Task {
	tr := t.Transaction
	return []inventory.Task{
		t.queries.tries.On(tr, t.dueQuery),
		t.Occupancy.ends.On(tr, t.Occupancy.due),
		t.moves.claims.ends.On(tr, t.moves.claims.release),
		t.moves.hijacks.On(tr, t.moves.dueHijack),
		t.sweeper.at.On(tr, t.sweep),
	}
}

// RoleChanged handles a port that had another role: no hosts at a link; deferred sightings are admitted at
// an edge.
func (t *Tracker) RoleChanged(p *inventory.Port, was netview.PortRole) {
	if was == netview.PortLink {
		t.Seen.remove(t.Seen.hashPort(p.At))
	}
	switch p.Role {
	case netview.PortLink:
		t.Seen.add(t.Seen.hashPort(p.At))
		t.Deferred.Take(p.At)
		t.Expel(p)
	case netview.PortEdge:
		for _, s := range t.Deferred.Take(p.At) {
			t.admitHost(p, &s)
		}
		t.QuerySuccessor(p)
	}
}

// Removed handles a switch that is deleted, after its links: its hosts are too.
func (t *Tracker) Removed(d *inventory.Device) {
	for _, p := range d.Ports {
		t.Deferred.Take(p.At)
		t.Seen.remove(t.Seen.hashPort(p.At))
	}
	for _, h := range slices.Collect(t.Tx.HostsOf(d.DPID)) {
		t.Delete(h)
	}
	delete(t.queries.barriers.of, d.DPID)
}

// Begin starts a transaction.
func (t *Tracker) Begin() {
	t.queries.barriers.begin()
	t.Seen.setClock(t.SinceStart())
}

// HasUnused reports whether hosts are to be deleted by DeleteUnused, which the next transaction calls.
func (t *Tracker) HasUnused() bool { return len(t.sweeper.unused) > 0 }

// DeleteUnused deletes the silent hosts that are not in use.
func (t *Tracker) DeleteUnused() {
	for _, h := range t.sweeper.takeUnused() {
		t.expireHost(h)
	}
}

// Silent notes a host that did not answer: it is deleted unless it is in use, or heard.
func (t *Tracker) Silent(h *netview.Host) { t.sweeper.silent = append(t.sweeper.silent, h) }

// KeepUsed asks of the silent hosts which are in use; DeleteUnused deletes the others.
func (t *Tracker) KeepUsed(inUse func(netview.HostID, netview.Point) bool) {
	t.sweeper.keepUsed(inUse)
}

// SessionLost handles the loss of a switch's session: it replies to no barrier any more.
func (t *Tracker) SessionLost(dpid netview.DPID) { t.queries.barriers.sessionLost(dpid) }

// BarrierPassed handles a barrier reply.
func (t *Tracker) BarrierPassed(dpid netview.DPID, number uint64) {
	t.queries.barriers.passed(dpid, number)
}

// Forgotten handles a switch that is gone for good: no host is looked for there.
func (t *Tracker) Forgotten(dpid netview.DPID) { t.moves.endUnverifiedFrom(dpid) }

// BarriersDue calls ask for each switch that is to be sent a barrier, with its number.
func (t *Tracker) BarriersDue(ask func(dpid netview.DPID, number uint64)) {
	for _, dpid := range t.queries.barriers.due {
		ask(dpid, t.queries.barriers.number)
	}
}

// dueQuery acts on the result of a query.
func (t *Tracker) dueQuery(a *query) {
	if h := t.moves.dueQuery(a); h != nil {
		t.Silent(h)
	}
}
