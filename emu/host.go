package emu

import (
	"sync"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
)

// stack is what a host does with frames and time: a *host.Host, except in tests.
type stack interface {
	Receive(frame []byte, now time.Duration, out host.Output)
	Step(now time.Duration, out host.Output) (next time.Duration, ok bool)
}

// Host is an end host. Its methods may be called from any goroutine.
type Host struct {
	Index int // in Network.Hosts

	net    *Network
	spec   *topo.Host
	engine *engine
	link   *Link
	out    *simplex // of link

	mu      sync.Mutex // guards the stack, and the way that begins here
	stack   stack
	expires time.Duration // when the engine steps the stack; 0: it does not
	timer   timer
	latest  time.Duration // of the times that the stack was given: they never go back
}

// Spec is the host in the topology, which must not be changed.
func (h *Host) Spec() *topo.Host { return h.spec }

// Link is the host's, to its switch.
func (h *Host) Link() *Link { return h.link }

// Do has the stack do something, such as begin to send, or tell what it counts: f is called at
// once, with the age of the network and with where frames go. It must not block, nor call the Host.
func (h *Host) Do(f func(s *host.Host, now time.Duration, out host.Output)) {
	h.do(func(s stack, now time.Duration, out host.Output) { f(s.(*host.Host), now, out) })
}

func (h *Host) do(f func(s stack, now time.Duration, out host.Output)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := hostOutput{h: h, now: h.clock(h.net.now())}
	f(h.stack, out.now, &out)
	if next, ok := h.stack.Step(out.now, &out); ok && (h.expires == 0 || next < h.expires) {
		h.expires = max(next, out.now+1)
		h.engine.schedule(&h.timer, h.expires)
	}
}

// A host announces itself announceAfter its switch is connected: the controller has a moment to
// make ready for broadcasts. Each of them crosses every switch; those of many hosts are spread so
// that each of these hops has announceHop.
const (
	announceAfter = 2 * time.Second
	announceHop   = 2 * time.Microsecond
)

// announceLater has the host announce itself.
func (h *Host) announceLater() {
	spread := time.Duration(h.Index) * time.Duration(len(h.net.switches)) * announceHop
	h.do(func(s stack, now time.Duration, _ host.Output) {
		if real, ok := s.(*host.Host); ok { // tests have others
			real.AnnounceAt(now + announceAfter + spread)
		}
	})
}

// receive takes a frame from the link.
func (h *Host) receive(e *engine, frame []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.counts.delivered.Add(1)
	out := &e.hostOutput
	out.h, out.now, out.from = h, h.clock(e.now), e.from
	h.stack.Receive(frame, out.now, out)
	h.step(e, out)
}

// wake gives the host time.
func (h *Host) wake(e *engine) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expires = 0
	out := &e.hostOutput
	out.h, out.now, out.from = h, h.clock(e.now), e.now
	h.step(e, out)
}

// clock is a time for the stack: the engine's, which is that of the beginning of its round, may be
// before that of a caller of Do. The lock is held.
func (h *Host) clock(now time.Duration) time.Duration {
	h.latest = max(h.latest, now)
	return h.latest
}

func (h *Host) step(e *engine, out *hostOutput) {
	if next, ok := h.stack.Step(out.now, out); ok && (h.expires == 0 || next < h.expires) {
		h.expires = max(next, e.now+1)
		e.timers.set(&h.timer, h.expires)
	}
}

// hostOutput is where a host sends to during one call: by its engine, or by others.
type hostOutput struct {
	h      *Host
	engine *engine // nil if the caller is none
	now    time.Duration
	from   time.Duration // when what an engine sends leaves
}

// Send gives a frame to the host's link.
func (o *hostOutput) Send(frame []byte) {
	d := o.h.out
	if o.engine != nil {
		o.engine.send(d, frame, o.from)
		return
	}
	if t, ok := d.begin(frame, o.now); ok {
		t.frame = newCopy(frame)
		d.engine.post([]transit{t})
	}
}
