package flowsync

import (
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// inbox has what waits for the loop, and the sessions that it may be of. What is of a session that has ended is
// not taken, nor what switches say unasked above their share of the memory. Any goroutine fills it, and
// rings; who has the loop's turn empties it.
type inbox struct {
	bell                    loop.Bell
	unsolicitedMax, listMax int

	mu               sync.Mutex // guards what follows, but listedBytes
	inputs           []Input
	asks             []func(*Core)
	orders, taken    []ruleset.Order // taken: those of this turn
	sessions         map[netview.DPID]connection
	unsolicitedBytes int    // of unsolicited messages that wait
	packedBytes      int    // of packed listings that wait
	readingBytes     int    // of listings being received
	entriesBytes     int    // of listings that wait
	rounds           uint64 // number of turns so far
	overflowed       bool   // some connection has overflowed
	closed           bool

	listedBytes atomic.Int64 // shared.listedBytes
}

type connection struct {
	epoch            uint64
	conn             Conn
	round            uint64 // the round that unsolicitedBytes is of
	unsolicitedBytes int    // part of inbox.unsolicitedBytes
	overflowed       bool   // unsolicited messages were dropped
	removals         *awaitedRemovals
}

func newInbox(bell loop.Bell, config *Config) *inbox {
	return &inbox{bell: bell, unsolicitedMax: config.UnsolicitedMax, listMax: config.ListMax,
		sessions: make(map[netview.DPID]connection)}
}

// up begins a session, unless the switch has the same or a newer one.
func (b *inbox) up(at Address, version openflow.Version, tables uint8, conn Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, ok := b.sessions[at.DPID]; ok && c.epoch >= at.Epoch {
		return
	}
	b.sessions[at.DPID] = connection{epoch: at.Epoch, conn: conn}
	b.postLocked(Up{at, version, tables})
}

// down ends a session.
func (b *inbox) down(in Down) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.current(in.Address); ok {
		delete(b.sessions, in.DPID)
		b.postLocked(in)
	}
}

// current returns the connection of a session; false if it has ended. b.mu is held.
func (b *inbox) current(at Address) (connection, bool) {
	c, ok := b.sessions[at.DPID]
	return c, ok && c.epoch == at.Epoch
}

// connOf returns the connection of a session, nil if it has ended.
func (b *inbox) connOf(a Address) Conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, ok := b.current(a); ok {
		return c.conn
	}
	return nil
}

// postLocked adds an input; b.mu is held.
func (b *inbox) postLocked(in Input) {
	if b.closed {
		return
	}
	b.inputs = append(b.inputs, in)
	b.bell.Ring()
}

// post adds an input.
func (b *inbox) post(in Input) {
	b.mu.Lock()
	b.postLocked(in)
	b.mu.Unlock()
}

// postOf adds an input of a session, unless that has ended.
func (b *inbox) postOf(at Address, in Input) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.current(at); ok {
		b.postLocked(in)
	}
}

// postNotice adds an unsolicited message of a session, unless the session has ended or there is no
// room for size more bytes.
func (b *inbox) postNotice(at Address, size int, notice func() Input) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, ok := b.current(at); ok && b.admit(at.DPID, c, size) {
		b.postLocked(notice())
	}
}

// ask has f called with the core in the next turn; false if the loop has ended.
func (b *inbox) ask(f func(*Core)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.asks = append(b.asks, f)
	b.bell.Ring()
	return true
}

// order adds orders, which it copies, and does not ring. Few is whether nothing else waits, and at most
// promptOrders of them.
func (b *inbox) order(orders []ruleset.Order) (few bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.orders = append(b.orders, orders...)
	}
	return len(b.inputs) == 0 && len(b.orders) <= promptOrders
}

// ordered reports whether orders wait.
func (b *inbox) ordered() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.orders) > 0
}

// take appends to inputs all that waits, orders last, and returns what is asked. The orders are valid until
// the next call.
func (b *inbox) take(inputs []Input) ([]Input, []func(*Core)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	inputs = b.takeOverflows(append(inputs, b.inputs...))
	if orders := b.takeOrders(); len(orders) > 0 {
		inputs = append(inputs, Orders{orders})
	}
	asks := b.asks
	b.inputs, b.asks = nil, nil
	return inputs, asks
}

// takeOrders returns the orders that have come, valid until the next call; b.mu is held.
func (b *inbox) takeOrders() []ruleset.Order {
	taken := b.orders
	clear(b.taken)
	b.orders, b.taken = b.taken[:0], taken
	if cap(b.orders) > ordersKept {
		b.orders = nil
	}
	return taken
}

// ordersKept is the number of orders for which memory is kept.
const ordersKept = 1 << 16

// close takes nothing any more.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed, b.inputs, b.asks, b.orders = true, nil, nil, nil
}

// Overflow reports that unsolicited messages of a switch were dropped: errors, removed and changed
// entries.
type Overflow struct{ Address }

// inputBytes is about the size of an input in the inbox, with its share of the growing inbox.
const inputBytes = 128

// unsolicitedShare: a switch may use this part of the free bytes of the inbox; unsolicitedFloor
// bytes are always allowed.
const (
	unsolicitedShare = 8
	unsolicitedFloor = 2 << 10
)

// deferredMax bounds the bytes of flow monitor reports that are kept during a reading; with more
// the switch is read again.
const deferredMax = 1 << 18

// admit reports whether size more bytes of unsolicited messages may wait in the inbox; if not, they
// are dropped and the switch is read instead. Each switch may use a share of what is free at the
// moment, so that one which floods leaves most of it to others, and many leave something (after
// Choudhury and Hahne, Dynamic queue length thresholds, 1998). b.mu is held.
func (b *inbox) admit(dpid netview.DPID, c connection, size int) bool {
	switch {
	case c.overflowed || b.closed:
		return false
	case c.round != b.rounds:
		c.round, c.unsolicitedBytes = b.rounds, 0
	}
	c.unsolicitedBytes += size
	c.overflowed = c.unsolicitedBytes > max(unsolicitedFloor, (b.unsolicitedMax-b.unsolicitedBytes)/unsolicitedShare)
	if c.overflowed {
		b.overflowed = true
		b.bell.Ring()
	} else {
		b.unsolicitedBytes += size
	}
	b.sessions[dpid] = c
	return !c.overflowed
}

// takeOverflows adds an Overflow for each switch of which messages were dropped, and resets the
// counts of the inbox, which is taken. b.mu is held.
func (b *inbox) takeOverflows(inputs []Input) []Input {
	b.unsolicitedBytes, b.packedBytes, b.entriesBytes = 0, 0, 0
	b.rounds++
	if !b.overflowed {
		return inputs
	}
	b.overflowed = false
	for dpid, c := range b.sessions {
		if c.overflowed {
			c.overflowed = false
			b.sessions[dpid] = c
			inputs = append(inputs, Overflow{Address{dpid, c.epoch}})
		}
	}
	return inputs
}
