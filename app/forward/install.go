package forward

import (
	"errors"
	"sync/atomic"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// errGone says that a switch on the path has no connection.
var errGone = errors.New("forward: a switch on the path is not connected")

// install is a pair on its way into the switches: rules downstream of its ingress switch are sent, and the ingress rule
// and the packets wait until they are confirmed.
type install struct {
	pr     pair
	path   *path // counted once for this install; goes over to the pair
	out    uint32
	inPort uint32
	old    *path // what the pair leaves; nil for a new pair
	held   []heldPacket
}

// heldPacket is a packet that waits at its ingress switch.
type heldPacket struct {
	buffer uint32
	inPort uint32
	frame  []byte // own memory; nil if buffered or cut short
}

// remote sends the rules of the path's downstream switches and leaves the ingress rule to be sent when they are
// confirmed. d.mu is held.
func (d *Datapath) remote(out *outlet, pin *openflow.PacketIn, pr pair, hops []topology.Hop, released bool) {
	if fl, ok := d.pairs[pr]; ok && !released && d.f.samePath(fl, hops) {
		d.again(out, pin, pr, fl)
		return
	}
	if len(d.pairs) >= MaxPairs || d.held >= MaxHeldSwitch {
		d.f.count.unruled.Add(1)
		if !released {
			d.release(out, pin.Buffer, pin.InPort, hops[0].Out, d.frameOf(pin))
		}
		return
	}
	w := &install{pr: pr, path: d.f.paths.take(hops), out: hops[0].Out, inPort: pin.InPort}
	if !d.downstream(w) {
		d.f.paths.drop(w.path.id)
		d.f.count.noPath.Add(1)
		return
	}
	d.waiting[pr] = w
	d.batch = append(d.batch, w)
	if !released {
		d.hold(w, pin)
	}
}

// samePath tells whether a pair already has this path.
func (f *Forward) samePath(fl flow, hops []topology.Hop) bool {
	p := f.paths.get(fl.path)
	if p == nil || len(p.hops) != len(hops) {
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
	d.pairRule(&d.fm, pr, d.f.cookie(fl.path), out.table, outOf(fl.out, pin.InPort))
	d.fm.Flags = openflow.FlagSendFlowRemoved
	d.send(out.FlowMod(&d.fm))
	d.release(out, pin.Buffer, pin.InPort, fl.out, d.frameOf(pin))
}

// outOf is the port of an output action: a packet goes back out of its ingress port only under the port's other name.
func outOf(port, inPort uint32) uint32 {
	if port == inPort {
		return openflow.PortInPort
	}
	return port
}

// downstream appends the rules of all switches after the first, from the last backwards. It tells whether all of them
// are connected and had room.
func (d *Datapath) downstream(w *install) bool {
	hops := w.path.hops
	for i := len(hops) - 1; i > 0; i-- {
		next, ok := d.f.switches.get(uint64(hops[i].DPID))
		if !ok {
			return false
		}
		out := next.outlet.Load()
		if out == nil {
			return false
		}
		d.pairRule(&d.fm, w.pr, d.f.cookie(w.path.id), out.table, hops[i].Out)
		if !d.send(out.FlowMod(&d.fm)) {
			return false
		}
		d.touch(next)
	}
	return true
}

// touch notes a switch that this batch of input has written to.
func (d *Datapath) touch(next *Datapath) {
	for _, t := range d.touched {
		if t == next {
			return
		}
	}
	d.touched = append(d.touched, next)
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
// barrier to each switch written to confirms all pairs of the batch.
func (d *Datapath) BatchEnd() {
	d.mu.Lock()
	batch, touched := d.batch, d.touched
	d.batch = nil
	d.touched = d.touched[:0:0]
	d.mu.Unlock()
	if len(batch) > 0 {
		d.f.confirm(touched, func(err error) { d.confirmed(batch, err) })
	}
}

// confirm sends a barrier to each switch and calls done once, when all have answered or one has failed to.
func (f *Forward) confirm(touched []*Datapath, done func(error)) {
	var left atomic.Int64
	var failed atomic.Pointer[error]
	left.Store(int64(len(touched)) + 1)
	one := func(err error) {
		if err != nil {
			failed.CompareAndSwap(nil, &err)
		}
		if left.Add(-1) > 0 {
			return
		}
		if e := failed.Load(); e != nil {
			done(*e)
			return
		}
		done(nil)
	}
	for _, t := range touched {
		out := t.outlet.Load()
		if out == nil {
			one(errGone)
			continue
		}
		if err := out.Barrier(one); err != nil {
			one(err)
			continue
		}
		out.Flush()
	}
	one(nil)
}

// confirmed is called when every switch downstream of a batch has answered: the ingress rules go in and the packets
// out, in the order they came. After a failure the packets are dropped; the next one tries again.
func (d *Datapath) confirmed(batch []*install, err error) {
	out := d.outlet.Load()
	if out == nil && err == nil {
		err = errGone
	}
	d.mu.Lock()
	for _, w := range batch {
		d.finish(out, w, err)
	}
	d.mu.Unlock()
	if out != nil {
		out.Flush()
	}
}

// finish ends one install; d.mu is held.
func (d *Datapath) finish(out *outlet, w *install, err error) {
	delete(d.waiting, w.pr)
	d.held -= len(w.held)
	if err != nil || w.path.broken.Load() {
		d.f.paths.drop(w.path.id)
		d.f.count.noPath.Add(uint64(len(w.held)))
		return
	}
	d.pairRule(&d.fm, w.pr, d.f.cookie(w.path.id), out.table, outOf(w.out, w.inPort))
	d.fm.Flags = openflow.FlagSendFlowRemoved
	held := w.held
	if len(held) > 0 && held[0].buffer != openflow.NoBuffer {
		d.fm.Buffer = held[0].buffer
		held = held[1:]
		d.f.count.released.Add(1)
	}
	if !d.send(out.FlowMod(&d.fm)) {
		d.f.paths.drop(w.path.id)
		return
	}
	if w.old != nil {
		d.cleanUp(w.pr, w.old, w.path)
		d.f.count.moved.Add(1)
	}
	d.remember(w.pr, flow{path: w.path.id, out: w.out})
	for _, h := range held {
		d.release(out, h.buffer, h.inPort, w.out, h.frame)
	}
}
