package intents

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/store/journal"
)

// stream is one stream of requests. The request's goroutine reads, a second one writes the
// answers; the queue between them holds what waits for the store, in order, and when it is full
// nothing more is read.
type stream struct {
	engine   Engine
	audit    rest.Auditor // nil: nothing is recorded
	limits   rest.Limits
	now      func() time.Time
	out      *rest.PacedWriter
	protobuf bool
	record   client.AuditRecord

	spare  *spareMemory
	queue  chan *inflightBatch
	free   chan *inflightBatch
	ended  chan struct{}
	cancel context.CancelFunc
	// over is why nothing more is taken, once the caller's token is over.
	over atomic.Pointer[rest.Refusal]
	// Of the writer.
	broken bool // the caller takes no answers
	total  tally
	heard  time.Time // when the store answered last a batch that was waited for
}

// streams serve streams of requests, and bound how many there are.
type streams struct {
	engine Engine       // nil: there are none
	audit  rest.Auditor // nil: nothing is recorded
	limits rest.Limits
	now    func() time.Time
	open   atomic.Int64
	spare  spareMemory
}

// spareMemory is what streams that have ended leave to others: most are short.
type spareMemory struct{ batches, readers sync.Pool }

// batch returns a batch to fill.
func (m *spareMemory) batch() *inflightBatch {
	if f, ok := m.batches.Get().(*inflightBatch); ok {
		return f
	}
	return &inflightBatch{done: make(chan struct{}, 1)}
}

// takeBatch takes a batch that nobody uses any more.
func (m *spareMemory) takeBatch(f *inflightBatch) {
	f.Reset()
	f.parts = nil
	m.batches.Put(f)
}

// reader returns memory for a reader.
func (m *spareMemory) reader() *readerMemory {
	if r, ok := m.readers.Get().(*readerMemory); ok {
		return r
	}
	return newReaderMemory()
}

// serve answers requests while more come: one answer each, in order. It is false where the request is no stream.
func (s *streams) serve(w http.ResponseWriter, r *http.Request, by rest.Actor) bool {
	form := streamType(r)
	if form == "" {
		return false
	}
	if s.engine == nil {
		intentsDisabled.Write(w)
		return true
	}
	if r.URL.RawQuery != "" {
		rest.Refuse(http.StatusUnprocessableEntity, "a query was given, and a stream takes none").Write(w)
		return true
	}
	defer s.open.Add(-1)
	if s.open.Add(1) > int64(s.limits.IntentStreams) {
		rest.Refuse(http.StatusTooManyRequests, "%d streams of intents are open, and no more are allowed: close one, or try again later",
			s.limits.IntentStreams).After(5 * time.Second).Write(w)
		return true
	}
	by.Request = rest.NewRequestID()
	record := rest.RecordOf(s.now(), by, "POST "+intentsPath, "a stream of intents")
	st := newStream(s, rest.NewPaced(w, s.limits.Write), form, record)
	if s.audit != nil {
		if err := s.audit.Write(st.record); err != nil {
			rest.NotAudited(err).Write(w)
			return true
		}
	}
	h := w.Header()
	h.Set("Content-Type", form)
	h.Set("X-Request-Id", by.Request)
	h.Set("X-Accel-Buffering", "no")
	st.run(r, by)
	return true
}

func newStream(of *streams, out *rest.PacedWriter, form string, record client.AuditRecord) *stream {
	return &stream{engine: of.engine, audit: of.audit, limits: of.limits, now: of.now, out: out,
		protobuf: form != ndjson, record: record, spare: &of.spare, queue: make(chan *inflightBatch, maxStreamBatches),
		free: make(chan *inflightBatch, maxStreamBatches), ended: make(chan struct{})}
}

