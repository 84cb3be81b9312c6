package flowsync

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// inflightBatch is the batch in flight: sent at least in part, and not confirmed. It is of rules, or of groups and meters.
type inflightBatch struct {
	id            uint64
	barrierSent   time.Time
	rules         *ruleBatch // nil: of groups and meters
	frames        []byte     // the encoded flow-mods of rules, until they are sent
	ops           []objectOp
	messages      []openflow.Message // of ops
	sent          int                // number of messages or of rules.ops
	errorsDropped bool               // errors of the switch were dropped: the barrier reply does not confirm
}

// size returns the number of messages.
func (f *inflightBatch) size() int {
	if f.rules != nil {
		return len(f.rules.ops)
	}
	return len(f.ops)
}

// batcher has the batches in flight and how large the next may be. Batches are in flight only while the switch is ready,
// and the first of them then has a deadline. While more rules wait than fit into one, a second is in flight behind it,
// so that the switch has something to do when it answers.
type batcher struct {
	*session
	health *health
	pace   pace

	inflight    *inflightBatch // nil if none is
	behind      *inflightBatch // the second, of rules only; nil if none is
	barrierTime time.Duration  // smoothed time a barrier takes
	answeredAt  time.Time      // when the last batch was confirmed
	resendAt    time.Time      // when to send the rest of a batch that did not fit; zero if it did
}

// start makes f a batch in flight, the last.
func (b *batcher) start(f *inflightBatch, now time.Time) {
	b.batches++
	f.id = b.batches
	if b.inflight == nil {
		b.inflight = f
		b.health.answerDeadline = now.Add(b.config.Answer)
	} else {
		b.follow(f)
	}
	b.emit()
}

// follow sets the second batch in flight.
func (b *batcher) follow(f *inflightBatch) {
	if b.behind != nil {
		b.busy--
	}
	if b.behind = f; f != nil {
		b.busy++
	}
}

// newest is the batch in flight that was started last, nil if none is in flight.
func (b *batcher) newest() *inflightBatch {
	if b.behind != nil {
		return b.behind
	}
	return b.inflight
}

// end takes the batch in flight that was confirmed, and measures.
func (b *batcher) end(now time.Time) *inflightBatch {
	f := b.inflight
	took, since := now.Sub(f.barrierSent), f.barrierSent
	if b.barrierTime == 0 {
		b.barrierTime = took
	}
	b.barrierTime = (3*b.barrierTime + took) / 4
	if b.answeredAt.After(since) { // until then it had another to do
		since = b.answeredAt
	}
	b.pace.measured(f.size(), now.Sub(since))
	b.inflight, b.answeredAt = b.behind, now
	b.follow(nil)
	if b.health.batchAnswered(); b.inflight != nil {
		b.health.answerDeadline = now.Add(b.config.Answer)
	}
	return f
}

// abandon gives up what is in flight, whose fate is unknown.
func (b *batcher) abandon() {
	for _, f := range []*inflightBatch{b.inflight, b.behind} {
		if f != nil && f.rules != nil {
			f.rules.abandon()
		}
	}
	b.inflight = nil
	b.follow(nil)
}

// emit hands the rest of the batch in flight to the loop.
func (b *batcher) emit() {
	b.resendAt = time.Time{}
	f := b.newest()
	rest := Batch{Address: b.address(), ID: f.id, Frames: f.frames}
	if f.rules == nil {
		rest.From, rest.Messages = f.sent, f.messages[f.sent:]
	} else if f.frames != nil {
		rest.Count, rest.Removals, f.frames = f.size(), f.rules.removals, nil
	}
	b.ready.Batches = append(b.ready.Batches, rest)
}

// onSent records how much of the batch in flight the session has accepted.
func (b *batcher) onSent(in Sent, now time.Time) {
	f := b.newest()
	if f == nil {
		return
	}
	switch {
	case f.rules == nil || f.sent > 0: // of encoded ones, only the barrier had not been sent
	case in.Frames:
		f.sent = len(f.rules.ops)
		b.counters.FlowMods += uint64(f.sent)
		f.rules.accepted()
	default:
		if b.behind != nil {
			b.follow(nil)
		} else {
			b.inflight, b.health.answerDeadline = nil, time.Time{}
		}
		b.pace.halve()
		f.rules.requeue()
	}
	if f.rules == nil {
		for range min(in.Messages, len(f.ops)-f.sent) {
			if f.messages[f.sent].Type() == openflow.TypeGroupMod {
				b.counters.GroupMods++
			} else {
				b.counters.MeterMods++
			}
			f.sent++
		}
	}
	if in.Barrier {
		f.barrierSent = now
		b.counters.Barriers++
		return
	}
	b.counters.Full++
	b.resendAt = now.Add(b.config.Resend)
}

// onRefused records an error for the message it answers. It takes effect with the barrier reply.
func (b *batcher) onRefused(in Refused) {
	f := b.inflight
	if b.behind != nil && b.behind.id == in.Batch {
		f = b.behind
	}
	if f == nil || f.id != in.Batch || in.Index >= f.sent {
		return
	}
	if f.rules != nil {
		f.rules.markRefused(in.Index, &in.Error)
		b.counters.Refused++
		return
	}
	if o := &f.ops[in.Index]; o.refused == nil {
		e := in.Error
		e.Data = nil
		o.refused = &e
		b.counters.Refused++
	}
}
