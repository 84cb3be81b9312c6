package forward

import (
	"errors"
	"maps"
	"slices"

	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/trace"
)

// errGone is for a switch on the path without a connection.
var errGone = errors.New("forward: a switch on the path is not connected")

// installer takes the installs of a switch from their first rule to the pair, or to their end: it writes one stage
// after the other, when those that wrote to switches are confirmed. Its methods, but for those that say otherwise,
// are called with the lock of the ingress held.
type installer struct {
	*ingress
	send    sender
	waiting waiting
	delayed []*install // moves that wait until their next stage is due
	stage   []*target  // scratch of writeStage

	// confirmations of what this batch of input wrote: BatchEnd asks for them.
	confirmations confirmations
}

// begin begins an install for a packet that came in.
func (inst *installer) begin(pin *openflow.PacketIn, w *install, copied bool) {
	trace.At(trace.Path)
	w.Start(pathing.Order{IngressLast: true}, inst.clock.began())
	if !inst.writeStage(w) {
		inst.retired.add(inst.ingress, w.pr, w.path)
		inst.count.NoPath.Add(1)
		return
	}
	inst.installs[w.pr] = w
	if !copied {
		inst.waiting.hold(w, pin)
	}
	if !w.Awaits() { // the last switch of a path has lost its rule: nothing to wait for
		inst.proceed(inst.at.conn.Load(), w)
	}
}

// beginMove begins an install that moves its pair; planned: at one of the places of planned moves.
func (inst *installer) beginMove(out *outlet.Conn, w *install, planned bool) {
	inst.installs[w.pr] = w
	trace.At(trace.Move)
	if planned {
		inst.slots.Take(&w.Transition)
	}
	switch {
	case !inst.writeStage(w):
		inst.abandon(w)
	case !w.Awaits():
		inst.proceed(out, w)
	}
}

// writeStage appends the rules of a stage to the switches after this one, from the last backwards. It
// reports whether all of them are connected and had room.
func (inst *installer) writeStage(w *install) bool {
	inst.stage = inst.stage[:0]
	for hop := len(w.path.Hops) - 1; hop > w.first; hop-- {
		if w.Writes(hop, false) && !inst.writeHop(w, hop) {
			return false
		}
	}
	for _, at := range inst.stage {
		w.Await(1)
		inst.confirmations.add(at, w)
	}
	return true
}

// writeHop appends the rule of one hop after the first to its switch.
func (inst *installer) writeHop(w *install, hop int) bool {
	h := w.path.Hops[hop]
	d := inst.switches.get(h.DPID)
	if d == nil {
		return false
	}
	out := d.conn.Load()
	if out == nil || !inst.send.Rule(out, w.pr, inst.paths.CookieAt(w.path, hop), h.Out, hop, openflow.NoBuffer) {
		return false
	}
	inst.stage = append(inst.stage, &d.target)
	return true
}

// proceed goes on with an install whose stage is confirmed. The last stage is this switch's rule.
func (inst *installer) proceed(out *outlet.Conn, w *install) {
	switch {
	case out == nil || w.failed:
		inst.fail(out, w)
	case w.Last():
		inst.endMove(out, w)
	case inst.clock.now().Before(w.Due(inst.clock.now())):
		inst.delayed = append(inst.delayed, w)
	default:
		inst.writeNext(out, w)
	}
}

// writeNext writes the next stage of an install.
func (inst *installer) writeNext(out *outlet.Conn, w *install) {
	w.Next()
	switch {
	case w.Last():
		inst.finish(out, w)
	case inst.writeStage(w):
		w.wrote = true
	default:
		w.failed = true
		inst.fail(out, w)
	}
}

// finish writes this switch's rule of an install of which all others are confirmed, if its path is
// still valid.
func (inst *installer) finish(out *outlet.Conn, w *install) {
	if _, had := inst.pairs.Get(w.pr); (had || !w.moving) && inst.routes.valid(w.pr, w.path) {
		inst.writeIngress(out, w)
		return
	}
	inst.fail(out, w)
}

// fail ends an install that is not to go on: a new pair's next packet tries again, and Second
// retries a move.
func (inst *installer) fail(out *outlet.Conn, w *install) {
	if w.refused && out != nil {
		inst.waiting.direct(out, w)
	}
	inst.waiting.drop(w)
	if w.moving {
		inst.abandon(w)
		return
	}
	delete(inst.installs, w.pr)
	inst.retryMoves = true
	inst.retired.add(inst.ingress, w.pr, w.path)
}

