package emu

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/emu/fidelity"
	"github.com/weirnet/weir/emu/topo"
)

// roundFrames is how many frames an engine hands over before it looks at what came from outside
// again.
const roundFrames = 256

// engine is the owner of a share of the switches and hosts: it hands frames over that arrive at
// them, and wakes them when their time has come. It is a pure core: step is given the time, and
// says when it wants to be called again. Only step and what it calls touch what is above the line;
// the rest is for everybody.
type engine struct {
	net     *Network
	now     time.Duration
	timers  timers
	run     ring[transit] // have arrived
	away    [][]transit   // for the other engines, in this round, by their number
	spare   inbox
	buffers buffers
	output  output // of the switch that has the frame

	from    time.Duration   // when the frame that is being handed over was to arrive: what follows from it counts from then
	due     []time.Duration // what was promised for these times, and was done in this round
	backlog backlog

	hostOutput hostOutput // likewise, of the host

	// ------
	number  int
	counts  counts
	late    fidelity.Meter
	fine    bool         // some switch of its has a profile: microseconds count
	ahead   atomic.Int64 // sum of the times that were promised since the last round, in nanoseconds
	held    atomic.Int64 // frames in flight to receivers of this engine
	maxHeld int64
	in      struct {
		sync.Mutex
		inbox
		asleep bool
	}
	wakeup chan struct{} // has one token when there is something in the inbox of a sleeping engine
}

// inbox is what came from outside since the last round.
type inbox struct {
	frames []transit
	timers []timerRequest
}

// timerRequest asks for a timer to be due at a time, at the latest.
type timerRequest struct {
	timer *timer
	at    time.Duration
}

// keepInbox is the room for frames from outside that an engine keeps.
const keepInbox = 4096

// step does one round at a time. It says when there is more to do: at once, at a time, or not
// before something comes from outside.
func (e *engine) step(now time.Duration) (next time.Duration, more, ok bool) {
	e.now = now
	e.drainInbox()
	for n := 0; n < roundFrames; n++ {
		at, ok := e.timers.next()
		if !ok || at > now {
			break
		}
		e.timers.pop().owner.wake(e)
	}
	done := 0
	for ; done < roundFrames && e.run.len() > 0; done++ {
		e.deliver(e.run.pop())
	}
	e.flush()
	e.account(done)
	if e.run.len() > 0 {
		return 0, true, true
	}
	next, ok = e.timers.next()
	return next, ok && next <= now, ok
}

// drainInbox sorts what came from outside.
func (e *engine) drainInbox() {
	e.in.Lock()
	got := e.in.inbox
	e.in.inbox = e.spare
	e.in.asleep = false
	e.in.Unlock()
	for _, t := range got.frames {
		e.arrive(t)
	}
	for _, a := range got.timers {
		e.timers.sooner(a.timer, a.at)
	}
	clear(got.frames)
	clear(got.timers)
	e.spare = inbox{got.frames[:0], got.timers[:0]}
	if cap(got.frames) > keepInbox {
		e.spare.frames = nil
	}
}

// arrive takes a frame that was sent, and those that came before it although they were sent later.
func (e *engine) arrive(t transit) {
	d := t.dir
	if t.number != d.came+1 {
		d.early.push(t)
		return
	}
	d.came++
	e.await(t)
	for d.early.len() > 0 && d.early.first().number == d.came+1 {
		d.came++
		e.await(d.early.pop())
	}
}

// await puts a frame where it waits for its time.
func (e *engine) await(t transit) {
	d := t.dir
	if d.flight.len() > 0 {
		d.purge(e)
	}
	if d.retimed.Load() != nil {
		d.retime(&t)
	}
	if d.flight.len() == 0 && t.at <= e.now {
		e.run.push(t)
		return
	}
	d.flight.push(t)
	if d.flight.len() == 1 || d.timer.place == 0 {
		e.timers.set(&d.timer, t.at)
	}
}

// deliver gives a frame that has arrived to its receiver.
func (e *engine) deliver(t transit) {
	d := t.dir
	d.release()
	e.from = e.now
	if t.at != 0 {
		e.from = t.at
		if !d.absorbs {
			e.due = append(e.due, t.at)
		}
	}
	if t.cut != d.cut.Load() {
		d.drop(LostWithLink)
	} else {
		d.to.receive(e, t.frame)
	}
	e.buffers.put(t.frame)
}

// send puts a frame in flight from a receiver of this engine, as if it were the time from. The
// frame is copied.
func (e *engine) send(d *simplex, frame []byte, from time.Duration) {
	t, ok := d.begin(frame, from)
	if !ok {
		return
	}
	t.frame = e.buffers.copyOf(frame)
	if d.engine == e {
		e.arrive(t)
	} else {
		e.away[d.engine.number] = append(e.away[d.engine.number], t)
	}
}

// begin is a frame about to be sent, without its bytes; false if it is lost. The sender's lock is
// held until the frame is in flight: by send, or by post.
func (d *simplex) begin(frame []byte, now time.Duration) (transit, bool) {
	if d.spec.MTU != 0 && !d.fits(frame) {
		d.drop(LostToMTU)
		return transit{}, false
	}
	if !d.reserve() { // before it takes its turn at the link's rate
		d.drop(LostByOverload)
		return transit{}, false
	}
	at, why, ok := d.admit(len(frame), now)
	if !ok {
		d.release()
		d.drop(why)
		return transit{}, false
	}
	d.sent.Add(1)
	d.size.Add(uint64(len(frame)))
	d.number++
	if at != 0 && !d.absorbs {
		d.engine.ahead.Add(int64(at - now))
	}
	return transit{dir: d, at: at, leaves: d.free, cut: d.cut.Load(), number: d.number}, true
}

// flush gives the other engines what this round has for them.
func (e *engine) flush() {
	for i, list := range e.away {
		if len(list) == 0 {
			continue
		}
		e.net.engines[i].post(list)
		clear(list)
		e.away[i] = list[:0]
		if cap(list) > keepInbox {
			e.away[i] = nil
		}
	}
}

// post gives frames to an engine from outside; they are copied out of the list, not themselves.
func (e *engine) post(list []transit) {
	e.in.Lock()
	e.in.frames = append(e.in.frames, list...)
	e.unlockAndWake()
}

// schedule asks for a timer from outside.
func (e *engine) schedule(t *timer, at time.Duration) {
	e.in.Lock()
	e.in.timers = append(e.in.timers, timerRequest{t, at})
	e.unlockAndWake()
}

// unlockAndWake unlocks the inbox and wakes the engine, if it sleeps.
func (e *engine) unlockAndWake() {
	asleep := e.in.asleep
	e.in.asleep = false
	e.in.Unlock()
	if asleep {
		e.wakeUp()
	}
}

// maySleep reports whether the engine may sleep: nothing has come meanwhile.
func (e *engine) maySleep() bool {
	e.in.Lock()
	defer e.in.Unlock()
	e.in.asleep = len(e.in.frames)+len(e.in.timers) == 0
	return e.in.asleep
}

func newEngine(n *Network, number int) *engine {
	e := &engine{net: n, number: number, away: make([][]transit, n.cfg.Engines), wakeup: make(chan struct{}, 1),
		timers: newTimers()}
	e.late.Init(n.cfg.Tolerance)
	e.maxHeld = int64(max(MaxFrames/n.cfg.Engines, MaxOnLink+topo.MaxQueue))
	e.output.engine, e.hostOutput.engine = e, e
	return e
}
