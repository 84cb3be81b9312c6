package emu

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/emu/random"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/packet"
)

// Limits of frames in flight: what is above them is lost by overload. They bound the memory of a
// storm.
const (
	// MaxOnLink is how many frames one direction of a link holds, besides those that its queue has
	// room for.
	MaxOnLink = 4096
	// MaxFrames is how many frames a whole network holds, shared by its engines: each holds as many
	// as one full link at least.
	MaxFrames = 1 << 18
)

// transit is a frame in flight.
type transit struct {
	dir    *simplex
	frame  []byte
	at     time.Duration // of its arrival
	leaves time.Duration // when its last bit leaves the sender, where the link has a rate
	cut    uint32        // of the direction when it was sent
	number uint32        // among the direction's frames, from 1
}

// receiver is what a direction ends at: a port of a switch, or a host. It is called by its engine.
type receiver interface {
	receive(e *engine, frame []byte)
}

// simplex is one direction of a link. The fields above the line belong to its sender, under the
// sender's lock; those below to the engine of its receiver.
type simplex struct {
	sender sync.Locker
	spec   topo.LinkSpec
	random random.Source
	up     bool
	free   time.Duration       // when the last frame given to it will have left
	part   float64             // of a nanosecond, after free: a short frame takes 5.12 ns at 100 Gbit/s
	last   time.Duration       // when the last one will arrive: a wire does not change the order
	queue  ring[time.Duration] // when those that wait for the rate begin to leave
	number uint32              // of the last frame that was sent
	first  time.Duration       // what last is before the first frame; not 0: each frame has a time, be it that it was sent at
	// absorbs: the receiver counts from when a frame was to come: what is late here is in
	// time behind it.
	absorbs bool

	retimed atomic.Pointer[retiming] // the last change of the rate that frames waited for
	cut     atomic.Uint32            // counts how often the link was cut: what was sent before is lost
	held    atomic.Int32             // frames in flight
	sent    atomic.Uint64
	size    atomic.Uint64 // bytes sent
	lost    [causes]atomic.Uint64

	// ------
	to     receiver
	engine *engine
	came   uint32        // number of the last frame that has come
	early  ring[transit] // came before those sent before them: from the sender's engine and from others they come by two ways
	flight ring[transit]
	seen   *retiming // that all in flight follow
	timer  timer
}

// fits reports whether a frame is no longer than the MTU allows. The sender's lock is held.
func (d *simplex) fits(frame []byte) bool {
	header := packet.EthernetLen
	if len(frame) >= header {
		if t := binary.BigEndian.Uint16(frame[header-2:]); t == packet.TypeVLAN || t == packet.TypeQinQ {
			header += packet.VLANTagLen
		}
	}
	return len(frame) <= header+d.spec.MTU
}

// admit says when a frame of some bytes, given to the link now, arrives, or why it does not. The
// sender's lock is held.
func (d *simplex) admit(size int, now time.Duration) (at time.Duration, why Cause, ok bool) {
	s := &d.spec
	if !d.up {
		return 0, LostOnDownLink, false
	}
	if *s == (topo.LinkSpec{}) && d.last == 0 {
		return 0, 0, true
	}
	at = now
	if s.RateBPS > 0 {
		if at, ok = d.wait(size, now); !ok {
			return 0, LostInQueue, false
		}
	}
	if s.Loss > 0 && d.random.Float() < s.Loss {
		return 0, LostByChance, false
	}
	at += s.Delay
	if s.Jitter > 0 {
		at += time.Duration((2*d.random.Float() - 1) * float64(s.Jitter))
	}
	at = max(at, d.last, now)
	d.last = at
	return at, 0, true
}

// wait queues a frame for a link with a rate, and says when its last bit will have left; false if
// the queue is full.
func (d *simplex) wait(size int, now time.Duration) (time.Duration, bool) {
	for d.queue.len() > 0 && *d.queue.first() <= now {
		d.queue.pop()
	}
	room := d.spec.Queue
	if room == 0 {
		room = topo.DefaultQueue
	}
	begin := max(now, d.free)
	if begin > now {
		if d.queue.len() >= room {
			return 0, false
		}
		d.queue.push(begin)
	}
	d.part += float64(size) * 8 * float64(time.Second) / float64(d.spec.RateBPS)
	whole := time.Duration(d.part)
	d.part -= float64(whole)
	d.free = begin + whole
	return d.free, true
}

// drop counts a loss, for the direction and for the engine of its receiver.
func (d *simplex) drop(why Cause) {
	d.lost[why].Add(1)
	d.engine.counts.drops[why].Add(1)
}

// reserve takes a place for one more frame in flight. The sender's lock is held.
func (d *simplex) reserve() bool {
	if d.held.Add(1) > int32(MaxOnLink+d.spec.Queue) {
		d.held.Add(-1)
		return false
	}
	if d.engine.held.Add(1) > d.engine.maxHeld {
		d.engine.held.Add(-1)
		d.held.Add(-1)
		return false
	}
	return true
}

// release gives the place back.
func (d *simplex) release() {
	d.held.Add(-1)
	d.engine.held.Add(-1)
}

// setUp sets the carrier; without it all frames in flight are lost.
func (d *simplex) setUp(up bool) {
	d.sender.Lock()
	defer d.sender.Unlock()
	if d.up == up {
		return
	}
	d.up = up
	if !up {
		d.cut.Add(1)
		d.free, d.last, d.queue = 0, d.first, ring[time.Duration]{}
		d.engine.schedule(&d.timer, 0)
	}
}

// wake delivers the frames that are due and drops those of a link that was cut.
func (d *simplex) wake(e *engine) {
	d.purge(e)
	d.retime(nil)
	for d.flight.len() > 0 && d.flight.first().at <= e.now {
		e.run.push(d.flight.pop())
	}
	if d.flight.len() > 0 {
		e.timers.set(&d.timer, d.flight.first().at)
	}
}

// purge drops the frames that were in flight when the link was cut.
func (d *simplex) purge(e *engine) {
	for cut := d.cut.Load(); d.flight.len() > 0 && d.flight.first().cut != cut; {
		e.deliver(d.flight.pop())
	}
}
