package forward

import (
	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/trace"
)

// confirmation is a switch that was written to, and the installs that wait for its barrier reply.
type confirmation struct {
	at       *target
	installs []*install
}

// confirmations are the switches that were written to and have not been asked for a confirmation, each once.
type confirmations []*confirmation

// add adds an install to those that wait for a switch.
func (c *confirmations) add(at *target, w *install) {
	for _, t := range *c {
		if t.at == at {
			t.installs = append(t.installs, w)
			return
		}
	}
	*c = append(*c, &confirmation{at: at, installs: []*install{w}})
}

// take takes all out.
func (c *confirmations) take() (all confirmations) {
	all, *c = *c, nil
	return all
}

// batchEnd is called when all input that had arrived from the switch is
// handled: one barrier to each switch written to confirms the rules of all pairs of the batch
// there.
func (inst *installer) batchEnd() {
	inst.mu.Lock()
	batch := inst.confirmations.take()
	inst.mu.Unlock()
	inst.confirm(batch)
}

// confirm sends a barrier to each switch. An install continues when the last of its switches has
// answered: a switch that does not answer delays only installs whose path crosses it. No lock is
// held.
func (inst *installer) confirm(batch confirmations) {
	for _, t := range batch {
		out := t.at.conn.Load()
		if out == nil {
			inst.confirmed(t.installs, errGone)
			continue
		}
		t.at.silence.asked(inst.clock.beats.Load())
		if err := out.Barrier(func(err error) {
			t.at.silence.answered()
			inst.confirmed(t.installs, err)
		}); err != nil {
			t.at.silence.answered()
			inst.confirmed(t.installs, err)
			continue
		}
		out.Flush()
	}
}

// confirmed is called when a switch has confirmed its rules of some installs, or failed to. For
// installs that wait for no other switch it sends this switch's rule and the packets, in the order
// they came; moves take their next stage. No lock is held.
func (inst *installer) confirmed(installs []*install, err error) {
	trace.At(trace.Confirmed)
	out := inst.at.conn.Load()
	inst.run(out, func() {
		for _, w := range installs {
			if err != nil {
				w.failed = true
			}
			if w.Confirm() && !w.abandoned {
				inst.proceed(out, w)
			}
		}
	})
}

// run runs do, which writes to switches, and requests the confirmations. out is this
// switch's connection, or nil. No lock is held when it is called; do holds that of the ingress.
func (inst *installer) run(out *outlet.Conn, do func()) {
	inst.mu.Lock()
	readers := inst.confirmations.take() // the reader confirms its own
	do()
	batch := inst.confirmations.take()
	inst.confirmations = readers
	inst.mu.Unlock()
	if out != nil {
		out.Flush()
	}
	inst.confirm(batch)
}
