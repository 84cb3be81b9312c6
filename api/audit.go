package api

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/weirnet/weir/api/client"
)

// auditObject returns what a request says beside its route, but for secrets: its query, and its
// path where that names something.
func (g *gate) auditObject(r *http.Request, route *Route) string {
	query := g.hideQuery(r.URL.RawQuery, false)
	switch {
	case !strings.Contains(route.Path, "{"):
		return query
	case query == "":
		return r.URL.EscapedPath()
	}
	return r.URL.EscapedPath() + "?" + query
}

// bufferedResponse is an answer that waits for the audit log.
type bufferedResponse struct {
	http.ResponseWriter
	code int
	body bytes.Buffer
}

// WriteHeader notes the status.
func (b *bufferedResponse) WriteHeader(code int) { b.code = code }

// Write keeps a part of the body.
func (b *bufferedResponse) Write(part []byte) (int, error) { return b.body.Write(part) }

// audited serves a request that changes something. Without a record of it in the log nothing is
// done, and it is on the disk before the answer. Intents go to the disk at the same time: the store
// has what became of them. Of anything else the record is there before it is done, and what became
// of it before the answer too; if that one alone cannot be written, what was done stays, and the
// first record and the alarm show it.
func (s *Server) audited(w http.ResponseWriter, r *http.Request, route *Route, by Actor) {
	r.Body = http.MaxBytesReader(w, r.Body, route.BodyBytes)
	by.Request = hex.EncodeToString(random(8))
	w.Header().Set("X-Request-Id", by.Request)
	c := &change{by: by}
	r = r.WithContext(context.WithValue(r.Context(), changeKey{}, c))
	if s.cfg.Audit == nil {
		s.router.mux.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		tooLong(err, route.BodyBytes).write(w)
		return
	}
	// No id of an intent has a comma: so many items there are at least. They are not decoded where
	// they are too many.
	if route.MaxItems > 0 && bytes.Count(body, []byte(",")) >= route.MaxItems {
		s.tooMany().write(w)
		return
	}
	c.body = body
	c.reader.Reset(body)
	r.Body = &c.reader
	record := s.begun(by, route.pattern(), truncate(s.auditObject(r, route)))
	record.Detail = cut(strings.ToValidUTF8(string(redactText(body[:min(len(body), maxDetail+1)])), "�"))
	synced, err := s.beginRecord(route, record)
	if err != nil {
		notAudited(err).write(w)
		return
	}
	answer := &bufferedResponse{ResponseWriter: w, code: http.StatusOK}
	s.router.mux.ServeHTTP(answer, r)
	record.Time, record.Status, record.Result = s.cfg.Now().UTC(), answer.code, resultOf(answer.code)
	record.Detail = c.detail
	if c.object != "" {
		record.Object = c.object
	}
	if answer.code >= 400 {
		record.Detail = problemDetail(answer.body.Bytes())
	}
	if synced == nil {
		s.cfg.Audit.Write(record) // a failure has raised the alarm
	} else {
		s.cfg.Audit.Note(record)
		if err := synced(); err != nil {
			notSynced(answer.code, err).write(w)
			return
		}
	}
	w.WriteHeader(answer.code)
	w.Write(answer.body.Bytes())
}

// begun returns the record of a request before it is done.
func (s *Server) begun(by Actor, what, object string) client.AuditRecord {
	return client.AuditRecord{Time: s.cfg.Now().UTC(), ID: by.Request, Who: by.Name, Role: by.Role.String(), From: by.From,
		What: what, Object: object, Result: "begun"}
}

// beginRecord writes the first record of a request. synced is nil where it is on the disk already.
func (s *Server) beginRecord(route *Route, record client.AuditRecord) (synced func() error, err error) {
	if route.AuditInStore {
		return s.cfg.Audit.Begin(record)
	}
	return nil, s.cfg.Audit.Write(record)
}

// notAudited refuses a request whose record cannot be written.
func notAudited(err error) *refusal {
	return refuse(auditStatus(err), "nothing was changed, because the audit log cannot be written: %v", err).after(time.Second)
}

// notSynced answers a request that was done, or refused, though its record is not known to be on
// the disk.
func notSynced(code int, err error) *refusal {
	return &refusal{status: auditStatus(err), unknown: true, detail: fmt.Sprintf(
		"the answer was %d %s, but the record of it in the audit log is not known to be on the disk: %v", code,
		http.StatusText(code), err)}
}

func auditStatus(err error) int {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return http.StatusInsufficientStorage
	}
	return http.StatusServiceUnavailable
}

func resultOf(code int) string {
	switch {
	case code < 400:
		return "done"
	case code < 500:
		return "refused"
	}
	return "failed"
}

// maxDetail bounds a record's detail, in bytes.
const maxDetail = 2000

func problemDetail(body []byte) string {
	var p client.Problem
	json.Unmarshal(body, &p)
	return cut(p.Detail)
}

func cut(s string) string {
	if len(s) > maxDetail {
		return s[:maxDetail] + "…"
	}
	return s
}

// The rate at which refused requests without a token come into the audit log: a flood must not
// push out what matters.
const (
	refusalsNoted = 20
	refusalsEvery = time.Minute
)

// refusalLimiter counts the refused requests of a while.
type refusalLimiter struct {
	mu         sync.Mutex
	since      time.Time
	noted      int
	unreported int // refused and not noted
}

// allow reports whether one more is noted, and how many were not since the last that was.
func (f *refusalLimiter) allow(now time.Time) (note bool, silent int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.since) >= refusalsEvery {
		f.since, f.noted = now, 0
	}
	if f.noted >= refusalsNoted {
		f.unreported++
		return false, 0
	}
	f.noted++
	silent, f.unreported = f.unreported, 0
	return true, silent
}

// noteRefused records a request that was refused before it could do anything.
func (s *Server) noteRefused(r *http.Request, route *Route, by Actor, no *refusal) {
	if s.cfg.Audit == nil {
		return
	}
	now := s.cfg.Now()
	note, silent := s.refusals.allow(now)
	if !note {
		s.metrics.unnoted.Inc()
		return
	}
	detail := no.detail
	if silent > 0 {
		detail += fmt.Sprintf(" (and %d refused requests before this one that are not listed)", silent)
	}
	anonymous := by.Role == RoleNone
	if by.Name == "" {
		by.Name = "-"
	}
	what := route.pattern()
	if route == nil {
		what = truncate(r.Method) + " " + truncate(s.hidePath(r.URL.EscapedPath(), anonymous))
	}
	s.cfg.Audit.Note(client.AuditRecord{Time: now.UTC(), Who: by.Name, Role: by.Role.String(), From: by.From, What: what,
		Object: truncate(s.hideQuery(r.URL.RawQuery, anonymous)), Result: "refused", Status: no.status, Detail: cut(detail)})
}

type auditInput struct {
	Since time.Time `query:"since" doc:"Only records of this time or later, RFC 3339."`
	Limit int       `query:"limit" default:"1000" minimum:"1" maximum:"100000" doc:"At most so many, the newest."`
}

func (s *Server) audit(_ context.Context, in *auditInput) (*page[client.AuditRecord], error) {
	list, err := s.cfg.Audit.Read(in.Since, in.Limit)
	if err != nil {
		return nil, refuse(http.StatusServiceUnavailable, "the audit log cannot be read: %v", err)
	}
	if list == nil {
		list = []client.AuditRecord{}
	}
	return &page[client.AuditRecord]{client.Page[client.AuditRecord]{Items: list,
		Revision: s.revision(s.cfg.View.Snapshot())}}, nil
}
