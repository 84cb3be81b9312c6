package forward

import (
	"errors"
	"slices"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/topology"
	"github.com/weirnet/weir/trace"
)

// errGone is for a switch on the path without a connection.
var errGone = errors.New("forward: a switch on the path is not connected")

// install is a pair whose path is being installed: the rules downstream of this switch are sent,
// and its own rule and the packets wait until they are confirmed.
type install struct {
	pr     pair
	path   *path // retained for this install; passes to the pair
	first  int   // hop of this switch: 0, but for a pair that came in elsewhere and lost its rules from here on
	moving bool  // the pair had another path
	held   []heldPacket
	// wrote: a switch that the pair's old path passes may have been written, so that packets take the old
	// head and the new tail.
	wrote bool
	// refused: a switch will not take its rule, so that the packets that wait go by the controller.
	refused   bool
	abandoned bool // its confirmations are ignored
	failed    bool // it is not to go on

	// Transition has the hops of the path as rules: that of this switch comes last.
	pathing.Transition
}

// hop returns this switch's hop.
func (w *install) hop() topology.Hop { return w.path.hops[w.first] }

// confirmation is a switch that was written to, and the installs that wait for its barrier reply.
type confirmation struct {
	at       *Datapath
	installs []*install
}

// heldPacket is a packet that waits at its ingress switch.
type heldPacket struct {
	buffer uint32
	inPort uint32
	frame  []byte // own memory; nil if buffered or cut short
}

// installRemote sends the rules of the path's downstream switches; this switch's own is sent when
// they are confirmed. d.mu is held.
func (d *Datapath) installRemote(out *switchConn, pin *openflow.PacketIn, pr pair, hops []topology.Hop, copied bool) {
	if fl, ok := d.pairs.get(pr); ok && !copied && d.f.samePath(fl, hops) {
		d.resendRule(out, pin, pr, fl)
		return
	}
	if hops[0].Out == pin.InPort { // a rule matches no port, and would send what comes from elsewhere back to where it came from
		d.sendOn(out, pin, hops[0].Out, copied)
		return
	}
	if !d.f.accepts(hops, nil) {
		d.sendUnruled(out, pin, pr, copied)
		return
	}
	if d.pairs.Len() >= MaxPairs || d.heldPackets >= MaxHeldSwitch || !d.mayBegin(pin.InPort) {
		d.f.count.Unruled.Add(1)
		d.sendOn(out, pin, hops[0].Out, copied)
		return
	}
	d.countPair(pin.InPort)
	d.startInstall(pin, &install{pr: pr, path: d.f.paths.acquire(hops)}, copied)
}

// startInstall begins an install for a packet that came in. d.mu is held.
func (d *Datapath) startInstall(pin *openflow.PacketIn, w *install, copied bool) {
	trace.At(trace.Path)
	w.Start(pathing.Order{IngressLast: true}, d.f.began())
	if !d.writeStage(w) {
		d.retire(w.pr, w.path)
		d.f.count.NoPath.Add(1)
		return
	}
	d.installs[w.pr] = w
	if !copied {
		d.holdPacket(w, pin)
	}
	if !w.Awaits() { // the last switch of a path has lost its rule: nothing to wait for
		d.nextStep(d.conn.Load(), w)
	}
}

// sendOn sends a packet on without a rule, unless the switch has forwarded it itself.
func (d *Datapath) sendOn(out *switchConn, pin *openflow.PacketIn, port uint32, copied bool) {
	if !copied {
		d.release(out, pin.Buffer, pin.InPort, port, d.frameOf(pin))
	}
}

// samePath reports whether a pair already has this path.
func (f *Forward) samePath(fl flow, hops []topology.Hop) bool {
	p := f.paths.get(fl.path)
	return p != nil && !p.dead.Load() && slices.Equal(p.hops, hops)
}

// resendRule handles a packet of a pair that has its path: it crossed the rule on the wire, or the
// switch lost the rule. The rule of this switch is sent again and the packet released.
func (d *Datapath) resendRule(out *switchConn, pin *openflow.PacketIn, pr pair, fl flow) {
	d.pairRule(&d.fm, pr, d.f.cookieAt(d.f.paths.get(fl.path), 0), out.table, fl.out)
	d.fm.Flags = openflow.FlagSendFlowRemoved
	d.send(out.FlowMod(&d.fm))
	d.release(out, pin.Buffer, pin.InPort, fl.out, d.frameOf(pin))
}

// writeStage appends the rules of a stage to the switches after this one, from the last backwards. It
// reports whether all of them are connected and had room. d.mu is held.
func (d *Datapath) writeStage(w *install) bool {
	hops := w.path.hops
	for i := len(hops) - 1; i > w.first; i-- {
		if w.Writes(i, false) && !d.writeHop(w, i) {
			return false
		}
	}
	for i := len(hops) - 1; i > w.first; i-- {
		if w.Writes(i, false) {
			w.Await(1)
			d.awaitConfirmation(d.f.datapath(hops[i].DPID), w)
		}
	}
	return true
}

// writeHop appends the rule of one hop after the first to its switch. d.mu is held.
func (d *Datapath) writeHop(w *install, hop int) bool {
	out := d.f.connOf(w.path.hops[hop].DPID)
	if out == nil {
		return false
	}
	d.pairRule(&d.fm, w.pr, d.f.cookieAt(w.path, hop), out.table, w.path.hops[hop].Out)
	d.fm.IdleTimeout = idleAt(hop)
	return d.send(out.FlowMod(&d.fm))
}