// writeIngress sends this switch's rule of a confirmed install, and the packets that waited for
// it. A move ends when that rule is confirmed: until then packets may take either path.
func (inst *installer) writeIngress(out *outlet.Conn, w *install) {
	port, buffer, held := w.hop().Out, uint32(openflow.NoBuffer), w.held
	if len(held) > 0 && held[0].buffer != openflow.NoBuffer {
		buffer, held = held[0].buffer, held[1:]
	}
	sent := inst.send.Rule(out, w.pr, inst.paths.CookieAt(w.path, w.first), port, w.first, buffer)
	switch {
	case w.moving && sent:
		w.wrote = true
		w.Await(1)
		inst.confirmations.add(inst.at, w)
	case w.moving:
		inst.abandon(w)
		return
	default:
		delete(inst.installs, w.pr)
		inst.keep(w, sent)
	}
	inst.waiting.take(w)
	if !sent {
		return
	}
	if buffer != openflow.NoBuffer {
		inst.send.ReleasedByRule()
	}
	inst.waiting.release(out, held, port)
}

// keep records the path of a new pair, if its rule was sent and this is where it enters.
func (inst *installer) keep(w *install, sent bool) {
	if sent && w.first == 0 {
		inst.set(w.pr, w.flow())
		return
	}
	inst.retryMoves = inst.retryMoves || !sent
	inst.retired.add(inst.ingress, w.pr, w.path) // of one that lost its rules here: they go if the pair has ended meanwhile
}

// endMove ends a move whose last rule is confirmed: the rules of the previous path are deleted
// later.
func (inst *installer) endMove(out *outlet.Conn, w *install) {
	delete(inst.installs, w.pr)
	inst.dropHalfMoved(w.pr)
	inst.set(w.pr, w.flow())
	inst.slots.leave(&w.Transition)
	inst.count.Moved.Add(1)
	inst.retryMoves = inst.retryMoves || !inst.routes.valid(w.pr, w.path)
	inst.waiting.release(out, inst.waiting.take(w), w.hop().Out)
}

// abandon ends a move that is not complete: its confirmations are ignored, and the packets that
// waited for it are dropped. If packets may take its tail it is remembered until the pair has
// moved; else its rules are deleted later.
func (inst *installer) abandon(w *install) {
	inst.waiting.drop(w)
	delete(inst.installs, w.pr)
	w.abandoned = true
	inst.slots.leave(&w.Transition)
	inst.retryMoves = true
	if _, had := inst.pairs.Get(w.pr); had && w.wrote {
		inst.keepHalfMoved(w.pr, w.path)
		return
	}
	inst.retired.add(inst.ingress, w.pr, w.path)
}

// giveUp fails an install of a pair whose rule was refused; false: there is none.
func (inst *installer) giveUp(pr pairs.Pair) bool {
	w := inst.installs[pr]
	if w != nil {
		w.failed, w.refused = true, true
	}
	return w != nil
}

// resume takes the next stage of the delayed moves that are due, and abandons planned ones
// that are late: they are retried. The lock is not held.
func (inst *installer) resume(out *outlet.Conn) {
	now := inst.clock.now()
	inst.run(out, func() {
		due := inst.delayed
		inst.delayed = nil
		for _, w := range due {
			switch {
			case w.abandoned:
			case now.Before(w.Due(now)):
				inst.delayed = append(inst.delayed, w)
			default:
				inst.proceed(out, w)
			}
		}
		if inst.slots.Taken() == 0 {
			return
		}
		var late []*install
		for _, w := range inst.installs {
			if w.Planned() && w.Late(now) {
				late = append(late, w)
			}
		}
		slices.SortFunc(late, func(a, b *install) int { return a.pr.Compare(b.pr) })
		for _, w := range late {
			inst.abandon(w)
		}
	})
}

// abandonDelayed abandons the delayed moves of a switch whose connection has ended: they occupy
// places that others wait for. The lock is not held.
func (inst *installer) abandonDelayed() {
	inst.mu.Lock()
	defer inst.mu.Unlock()
	due := inst.delayed
	inst.delayed = nil
	for _, w := range due {
		if !w.abandoned {
			inst.abandon(w)
		}
	}
}

// clear ends all pairs and installs of a switch. The lock is not held.
func (inst *installer) clear() {
	inst.mu.Lock()
	defer inst.mu.Unlock()
	for _, pr := range slices.SortedFunc(maps.Keys(inst.installs), pairs.Pair.Compare) {
		w := inst.installs[pr]
		w.abandoned = true
		inst.slots.leave(&w.Transition)
		inst.waiting.drop(w)
		inst.retired.add(inst.ingress, w.pr, w.path)
	}
	clear(inst.installs)
	inst.delayed = nil
	for _, pr := range inst.pairs.Where(func(pairs.Pair, pairs.Flow) bool { return true }) {
		fl, _ := inst.pairs.Get(pr)
		inst.end(pr, fl)
	}
}
