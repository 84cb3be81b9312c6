package hosts

import (
	"slices"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// barriers are the queries to switches that wait for the reply to a barrier.
type barriers struct {
	*inventory.Transaction
	open   map[netview.HostID]*query // those of queries
	of     map[netview.DPID]*awaiting
	number uint64         // of the transaction's barriers
	due    []netview.DPID // to be sent one
}

// awaiting are the queries to one switch.
type awaiting struct {
	last    uint64   // number of the last barrier sent
	queries []*query // without a reply
}

// keepAbandoned is how many abandoned queries a switch may keep besides the open ones.
const keepAbandoned = 64

// begin starts the barriers of a transaction.
func (b *barriers) begin() {
	b.number++
	b.due = b.due[:0]
}

// after schedules a barrier to a query's switch, after the frames of the transaction, and returns its
// number.
func (b *barriers) after(a *query) uint64 {
	w := b.of[a.at.DPID]
	if w == nil {
		w = new(awaiting)
		b.of[a.at.DPID] = w
	}
	if w.last != b.number {
		w.last = b.number
		b.due = append(b.due, a.at.DPID)
	}
	if len(w.queries) > 2*len(b.open)+keepAbandoned { // a switch that answers no barrier keeps no abandoned queries
		w.queries = slices.DeleteFunc(w.queries, func(o *query) bool { return b.open[o.id] != o })
	}
	if !slices.Contains(w.queries, a) {
		w.queries = append(w.queries, a)
	}
	return b.number
}

// passed handles a barrier reply: its switch has processed everything sent before.
func (b *barriers) passed(dpid netview.DPID, number uint64) {
	w := b.of[dpid]
	if w == nil {
		return
	}
	w.queries = slices.DeleteFunc(w.queries, func(a *query) bool {
		if a.barrier <= number && a.barrierAt.IsZero() {
			a.barrierAt = b.Now
		}
		return !a.barrierAt.IsZero() || b.open[a.id] != a
	})
}

// sessionLost drops the queries whose barriers nobody will reply to.
func (b *barriers) sessionLost(dpid netview.DPID) {
	if w := b.of[dpid]; w != nil {
		w.queries = nil
	}
}