// reachable reports whether all switches of a path are connected.
func (f *Forward) reachable(p *path) bool {
	return !slices.ContainsFunc(p.hops, func(h topology.Hop) bool { return f.connOf(h.DPID) == nil })
}

// awaitConfirmation adds an install to those that wait for a switch.
func (d *Datapath) awaitConfirmation(next *Datapath, w *install) {
	for _, t := range d.toConfirm {
		if t.at == next {
			t.installs = append(t.installs, w)
			return
		}
	}
	d.toConfirm = append(d.toConfirm, &confirmation{at: next, installs: []*install{w}})
}

// holdPacket keeps a packet until its pair's path is confirmed.
func (d *Datapath) holdPacket(w *install, pin *openflow.PacketIn) {
	if len(w.held) >= MaxHeld || d.heldPackets >= MaxHeldSwitch {
		d.f.count.HeldDropped.Add(1)
		return
	}
	h := heldPacket{buffer: pin.Buffer, inPort: pin.InPort}
	if pin.Buffer == openflow.NoBuffer {
		h.frame = append([]byte(nil), d.frameOf(pin)...)
	}
	w.held = append(w.held, h)
	d.heldPackets++
}

// BatchEnd is called on the goroutine that reads from the switch when all input that had arrived is
// handled: one barrier to each switch written to confirms the rules of all pairs of the batch
// there.
func (d *Datapath) BatchEnd() {
	d.mu.Lock()
	batch := d.toConfirm
	d.toConfirm = nil
	d.mu.Unlock()
	d.confirm(batch)
}

// confirm sends a barrier to each switch. An install continues when the last of its switches has
// answered: a switch that does not answer delays only installs whose path crosses it. No lock is
// held.
func (d *Datapath) confirm(batch []*confirmation) {
	for _, t := range batch {
		out := t.at.conn.Load()
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

// confirmed is called when a switch has confirmed its rules of some installs, or failed to. For
// installs that wait for no other switch it sends this switch's rule and the packets, in the order
// they came; moves take their next step.
func (d *Datapath) confirmed(installs []*install, err error) {
	trace.At(trace.Confirmed)
	out := d.conn.Load()
	d.runAndConfirm(out, func() {
		for _, w := range installs {
			if err != nil {
				w.failed = true
			}
			if w.Confirm() && !w.abandoned {
				d.nextStep(out, w)
			}
		}
	})
}

// runAndConfirm runs do, which writes to switches, and requests the confirmations. out is this
// switch's connection, or nil. No lock is held when it is called; do holds d.mu.
func (d *Datapath) runAndConfirm(out *switchConn, do func()) {
	d.mu.Lock()
	readers := d.toConfirm // the reader confirms its own
	d.toConfirm = nil
	do()
	batch := d.toConfirm
	d.toConfirm = readers
	d.mu.Unlock()
	if out != nil {
		out.Flush()
	}
	d.confirm(batch)
}

// finishInstall writes this switch's rule of an install of which all others are confirmed, if its path is
// still valid. d.mu is held.
func (d *Datapath) finishInstall(out *switchConn, w *install) {
	if _, had := d.pairs.get(w.pr); (had || !w.moving) && d.f.pathValid(w.pr, w.path) {
		d.insertIngress(out, w)
		return
	}
	d.failInstall(out, w)
}

// failInstall ends an install that is not to go on: a new pair's next packet tries again, and Second
// retries a move. d.mu is held.
func (d *Datapath) failInstall(out *switchConn, w *install) {
	if w.refused && out != nil {
		d.directHeld(out, w)
	}
	d.dropHeld(w)
	if w.moving {
		d.abandonMove(w)
		return
	}
	delete(d.installs, w.pr)
	d.retryMoves = true
	d.retire(w.pr, w.path)
}

// insertIngress sends this switch's rule of a confirmed install, and the packets that waited for
// it. A move ends when that rule is confirmed: until then packets may take either path.
func (d *Datapath) insertIngress(out *switchConn, w *install) {
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
		w.wrote = true
		w.Await(1)
		d.awaitConfirmation(d, w)
	case w.moving:
		d.abandonMove(w)
		return
	default:
		delete(d.installs, w.pr)
		d.keepPath(w, sent)
	}
	d.heldPackets -= len(w.held)
	w.held = nil
	if !sent {
		return
	}
	if d.fm.Buffer != openflow.NoBuffer {
		d.f.count.Released.Add(1)
	}
	for _, h := range held {
		d.release(out, h.buffer, h.inPort, port, h.frame)
	}
}

// keepPath records the path of a new pair, if its rule was sent and this is where it enters.
func (d *Datapath) keepPath(w *install, sent bool) {
	if sent && w.first == 0 {
		d.setFlow(w.pr, flow{path: w.path.id, out: w.hop().Out})
		return
	}
	d.retryMoves = d.retryMoves || !sent
	d.retire(w.pr, w.path) // of one that lost its rules here: they go if the pair has ended meanwhile
}

// endMove ends a move whose last rule is confirmed: the rules of the previous path are deleted
// later.
func (d *Datapath) endMove(out *switchConn, w *install) {
	delete(d.installs, w.pr)
	d.dropHalfMoved(w.pr)
	d.setFlow(w.pr, flow{path: w.path.id, out: w.hop().Out})
	d.freeMoveSlot(w)
	d.f.count.Moved.Add(1)
	d.retryMoves = d.retryMoves || !d.f.pathValid(w.pr, w.path)
	for _, h := range w.held {
		d.release(out, h.buffer, h.inPort, w.hop().Out, h.frame)
	}
	d.heldPackets -= len(w.held)
}
