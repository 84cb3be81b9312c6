package discovery

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// barriers are the queries to a switch that wait for the reply to a barrier.
type barriers struct {
	lastBarrier     uint64   // number of the last one sent
	awaitingBarrier []*query // without a reply
}

// keepAbandoned is how many abandoned queries a switch may keep besides the open ones.
const keepAbandoned = 64

// barrierAfter schedules a barrier to a query's switch, after the frames of the transaction, and
// returns its number.
func (q *hostQueries) barrierAfter(a *query) uint64 {
	d := q.devices[a.at.DPID]
	if d.lastBarrier != q.barrierNumber {
		d.lastBarrier = q.barrierNumber
		q.barrierDevices = append(q.barrierDevices, d)
	}
	if len(d.awaitingBarrier) > 2*len(q.open)+keepAbandoned { // a switch that answers no barrier keeps no abandoned queries
		d.awaitingBarrier = slices.DeleteFunc(d.awaitingBarrier, func(o *query) bool { return q.open[o.id] != o })
	}
	if !slices.Contains(d.awaitingBarrier, a) {
		d.awaitingBarrier = append(d.awaitingBarrier, a)
	}
	return q.barrierNumber
}

// begin starts the barriers of a transaction.
func (q *hostQueries) begin() {
	q.barrierNumber++
	q.barrierDevices = q.barrierDevices[:0]
}

// passed handles a barrier reply: its switch has processed everything sent before.
func (q *hostQueries) passed(dpid netview.DPID, number uint64) {
	d := q.devices[dpid]
	if d == nil {
		return
	}
	d.awaitingBarrier = slices.DeleteFunc(d.awaitingBarrier, func(a *query) bool {
		if a.barrier <= number && a.barrierAt.IsZero() {
			a.barrierAt = q.now
		}
		return !a.barrierAt.IsZero() || q.open[a.id] != a
	})
}

// Barriers calls ask for each switch that is to be sent a barrier, after the frames of Sends, with
// its number, which BarrierReply expects.
func (c *Core) Barriers(ask func(dpid netview.DPID, number uint64)) {
	for _, d := range c.queries.barrierDevices {
		ask(d.dpid, d.lastBarrier)
	}
}

// BarrierReply handles a barrier reply.
func (c *Core) BarrierReply(dpid netview.DPID, number uint64) { c.queries.passed(dpid, number) }
