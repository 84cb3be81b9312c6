package forward

import (
	"errors"
	"sync/atomic"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// errGone says that a switch on the path has no connection.
var errGone = errors.New("forward: a switch on the path is not connected")

// install is a pair on its way into the switches: the rules downstream of this switch are sent, and its own rule and the
// packets wait until they are confirmed.
type install struct {
	pr     pair
	path   *path // counted once for this install; goes over to the pair
	first  int   // hop of this switch: 0, but for a pair that came in elsewhere and lost its rules from here on
	moving bool  // the pair had another path
	held   []heldPacket
	steps  *steps // of one that moves
	sent   bool   // of one that moves: this switch's rule is on its way
	// refused: a switch will not take its rule, so that the packets that wait go by the controller.
	refused bool
	over    bool // it was given up: what is confirmed counts no more

	left   atomic.Int32 // switches that have not confirmed yet
	failed atomic.Bool
}

// hop is this switch's.
func (w *install) hop() topology.Hop { return w.path.hops[w.first] }

// touched is a switch that was written to, and the installs that wait for its confirmation.
type touched struct {
	at       *Datapath
	installs []*install
}

// heldPacket is a packet that waits at its ingress switch.
type heldPacket struct {
	buffer uint32
	inPort uint32
	frame  []byte // own memory; nil if buffered or cut short
}

// remote sends the rules of the path's downstream switches and leaves this switch's own to be sent when they are
// confirmed. d.mu is held.
func (d *Datapath) remote(out *outlet, pin *openflow.PacketIn, pr pair, hops []topology.Hop, released bool) {
	if fl, ok := d.pairs.get(pr); ok && !released && d.f.samePath(fl, hops) {
		d.again(out, pin, pr, fl)
		return
	}
	if hops[0].Out == pin.InPort { // a rule matches no port, and would send what comes from elsewhere back to where it came from
		d.pass(out, pin, hops[0].Out, released)
		return
	}
	if !d.f.accepts(hops, nil) {
		if !released {
			d.direct(out, pin.InPort, pr, wholeFrame(pin))
		}
		return
	}
	if d.pairs.len() >= MaxPairs || d.held >= MaxHeldSwitch || !d.mayBegin(pin.InPort) {
		d.f.count.unruled.Add(1)
		d.pass(out, pin, hops[0].Out, released)
		return
	}
	d.begun(pin.InPort)
	d.start(pin, &install{pr: pr, path: d.f.paths.take(hops)}, released)
}

// start begins an install for a packet that came in. d.mu is held.
func (d *Datapath) start(pin *openflow.PacketIn, w *install, released bool) {
	if !d.downstream(w) {
		d.abandonRules(w)
		d.f.count.noPath.Add(1)
		return
	}
	d.waiting[w.pr] = w
	if !released {
		d.hold(w, pin)
	}
	if w.left.Load() == 0 { // the last switch of a path has lost its rule: there is nobody to wait for
		d.finish(d.outlet.Load(), w)
	}
}

// pass sends a packet on without a rule, unless the switch has sent it on itself.
func (d *Datapath) pass(out *outlet, pin *openflow.PacketIn, port uint32, released bool) {
	if !released {
		d.release(out, pin.Buffer, pin.InPort, port, d.frameOf(pin))
	}
}

// samePath tells whether a pair already has this path.
func (f *Forward) samePath(fl flow, hops []topology.Hop) bool {
	p := f.paths.get(fl.path)
	if p == nil || len(p.hops) != len(hops) || p.dead.Load() {
		return false
	}
	for i := range hops {
		if p.hops[i] != hops[i] {
			return false
		}
	}
	return true
}

// again handles a packet of a pair that has its path: it was on its way when the rule went in, or the switch lost the
// rule. The rule of this switch is sent once more and the packet released.
func (d *Datapath) again(out *outlet, pin *openflow.PacketIn, pr pair, fl flow) {
	d.pairRule(&d.fm, pr, d.f.cookieAt(d.f.paths.get(fl.path), 0), out.table, fl.out)
	d.fm.Flags = openflow.FlagSendFlowRemoved
	d.send(out.FlowMod(&d.fm))
	d.release(out, pin.Buffer, pin.InPort, fl.out, d.frameOf(pin))
}

// downstream appends the rules of all switches after this one that are written at once, from the last backwards. It tells
// whether all of them are connected and had room.
func (d *Datapath) downstream(w *install) bool {
	hops := w.path.hops
	n := 0
	for i := len(hops) - 1; i > w.first; i-- {
		if w.steps.waits(i) {
			continue
		}
		if !d.write(w, i, d.f.datapath(hops[i].DPID)) {
			return false
		}
		n++
	}
	w.left.Store(int32(n))
	for i := len(hops) - 1; i > w.first; i-- {
		if !w.steps.waits(i) {
			d.touch(d.f.datapath(hops[i].DPID), w)
		}
	}
	return true
}

// write appends the rule of one hop after the first to its switch, which may be nil. d.mu is held.
func (d *Datapath) write(w *install, hop int, next *Datapath) bool {
	if next == nil {
		return false
	}
	out := next.outlet.Load()
	if out == nil {
		return false
	}
	d.pairRule(&d.fm, w.pr, d.f.cookieAt(w.path, hop), out.table, w.path.hops[hop].Out)
	d.fm.IdleTimeout = idleAt(hop)
	return d.send(out.FlowMod(&d.fm))
}

// reachable tells whether all switches of a path are connected.
func (f *Forward) reachable(p *path) bool {
	for _, h := range p.hops {
		if next := f.datapath(h.DPID); next == nil || next.outlet.Load() == nil {
			return false
		}
	}
	return true
}

// touch notes that an install waits for a switch.
func (d *Datapath) touch(next *Datapath, w *install) {
	for _, t := range d.batch {
		if t.at == next {
			t.installs = append(t.installs, w)
			return
		}
	}
	d.batch = append(d.batch, &touched{at: next, installs: []*install{w}})
}

// hold keeps a packet until its pair's path is confirmed.
func (d *Datapath) hold(w *install, pin *openflow.PacketIn) {
	if len(w.held) >= MaxHeld || d.held >= MaxHeldSwitch {
		d.f.count.heldDropped.Add(1)
		return
	}
	h := heldPacket{buffer: pin.Buffer, inPort: pin.InPort}
	if pin.Buffer == openflow.NoBuffer {
		h.frame = append([]byte(nil), d.frameOf(pin)...)
	}
	w.held = append(w.held, h)
	d.held++
}

// BatchEnd is called on the goroutine that reads from the switch when all input that had arrived is handled: one
// barrier to each switch written to confirms the rules of all pairs of the batch there.
func (d *Datapath) BatchEnd() {
	d.mu.Lock()
	batch := d.batch
	d.batch = nil
	d.mu.Unlock()
	d.confirm(batch)
}

// confirm sends a barrier to each switch. An install goes on when the last of its own switches has answered: one that
// does not answer holds up those alone whose path passes it. No lock is held.
func (d *Datapath) confirm(batch []*touched) {
	for _, t := range batch {
		out := t.at.outlet.Load()
		if out == nil {
			d.confirmed(t.installs, errGone)
			continue
		}
		if err := out.Barrier(func(err error) { d.confirmed(t.installs, err) }); err != nil {
			d.confirmed(t.installs, err)
			continue
		}
		out.Flush()
	}
}

// confirmed is called when a switch has confirmed its rules of some installs, or failed to: for those that wait for no
// other switch, this switch's rule goes in and the packets out, in the order they came; those that move take the next
// step.
func (d *Datapath) confirmed(installs []*install, err error) {
	out := d.outlet.Load()
	d.mu.Lock()
	readers := d.batch // the reader confirms its own
	d.batch = nil
	for _, w := range installs {
		if err != nil {
			w.failed.Store(true)
		}
		if w.left.Add(-1) == 0 && !w.over {
			d.proceed(out, w)
		}
	}
	batch := d.batch
	d.batch = readers
	d.mu.Unlock()
	if out != nil {
		out.Flush()
	}
	d.confirm(batch)
}

// gather does something that writes to switches, and asks for the confirmations. No lock is held.
func (d *Datapath) gather(out *outlet, do func()) {
	d.mu.Lock()
	readers := d.batch // the reader confirms its own
	d.batch = nil
	do()
	batch := d.batch
	d.batch = readers
	d.mu.Unlock()
	out.Flush()
	d.confirm(batch)
}

// finish ends one install; d.mu is held. One that failed, or whose path is no longer right, is given up: a new pair's
// next packet tries again, a pair that was moving is moved by the next Second.
func (d *Datapath) finish(out *outlet, w *install) {
	_, had := d.pairs.get(w.pr)
	switch {
	case out == nil || w.failed.Load():
	case w.sent:
		d.settle(out, w)
		return
	case (had || !w.moving) && d.f.right(w.pr, w.path):
		d.insert(out, w)
		return
	}
	if w.refused && out != nil {
		d.directHeld(out, w)
	}
	d.dropHeld(w)
	if w.moving {
		d.giveUp(w)
		return
	}
	delete(d.waiting, w.pr)
	d.unmoved = true
	d.abandonRules(w)
}

// abandonRules has the rules deleted in a while that an install has written, where the pair does not use them: its source may be at one
// of those switches by now. The path goes over to those that were left. d.mu is held.
func (d *Datapath) abandonRules(w *install) {
	d.f.retired.add(left{d, w.pr, w.path, d.f.drained(w.path)})
}

// insert sends this switch's rule of a confirmed install, and the packets that waited for it. A move ends when the rule
// is confirmed: until then packets may take either path.
func (d *Datapath) insert(out *outlet, w *install) {
	port := w.hop().Out
	d.pairRule(&d.fm, w.pr, d.f.cookieAt(w.path, w.first), out.table, port)
	if w.first == 0 {
		d.fm.Flags = openflow.FlagSendFlowRemoved
	} else {
		d.fm.IdleTimeout = idleAt(w.first)
	}
	held := w.held
	if len(held) > 0 && held[0].buffer != openflow.NoBuffer {
		d.fm.Buffer = held[0].buffer
		held = held[1:]
	}
	sent := d.send(out.FlowMod(&d.fm))
	switch {
	case w.moving && sent:
		w.sent, w.steps.wrote = true, true
		w.left.Store(1)
		d.touch(d, w)
	case w.moving:
		d.dropHeld(w)
		d.giveUp(w)
		return
	default:
		delete(d.waiting, w.pr)
		d.own(w, sent)
	}
	d.held -= len(w.held)
	w.held = nil
	if !sent {
		return
	}
	if d.fm.Buffer != openflow.NoBuffer {
		d.f.count.released.Add(1)
	}
	for _, h := range held {
		d.release(out, h.buffer, h.inPort, port, h.frame)
	}
}

// own keeps the path of a new pair, if its rule was sent and this is where it enters.
func (d *Datapath) own(w *install, sent bool) {
	if sent && w.first == 0 {
		d.remember(w.pr, flow{path: w.path.id, out: w.hop().Out})
		return
	}
	d.unmoved = d.unmoved || !sent
	d.abandonRules(w) // of one that lost its rules here: they go if the pair has ended meanwhile
}

// settle ends a move whose last rule is confirmed: the rules of the path that the pair has left are deleted in a while.
func (d *Datapath) settle(out *outlet, w *install) {
	delete(d.waiting, w.pr)
	d.unmix(w.pr)
	d.remember(w.pr, flow{path: w.path.id, out: w.hop().Out})
	d.moved(w)
	d.f.count.moved.Add(1)
	d.unmoved = d.unmoved || !d.f.right(w.pr, w.path)
	for _, h := range w.held {
		d.release(out, h.buffer, h.inPort, w.hop().Out, h.frame)
	}
	d.held -= len(w.held)
}