func (st *stream) run(r *http.Request, by rest.Actor) {
	st.out.Ctl.EnableFullDuplex() // HTTP/2 is so anyway
	st.out.Ctl.SetReadDeadline(time.Now().Add(st.limits.StreamIdle))
	st.out.Ctl.SetWriteDeadline(time.Now().Add(st.limits.Write))
	if r.Header.Get("Expect") != "" { // the caller waits for leave to send, which reading would give too late
		st.out.WriteHeader(http.StatusContinue)
	}
	st.out.WriteHeader(http.StatusOK)
	if st.out.Ctl.Flush() != nil {
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	st.cancel = cancel
	_, done := by.Until(r.Context(), st.endWithToken)
	defer done()
	go st.write()
	memory := st.spare.reader()
	defer st.spare.readers.Put(memory)
	q := newRequestReader(r.Body, st.protobuf, memory)
	for {
		f := st.freeBatch()
		st.out.Ctl.SetReadDeadline(time.Now().Add(st.limits.StreamIdle)) // from now on: the store may have taken long
		more := ctx.Err() == nil && st.over.Load() == nil && q.next(f)   // in this order: who cancels sets a deadline then
		if more && st.over.Load() != nil {
			more, q.index = false, f.first // it may have come after the end
		}
		if !more {
			st.spare.takeBatch(f)
			break
		}
		st.submit(ctx, f)
		select {
		case st.queue <- f:
		case <-ctx.Done(): // the engine may still use it
		}
	}
	close(st.queue)
	<-st.ended
	close(st.free)
	for f := range st.free {
		st.spare.takeBatch(f)
	}
	if no := st.over.Load(); no != nil && !st.broken {
		st.send(appendRefused(nil, q.index, no, st.protobuf))
	}
	st.finish(q)
}

// endWithToken has nothing more taken of a caller whose token is over; what was taken is answered.
func (st *stream) endWithToken(why *rest.Refusal) {
	st.over.Store(why)
	st.out.Ctl.SetReadDeadline(time.Unix(1, 0)) // the reader may be waiting
}

// freeBatch returns a batch to fill.
func (st *stream) freeBatch() *inflightBatch {
	select {
	case f := <-st.free:
		return f
	default:
		return st.spare.batch()
	}
}

// submit hands a batch to the engine, in parts that are taken whole or not at all. While too much
// waits it tries again, and nothing more is read meanwhile. After a part that is not taken none of
// the batch is.
func (st *stream) submit(ctx context.Context, f *inflightBatch) {
	f.sent = time.Now()
	f.parts = intent.NewParts(len(f.Requests), func([]intent.Answer, error) { f.done <- struct{}{} })
	if err := f.parts.Submit(func(from, upto int, ended func([]intent.Answer, error)) error {
		err := st.submitPart(ctx, f.Requests[from:upto], ended)
		runtime.Gosched() // the store begins with it while the next is made
		return err
	}); err != nil {
		f.done <- struct{}{}
	}
}

func (st *stream) submitPart(ctx context.Context, part []intent.Request, done func([]intent.Answer, error)) error {
	pause := time.Millisecond
	for {
		err := st.engine.SubmitAsync(part, false, done)
		if err == nil || !overloaded(err) || !beat.Sleep(ctx, pause) {
			return err
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
}

func overloaded(err error) bool {
	return errors.As(err, new(*intent.Overload)) || errors.Is(err, journal.ErrOverload)
}

// answered waits for the answers to a batch, and reports whether they have come before the store
// was silent for Limits.StoreAnswer: since it was given the batch, or answered one before.
func (st *stream) answered(f *inflightBatch) bool {
	select {
	case <-f.done:
		return true
	default:
	}
	since := f.sent
	if st.heard.After(since) {
		since = st.heard
	}
	late := time.NewTimer(time.Until(since.Add(st.limits.StoreAnswer)))
	defer late.Stop()
	select {
	case <-f.done:
		st.heard = time.Now()
		return true
	case <-late.C:
		return false
	}
}

// write answers batches in order, each in time. It ends when the reader has ended and all is
// answered. When the caller takes no answers it ends the reader.
func (st *stream) write() {
	defer close(st.ended)
	var buf []byte
	noted := time.Now()
	for f := range st.queue {
		inTime := st.answered(f)
		buf = appendBatchAnswers(buf, f, !inTime, st.protobuf, &st.total)
		if inTime {
			select {
			case st.free <- f:
			default:
				st.spare.takeBatch(f)
			}
		}
		if len(st.queue) == 0 || len(buf) >= streamBuffer {
			st.send(buf)
			buf = buf[:0]
		}
		if now := time.Now(); now.Sub(noted) >= time.Second {
			noted = now
			st.note("going on")
		}
	}
}

func (st *stream) send(b []byte) {
	if st.broken || len(b) == 0 {
		return
	}
	if st.out.Send(b) != nil {
		st.broken = true
		st.cancel()
		st.out.Ctl.SetReadDeadline(time.Unix(1, 0)) // the reader may be waiting
	}
}

// note records what was done so far: one record a second, and none for an intent.
func (st *stream) note(result string) {
	if st.audit == nil {
		return
	}
	r := st.record
	r.Time, r.Result, r.Detail = st.now().UTC(), result, st.total.String()
	st.audit.Note(r)
}

// finish records what became of the stream as a whole.
func (st *stream) finish(q *requestReader) {
	if st.audit == nil {
		return
	}
	r := st.record
	r.Time, r.Result, r.Status, r.Detail = st.now().UTC(), "done", http.StatusOK, st.total.String()
	switch {
	case st.broken:
		r.Result, r.Detail = "failed", r.Detail+"; the caller took no more answers"
	case st.over.Load() != nil:
		r.Result, r.Status, r.Detail = "failed", st.over.Load().Status, r.Detail+"; it was ended: "+st.over.Load().Detail
	case q.err != nil:
		r.Result, r.Detail = "failed", r.Detail+"; the stream broke: "+q.err.Error()
	}
	st.audit.Write(r) // a failure has raised the alarm
}
