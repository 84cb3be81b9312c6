package api

import (
	"encoding/hex"
	"fmt"
	"net/http"
)

// backup sends a snapshot of the store as it is made. The cluster's key is in it, so it is for
// admins, and who asked is in the audit log before the first byte. A snapshot that fails is cut
// off: its end, a checksum, is missing.
func (s *Server) backup(w http.ResponseWriter, r *http.Request) {
	by := actorOf(r.Context())
	if s.cfg.Backup == nil {
		refuse(http.StatusNotFound, "this instance has no store").write(w)
		return
	}
	by.Request = hex.EncodeToString(random(8))
	record := s.begun(by, "GET "+backupPath, "backup")
	w.Header().Set("X-Request-Id", record.ID)
	if s.cfg.Audit != nil {
		if err := s.cfg.Audit.Write(record); err != nil {
			refuse(http.StatusServiceUnavailable, "no backup was made, because the audit log cannot be written: %v", err).write(w)
			return
		}
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	out := s.paced(w)
	err := s.cfg.Backup(r.Context(), out)
	record.Time, record.Result, record.Status = s.cfg.Now().UTC(), "done", http.StatusOK
	record.Detail = fmt.Sprintf("%d bytes", out.n)
	if err != nil {
		record.Result, record.Status, record.Detail = "failed", http.StatusServiceUnavailable, cut(err.Error())
		if out.n == 0 {
			refuse(http.StatusServiceUnavailable, "no backup was made: %v", err).write(w)
		}
	}
	if s.cfg.Audit != nil {
		s.cfg.Audit.Write(record) // a failure has raised the alarm
	}
}
