package api

import (
	lru "container/list"
	"sync"
	"time"

	"github.com/weirnet/weir/netview"
)

// carriersKept is how many intents' traffic is remembered, those that were asked for last: about half a kilobyte each.
const carriersKept = 16384

// rateAfter is how far apart two readings have to be for a rate.
const rateAfter = 900 * time.Millisecond

// carriers remember what intents that somebody asked for had carried, so that their counts go on where their entries begin anew.
type carriers struct {
	mu    sync.Mutex
	known map[uint32]*lru.Element // of *carrier, by number
	order *lru.List               // the last used first
}

// carrier is what one intent has carried, as far as it was read. Numbers are used again: the id says whose it is.
type carrier struct {
	number uint32
	id     string
	sum    carried
	last   map[entryAt]carried // of the entries as they were read last
	// A rate is of two readings that are far enough apart.
	from   carried // sum at the first of them
	since  time.Time
	steady bool // every entry that was read since went on
	rate   *rated
}

// carried is an amount of traffic.
type carried struct{ packets, bytes uint64 }

// rated is traffic a second.
type rated struct{ packets, bytes float64 }

// entryAt is a place of a flow entry.
type entryAt struct {
	dpid     netview.DPID
	table    uint8
	priority uint16
	match    string
}

// entryCount is an entry that a switch was read to have.
type entryCount struct {
	at      entryAt
	count   carried
	ingress bool // the intent's packets come in by it
}

func newCarriers() *carriers {
	return &carriers{known: make(map[uint32]*lru.Element), order: lru.New()}
}

// add takes what some switches have counted, all entries of theirs, and returns what the intent has carried so far, and how fast if
// that can be told. Missing says that others could not be asked.
func (t *carriers) add(number uint32, id string, asked []netview.DPID, entries []entryCount, missing bool, now time.Time) (carried, *rated) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.known[number]
	if e == nil || e.Value.(*carrier).id != id {
		if e != nil {
			t.order.Remove(e)
		}
		e = t.order.PushFront(&carrier{number: number, id: id, last: make(map[entryAt]carried)})
		t.known[number] = e
		if t.order.Len() > carriersKept {
			oldest := t.order.Back()
			t.order.Remove(oldest)
			delete(t.known, oldest.Value.(*carrier).number)
		}
	}
	t.order.MoveToFront(e)
	y := e.Value.(*carrier)
	y.take(asked, entries, missing)
	y.pace(now)
	return y.sum, y.rate
}

// take adds what entries counted since they were read last. One that counts less than it did began anew.
func (y *carrier) take(asked []netview.DPID, entries []entryCount, missing bool) {
	y.steady = y.steady && !missing
	there := make(map[entryAt]bool, len(entries))
	for i := range entries {
		e := &entries[i]
		there[e.at] = true
		if !e.ingress {
			continue
		}
		was, known := y.last[e.at]
		on := e.count.packets >= was.packets && e.count.bytes >= was.bytes
		if !on {
			was = carried{}
		}
		y.steady = y.steady && known && on
		y.sum.packets += e.count.packets - was.packets
		y.sum.bytes += e.count.bytes - was.bytes
		y.last[e.at] = e.count
	}
	for _, dpid := range asked {
		for at := range y.last {
			if at.dpid == dpid && !there[at] { // if it comes again, it counts from nothing
				delete(y.last, at)
				y.steady = false
			}
		}
	}
}

// pace makes a rate of the readings so far, once they are far enough apart.
func (y *carrier) pace(now time.Time) {
	span := now.Sub(y.since)
	if !y.since.IsZero() && span < rateAfter {
		return
	}
	y.rate = nil
	if y.steady {
		y.rate = &rated{float64(y.sum.packets-y.from.packets) / span.Seconds(), float64(y.sum.bytes-y.from.bytes) / span.Seconds()}
	}
	y.from, y.since, y.steady = y.sum, now, true
}
