package session

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// reader is the goroutine of a session, and all that only it touches: it reads, has the core step, hands over to the
// handler, and writes what was answered. A Stepper does the same without a goroutine.
type reader struct {
	s        *Session
	core     *Core // of the session, which nobody else steps
	handler  delivery
	input    input
	counted  int64     // held bytes that the group has counted
	newUntil time.Time // until when the ports of a new switch count as held; zero: they do not
}

// newReader makes that of a session. Exactly one of the handlers is not nil.
func newReader(s *Session, h Handler, sw SwitchHandler) *reader {
	r := &reader{s: s, core: s.protocol.core, handler: newDelivery(s, h, sw)}
	if s.cfg.NewSwitch != nil && sw == nil {
		r.core.handshake.roomCheck = r.roomForPorts
	}
	_, r.core.ofSwitch.barriers = sw.(BarrierHandler)
	return r
}

// paused reports whether the peer is read slowly, since it does not take what it is sent.
func (r *reader) paused() bool { return r.s.out.queue.size.Load() > r.s.out.queue.high.Load() }

// room is where the next read goes: little of it while the peer does not take what it is sent, so
// that what it sends meanwhile costs others nothing.
func (r *reader) room() []byte {
	b := r.input.room()
	if r.paused() {
		return b[:min(len(b), pausedRead)]
	}
	return b
}

// open begins the conversation on a connection that has been there since a time.
func (r *reader) open(since time.Time) {
	r.apply(r.s.protocol.start(since))
	r.s.out.begin()
	r.s.out.flush()
}

// batch hands over what was read, and writes what was answered.
func (r *reader) batch(n int) {
	out := &r.s.out
	r.s.in.bytes.Add(uint64(n))
	r.input.filled(n)
	turns := r.handler.turns
	if turns != nil && !turns.BeginTurn() {
		return
	}
	out.begin()
	sense := r.core.plausible
	for r.core.out.reason == nil {
		frame, ok := r.input.next(sense)
		if !ok {
			break
		}
		r.receive(frame)
		if turns != nil && turns.TurnOver() && !r.nextTurn() {
			return
		}
		if out.queue.size.Load() >= flushBytes {
			out.flush()
			out.begin()
		}
	}
	r.input.adapt()
	if r.input.large() && !r.s.large.Load() {
		r.s.large.Store(true)
	}
	r.batchEnd()
	out.flush()
	if turns != nil {
		turns.EndTurn()
	}
}

// nextTurn ends a turn in the middle of a batch, and begins the next one; false: there is none.
func (r *reader) nextTurn() bool {
	r.batchEnd()
	r.s.out.flush()
	if !r.handler.turns.NextTurn() {
		return false
	}
	r.s.out.begin()
	return true
}

// receive takes one message that was read: the hot ones of a connected session go straight to the
// handler, all others through the core.
func (r *reader) receive(frame []byte) {
	in := &r.s.in
	if r.handler.connected && frame[0] == uint8(r.core.out.version) {
		h, err := openflow.ParseHeader(frame)
		if err == nil && (r.handler.fast(h, frame) || h.Type == openflow.TypeMultipartReply && r.part(h, frame)) {
			in.count(h.Type)
			return
		}
	}
	r.apply(r.s.protocol.step(Input{Frame: frame, Read: in.bytes.Load()}))
	if h, err := openflow.ParseHeader(frame); err == nil {
		in.count(h.Type)
	}
}

// apply queues what the core sends and delivers its events.
func (r *reader) apply(ready Ready) {
	if len(ready.Send) > 0 {
		r.s.out.answers(ready.Send)
	}
	for i := range ready.Events {
		r.event(&ready.Events[i])
	}
}

func (r *reader) event(e *Event) {
	switch e.Kind {
	case EventConnected:
		r.connected()
	case EventIdentified:
		r.s.server.identified(r.s)
	case EventAlive:
		r.s.server.alive(r.s)
	case EventAnswer:
		e.answer(e.Message, e.err)
	case EventFeatures:
		r.handler.features(e.Header)
	case EventMessage:
		r.handler.message(e)
	}
}

// connected is called when the handshake is done. An older session of the switch has ended: that came
// before the admission.
func (r *reader) connected() {
	s, p := r.s, &r.s.protocol
	p.mu.Lock()
	p.features = r.core.handshake.features
	p.features.Remote = s.conn.RemoteAddr()
	p.mu.Unlock()
	s.out.connected(r.core.out.version)
	s.group.connected(s)
	if s.server != nil {
		s.server.connected(s)
	}
	r.handler.connect()
}

// batchEnd reports to the handler that all input is handed over, and to the group what is held.
func (r *reader) batchEnd() {
	if r.core.end == ControllerEnd {
		r.hold()
	}
	r.handler.batchEnd()
}

// onDeadline acts on a deadline of the core and on prompts, and frees large buffers that were not needed lately.
func (r *reader) onDeadline() {
	s := r.s
	r.input.shrink()
	s.large.Store(r.input.large())
	s.out.queue.trim()
	if c, ok := s.conn.(*secureConn); ok {
		c.wire.trim()
	}
	s.out.begin()
	if v := s.prompts.admission.Swap(nil); v != nil {
		r.apply(s.protocol.step(Input{Admission: v}))
	}
	if s.prompts.checkDuplicate.Swap(false) {
		r.apply(s.protocol.step(Input{CheckAlive: true}))
	}
	in := Input{Read: s.in.bytes.Load()}
	in.Written, in.Waiting = s.out.queue.progress()
	r.apply(s.protocol.step(in))
	r.batchEnd()
	s.out.flush()
}

// finish ends the session: open requests are answered, what is queued is written if that was our
// own decision, and the handler is notified.
func (r *reader) finish(reason error, ours bool) {
	s, out := r.s, &r.s.out
	reason = closed(reason)
	out.queue.end(reason)
	r.apply(s.protocol.end(reason))
	if ours {
		_ = s.conn.SetWriteDeadline(s.group.now().Add(lingerLimit))
		out.begin()
		out.flush()
		if !out.stepped {
			out.queue.awaitIdle()
		}
	}
	s.conn.Close()
	if out.stepped {
		out.abandon()
	}
	out.queue.awaitIdle()
	r.notifyEnd(reason)
	if s.server != nil {
		s.server.ended(s)
	}
	s.group.remove(s)
	close(s.done)
}

// notifyEnd reports the end of the session to the handler, or to Config.Refused if it was refused.
func (r *reader) notifyEnd(reason error) {
	if r.handler.connected {
		r.handler.to.Disconnected(r.s, reason)
		return
	}
	f := &r.core.handshake.features
	refusal := Refusal{r.s.conn.RemoteAddr(), f.Datapath, f.Version != 0, reason}
	switch {
	case r.s.server != nil:
		r.s.server.refuse(refusal)
	case r.s.cfg.Refused != nil:
		r.s.cfg.Refused(refusal)
	}
	if h, ok := r.handler.switchSide.(RefusedHandler); ok {
		h.Refused(reason)
	}
}
