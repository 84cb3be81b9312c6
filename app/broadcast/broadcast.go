package broadcast

import (
	"sync/atomic"

	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// Owner is the name of the application.
const Owner = "broadcast"

// RowOwner is the owner of the tree's rows in the view. It is not the application's name: the tree was a
// part of app/forward.
const RowOwner = "forward"

// Config is the configuration of the application.
type Config struct {
	Domain uint16 // of the cookies; see package plan
	// Unknown has unicast packets that no other rule matches follow the tree too.
	Unknown bool
}

// Counts are what happened since the start. They may be read at any time.
type Counts struct {
	Flooded atomic.Uint64 // packets sent out of every edge port
	Dropped atomic.Uint64 // packets not flooded: there were too many
	Unsent  atomic.Uint64 // messages dropped: the switch's queue was full, or its connection gone
}

// ByKind are the counters by their names in metrics.
func (c *Counts) ByKind() map[string]uint64 {
	return map[string]uint64{"flooded": c.Flooded.Load(), "dropped": c.Dropped.Load(), "unsent": c.Unsent.Load()}
}

// Broadcast is the application. The package comment lists which method is called from where.
type Broadcast struct {
	loop.Part

	cfg     Config
	desired *netview.Desired
	follow  follow
	applied atomic.Uint64 // revision of the view that pairs have applied

	core  *core // of the part's goroutine
	use   *use  // what the core says of it to others
	found foundTrees

	sessions   sessions
	edges      edges
	floodsLeft atomic.Int64  // in this second
	seconds    atomic.Uint32 // that have begun
	revision   atomic.Uint64 // of the view that the core has applied
	count      Counts
}

// New returns an application that publishes its rows through a writer of the view, that of RowOwner.
func New(cfg Config, desired *netview.Desired) *Broadcast {
	use := newUse()
	b := &Broadcast{cfg: cfg, desired: desired, core: newCore(cfg, use), use: use}
	b.sessions.of = make(map[netview.DPID]*Session)
	b.makePart()
	b.second()
	return b
}

// Counts are what happened since the start.
func (b *Broadcast) Counts() *Counts { return &b.count }

// Inherit takes a switch's part of an earlier tree, when it was read: the inter-switch ports that its rules
// name, and those of them that are left out. Until a tree is published, the new one is built like the old.
func (b *Broadcast) Inherit(dpid netview.DPID, ports TreePorts) { b.found.add(dpid, ports) }

// Apply applies an update of the view. The part does; others that drive the application themselves may, in
// place of it, in the order of the updates.
func (b *Broadcast) Apply(u topology.Update) {
	b.edges.update(u.Changes, u.Snap, u.Whole())
	r := b.core.step(input{snap: u.Snap, changes: u.Changes, whole: u.Whole(), found: b.found.take()})
	if len(r.rows) > 0 {
		rev := b.desired.Update(func(tx *netview.DesiredTx) {
			for i := range r.rows {
				r.rows[i].write(tx)
			}
		})
		b.core.published(u.Snap, rev)
	}
	for _, dpid := range r.deleted {
		if b.sessions.get(dpid) == nil {
			b.core.forgetFound(dpid)
		}
	}
	b.revision.Store(uint64(u.Snap.Revision()))
}

// Applied is told that the rules of pairs that send to ports which were gone at a revision are deleted, and
// no more are written. It may be called from any goroutine.
func (b *Broadcast) Applied(rev netview.Revision) {
	b.applied.Store(uint64(rev))
	b.Bell.Ring()
}

// Crossing is what of the tree crosses a switch or port.
type Crossing struct {
	// Revision is that of the view which the application has taken in: a drain of a later one is not in
	// the numbers.
	Revision netview.Revision
	Leaving  int // links that are to leave the tree, or may not have left
}

// Crossing counts what crosses a port, or, with port 0, a switch. It may be called from any goroutine.
func (b *Broadcast) Crossing(at netview.Point) Crossing {
	rev := netview.Revision(b.revision.Load()) // first, so that the number is not older
	return Crossing{Revision: rev, Leaving: b.use.leavingAt(at)}
}

// Unconfirmed returns the inter-switch ports that a switch may have in the tree, until it confirms what was
// published: including those of before. The caller must not change them. It may be called from any
// goroutine.
func (b *Broadcast) Unconfirmed(dpid netview.DPID) []uint32 { return b.use.possibleAt(dpid) }

// Switch is the ordered output to one switch. Its methods append to a queue and never block; an error means
// that the queue is full or the connection gone. Arguments are encoded before they return.
type Switch interface {
	PacketOut(*openflow.PacketOut) error
	// Flush has what was appended sent. The switch whose input is being handled is flushed by itself when
	// all of it is.
	Flush()
}
