package rest

import (
	"net/http"
	"time"
)

// PacedWriter writes an answer that has no limit of length: each write may take Limits.Write.
type PacedWriter struct {
	http.ResponseWriter
	Ctl     *http.ResponseController
	limit   time.Duration
	Written int64 // bytes written
}

// NewPaced returns a writer whose writes may each take that long.
func NewPaced(w http.ResponseWriter, limit time.Duration) *PacedWriter {
	return &PacedWriter{ResponseWriter: w, Ctl: http.NewResponseController(w), limit: limit}
}

// Write implements io.Writer.
func (p *PacedWriter) Write(b []byte) (int, error) {
	p.Ctl.SetWriteDeadline(deadline(p.limit))
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
