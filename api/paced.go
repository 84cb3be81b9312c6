package api

import (
	"net/http"
	"time"
)

// pacedWriter writes an answer that has no limit of length: each write may take Limits.Write.
type pacedWriter struct {
	http.ResponseWriter
	ctl   *http.ResponseController
	limit time.Duration
	n     int64 // bytes written
}

func (s *Stack) paced(w http.ResponseWriter) *pacedWriter {
	return &pacedWriter{ResponseWriter: w, ctl: http.NewResponseController(w), limit: s.cfg.Limits.Write}
}

// Write implements io.Writer.
func (p *pacedWriter) Write(b []byte) (int, error) {
	p.ctl.SetWriteDeadline(deadline(p.limit))
	n, err := p.ResponseWriter.Write(b)
	p.n += int64(n)
	return n, err
}

// send writes, and waits until the client, or the system for it, has taken all.
func (p *pacedWriter) send(b []byte) error {
	if _, err := p.Write(b); err != nil {
		return err
	}
	return p.ctl.Flush()
}
