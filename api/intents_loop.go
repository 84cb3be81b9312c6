package api

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"runtime"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/store/journal"
)

// intentStream is one stream of requests. The request's goroutine reads, a second one writes the
// answers; the queue between them holds what waits for the store, in order, and when it is full
// nothing more is read.
type intentStream struct {
	s        *Server
	out      *pacedWriter
	protobuf bool
	record   client.AuditRecord

	queue  chan *inflightBatch
	free   chan *inflightBatch
	ended  chan struct{}
	cancel context.CancelFunc
	// Of the writer.
	broken bool // the caller takes no answers
	total  tally
	heard  time.Time // when the store answered last a batch that was waited for
}

// streamIntents answers requests while more come: one answer each, in order.
func (s *Server) streamIntents(w http.ResponseWriter, r *http.Request, by Actor, form string) {
	if s.cfg.Intents == nil {
		intentsDisabled.write(w)
		return
	}
	if r.URL.RawQuery != "" {
		refuse(http.StatusUnprocessableEntity, "a query was given, and a stream takes none").write(w)
		return
	}
	if s.intentStreams.Add(1) > int64(s.cfg.Limits.IntentStreams) {
		s.intentStreams.Add(-1)
		refuse(http.StatusTooManyRequests, "%d streams of intents are open, and no more are allowed: close one, or try again later",
			s.cfg.Limits.IntentStreams).after(5 * time.Second).write(w)
		return
	}
	defer s.intentStreams.Add(-1)
	by.Request = hex.EncodeToString(random(8))
	st := &intentStream{s: s, out: s.paced(w), protobuf: form != ndjson,
		queue: make(chan *inflightBatch, maxStreamBatches), free: make(chan *inflightBatch, maxStreamBatches),
		ended: make(chan struct{}), record: s.begun(by, "POST "+intentsPath, "a stream of intents")}
	if s.cfg.Audit != nil {
		if err := s.cfg.Audit.Write(st.record); err != nil {
			notAudited(err).write(w)
			return
		}
	}
	h := w.Header()
	h.Set("Content-Type", form)
	h.Set("X-Request-Id", by.Request)
	h.Set("X-Accel-Buffering", "no")
	st.run(r)
}

func (st *intentStream) run(r *http.Request) {
	st.out.ctl.EnableFullDuplex() // HTTP/2 is so anyway
	st.out.ctl.SetReadDeadline(deadline(st.s.cfg.Limits.StreamIdle))
	st.out.ctl.SetWriteDeadline(deadline(st.s.cfg.Limits.Write))
	if r.Header.Get("Expect") != "" { // the caller waits for leave to send, which reading would give too late
		st.out.WriteHeader(http.StatusContinue)
	}
	st.out.WriteHeader(http.StatusOK)
	if st.out.ctl.Flush() != nil {
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	st.cancel = cancel
	go st.write()
	q := newRequestReader(r.Body, st.protobuf)
	for {
		f := st.freeBatch()
		st.out.ctl.SetReadDeadline(deadline(st.s.cfg.Limits.StreamIdle)) // from now on: the store may have taken long
		if ctx.Err() != nil || !q.next(f) {                              // in this order: who cancels sets a deadline then
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
	st.finish(q)
}

// freeBatch returns a batch to fill.
func (st *intentStream) freeBatch() *inflightBatch {
	select {
	case f := <-st.free:
		return f
	default:
		return &inflightBatch{done: make(chan struct{}, 1)}
	}
}

// submit hands a batch to the engine, in parts that are taken whole or not at all. While too much
// waits it tries again, and nothing more is read meanwhile. After a part that is not taken none of
// the batch is.
func (st *intentStream) submit(ctx context.Context, f *inflightBatch) {
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

func (st *intentStream) submitPart(ctx context.Context, part []intent.Request, done func([]intent.Answer, error)) error {
	pause := time.Millisecond
	for {
		err := st.s.cfg.Intents.SubmitAsync(part, false, done)
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
func (st *intentStream) answered(f *inflightBatch) bool {
	select {
	case <-f.done:
		return true
	default:
	}
	since := f.sent
	if st.heard.After(since) {
		since = st.heard
	}
	late := time.NewTimer(time.Until(since.Add(st.s.cfg.Limits.StoreAnswer)))
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
func (st *intentStream) write() {
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

func (st *intentStream) send(b []byte) {
	if st.broken || len(b) == 0 {
		return
	}
	if st.out.send(b) != nil {
		st.broken = true
		st.cancel()
		st.out.ctl.SetReadDeadline(time.Unix(1, 0)) // the reader may be waiting
	}
}

// note records what was done so far: one record a second, and none for an intent.
func (st *intentStream) note(result string) {
	if st.s.cfg.Audit == nil {
		return
	}
	r := st.record
	r.Time, r.Result, r.Detail = st.s.cfg.Now().UTC(), result, st.total.String()
	st.s.cfg.Audit.Note(r)
}

// finish records what became of the stream as a whole.
func (st *intentStream) finish(q *requestReader) {
	if st.s.cfg.Audit == nil {
		return
	}
	r := st.record
	r.Time, r.Result, r.Status, r.Detail = st.s.cfg.Now().UTC(), "done", http.StatusOK, st.total.String()
	switch {
	case st.broken:
		r.Result, r.Detail = "failed", r.Detail+"; the caller took no more answers"
	case q.err != nil:
		r.Result, r.Detail = "failed", r.Detail+"; the stream broke: "+q.err.Error()
	}
	st.s.cfg.Audit.Write(r) // a failure has raised the alarm
}
