package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/weirnet/weir/api/rest"
)

// backup is the route that sends what the store holds.
type backup struct {
	write      func(context.Context, io.Writer) error // nil: there is no store
	log        rest.Auditor                           // nil: nothing is audited
	writeLimit time.Duration                          // of one write
	now        func() time.Time
}

func (s *backup) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: backupPath, ID: "backup", Handler: rest.Plain(s.send), Role: rest.RoleAdmin,
			Content: "application/octet-stream", Summary: "What the store holds, as weir restore takes it; needs role admin"},
	}
}

// send sends a snapshot of the store as it is made. The cluster's key is in it, so it is for
// admins, and who asked is in the audit log before the first byte. A snapshot that fails is cut
// off: its end, a checksum, is missing.
func (s *backup) send(w http.ResponseWriter, r *http.Request) {
	by := rest.ActorOf(r.Context())
	if s.write == nil {
		rest.Refuse(http.StatusNotFound, "this instance has no store").Write(w)
		return
	}
	by.Request = rest.NewRequestID()
	record := rest.RecordOf(s.now(), by, "GET "+backupPath, "backup")
	w.Header().Set("X-Request-Id", record.ID)
	if s.log != nil {
		if err := s.log.Write(record); err != nil {
			rest.Refuse(http.StatusServiceUnavailable, "no backup was made, because the audit log cannot be written: %v", err).Write(w)
			return
		}
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	out := rest.NewPaced(w, s.writeLimit)
	err := s.write(r.Context(), out)
	record.Time, record.Result, record.Status = s.now().UTC(), "done", http.StatusOK
	record.Detail = fmt.Sprintf("%d bytes", out.Written)
	if err != nil {
		record.Result, record.Status, record.Detail = "failed", http.StatusServiceUnavailable, rest.CutDetail(err.Error())
		if out.Written == 0 {
			rest.Refuse(http.StatusServiceUnavailable, "no backup was made: %v", err).Write(w)
		}
	}
	if s.log != nil {
		s.log.Write(record) // a failure has raised the alarm
	}
}
