package rest

import (
	"net/http"
	"sync/atomic"
	"time"
)

// PacedWriter writes an answer that has no limit of length: each write may take Limits.Write.
type PacedWriter struct {
	http.ResponseWriter
	Ctl     *http.ResponseController
	limit   atomic.Int64 // nanoseconds
	Written int64        // bytes written
}

// NewPaced returns a writer whose writes may each take that long.
func NewPaced(w http.ResponseWriter, limit time.Duration) *PacedWriter {
	p := &PacedWriter{ResponseWriter: w, Ctl: http.NewResponseController(w)}
	p.limit.Store(int64(limit))
	return p
}

// Hurry has the write that goes on, and those after it, take that long at most. It may be called from
// any goroutine.
func (p *PacedWriter) Hurry(limit time.Duration) {
	p.limit.Store(int64(limit))
	p.Ctl.SetWriteDeadline(deadline(limit))
}

// Unwrap lets http.ResponseController reach the connection.
func (p *PacedWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Write implements io.Writer.
func (p *PacedWriter) Write(b []byte) (int, error) {
	for before := int64(-1); before != p.limit.Load(); { // again where Hurry came between
		before = p.limit.Load()
		p.Ctl.SetWriteDeadline(deadline(time.Duration(before)))
	}
	n, err := p.ResponseWriter.Write(b)
	p.Written += int64(n)
	return n, err
}

// Send writes, and waits until the client, or the system for it, has taken all.
func (p *PacedWriter) Send(b []byte) error {
	if _, err := p.Write(b); err != nil {
		return err
	}
	return p.Ctl.Flush()
}
