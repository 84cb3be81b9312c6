package intents

import (
	lru "container/list"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/netview"
)

// maxTrafficTotals is how many intents' traffic is remembered, those that were asked for last:
// about half a kilobyte each.
const maxTrafficTotals = 16384

// rateAfter is how far apart two readings have to be for a rate.
const rateAfter = 900 * time.Millisecond

// trafficTable remembers what intents that somebody asked for had carried, so that their counts go
// on where their entries begin anew.
type trafficTable struct {
	mu    sync.Mutex
	known map[uint32]*lru.Element  // of *carrier, by number
	order *lru.List                // the last used first
	busy  map[uint32]chan struct{} // of intents that are being read, by number: closed when that has ended
}

// trafficTotals is what one intent has carried, as far as it was read. Numbers are used again: the
// id says whose it is.
type trafficTotals struct {
	number uint32
	id     string
	sum    traffic
	last   map[entryKey]traffic // of the entries as they were read last
	// A rate is of two readings that are far enough apart.
	from   traffic // sum at the first of them
	since  time.Time
	steady bool // every entry that was read since went on
	rate   *trafficRate
}

// traffic is an amount of traffic.
type traffic struct{ packets, bytes uint64 }

// trafficRate is traffic a second.
type trafficRate struct{ packets, bytes float64 }

// entryKey is a place of a flow entry.
type entryKey struct {
	dpid     netview.DPID
	table    uint8
	priority uint16
	match    string
}

// entryCount is an entry that a switch was read to have.
type entryCount struct {
	at      entryKey
	count   traffic
	ingress bool // the intent's packets come in by it
}

func newTrafficTable() *trafficTable {
	return &trafficTable{known: make(map[uint32]*lru.Element), order: lru.New(), busy: make(map[uint32]chan struct{})}
}

// begin waits until nobody else reads what an intent has carried: of two readings at the same time
// the older may be added later, and would look like entries that began anew. end is to be called
// when what was read is added. The error is the context's.
func (t *trafficTable) begin(ctx context.Context, number uint32) (end func(), err error) {
	for {
		t.mu.Lock()
		other := t.busy[number]
		if other == nil {
			mine := make(chan struct{})
			t.busy[number] = mine
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				delete(t.busy, number)
				t.mu.Unlock()
				close(mine)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// add takes what some switches have counted, all entries of theirs, and returns what the intent has
// carried so far, and how fast if that is known. Missing says that others could not be asked.
func (t *trafficTable) add(number uint32, id string, asked []netview.DPID, entries []entryCount, missing bool,
	now time.Time) (traffic, *trafficRate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.known[number]
	if e == nil || e.Value.(*trafficTotals).id != id {
		if e != nil {
			t.order.Remove(e)
		}
		e = t.order.PushFront(&trafficTotals{number: number, id: id, last: make(map[entryKey]traffic)})
		t.known[number] = e
		if t.order.Len() > maxTrafficTotals {
			oldest := t.order.Back()
			t.order.Remove(oldest)
			delete(t.known, oldest.Value.(*trafficTotals).number)
		}
	}
	t.order.MoveToFront(e)
	y := e.Value.(*trafficTotals)
	y.update(asked, entries, missing)
	y.updateRate(now)
	return y.sum, y.rate
}

// update adds what entries counted since they were read last. One that counts less than it did
// began anew.
func (y *trafficTotals) update(asked []netview.DPID, entries []entryCount, missing bool) {
	y.steady = y.steady && !missing
	there := make(map[entryKey]bool, len(entries))
	for i := range entries {
		e := &entries[i]
		there[e.at] = true
		if !e.ingress {
			continue
		}
		was, known := y.last[e.at]
		on := e.count.packets >= was.packets && e.count.bytes >= was.bytes
		if !on {
			was = traffic{}
		}
		y.steady = y.steady && known && on
		y.sum.packets += e.count.packets - was.packets
		y.sum.bytes += e.count.bytes - was.bytes
		y.last[e.at] = e.count
	}
	for at := range y.last {
		// If it comes again, it counts from nothing. Where all were asked, that is so too of one at
		// a switch where no packets come in any more.
		if !there[at] && (!missing || slices.Contains(asked, at.dpid)) {
			delete(y.last, at)
			y.steady = false
		}
	}
}

// updateRate makes a rate of the readings so far, once they are far enough apart.
func (y *trafficTotals) updateRate(now time.Time) {
	span := now.Sub(y.since)
	if !y.since.IsZero() && span < rateAfter {
		return
	}
	y.rate = nil
	if y.steady {
		y.rate = &trafficRate{float64(y.sum.packets-y.from.packets) / span.Seconds(),
			float64(y.sum.bytes-y.from.bytes) / span.Seconds()}
	}
	y.from, y.since, y.steady = y.sum, now, true
}
