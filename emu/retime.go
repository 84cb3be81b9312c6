package emu

import (
	"slices"
	"time"

	"github.com/weirnet/weir/emu/topo"
)

// retiming is a change of a way's rate while frames wait for it: what had not left by then leaves
// sooner, or later.
type retiming struct {
	at    time.Duration // when the rate changed
	share float64       // of what was left of their wait: the old rate over the new one; 0: there is no rate any more
	last  uint32        // number of the last frame before it

	before *retiming // the change before it; the engine's, which lets it go when it has followed both
}

// shift is by how much later a frame leaves that was to leave at a time.
func (r *retiming) shift(leaves time.Duration) time.Duration {
	if leaves <= r.at {
		return 0
	}
	return time.Duration((r.share - 1) * float64(leaves-r.at))
}

// respec changes how frames are carried from now on. Those that wait for the rate leave at the new
// one; they keep their delay. The sender's lock is held.
func (d *simplex) respec(spec topo.LinkSpec, now time.Duration) {
	old := d.spec.RateBPS
	d.spec = spec
	if old == spec.RateBPS || old == 0 || d.free <= now {
		return
	}
	r := &retiming{at: now, last: d.number, before: d.retimed.Load()}
	if spec.RateBPS != 0 {
		r.share = float64(old) / float64(spec.RateBPS)
	}
	shift := r.shift(d.free)
	d.free, d.last, d.part = d.free+shift, max(d.last+shift, now), 0
	for i := range d.queue.len() {
		begin := d.queue.at(i)
		*begin += r.shift(*begin)
	}
	d.retimed.Store(r)
	d.engine.schedule(&d.timer, 0)
}

// retime has frames in flight that wait for the rate arrive as the changes of it say: those in
// flight, and one that has just come.
func (d *simplex) retime(late *transit) {
	r := d.retimed.Load()
	if r == d.seen {
		late.retime(r)
		return
	}
	for _, one := range r.since(d.seen) {
		for i := range d.flight.len() {
			d.flight.at(i).retime(one)
		}
		late.retime(one)
	}
	d.seen, r.before = r, nil
}

// since are the changes after one, and r, the oldest first.
func (r *retiming) since(seen *retiming) (list []*retiming) {
	for ; r != seen && r != nil; r = r.before {
		list = append(list, r)
	}
	slices.Reverse(list)
	return list
}

// retime changes when a frame arrives that was sent before the rate changed.
func (t *transit) retime(r *retiming) {
	if t == nil || r == nil || int32(t.number-r.last) > 0 {
		return
	}
	shift := r.shift(t.leaves)
	t.leaves += shift
	t.at += shift
}
