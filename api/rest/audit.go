package rest

import (
	"bytes"
	"context"
	"crypto/rand"
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

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/api/client"
)

// Changes says how requests that change something are served.
type Changes struct {
	Audit Auditor // records what is changed, or attempted; nil: nothing is recorded
	Now   func() time.Time
	// BodyHint says what to do with a body that is too long.
	BodyHint string
}

// trail is the way of requests that change something: each has an id, X-Request-Id, and a record in the audit log
// before it is done, which says what became of it before it is answered. Refused requests are recorded too.
type trail struct {
	Changes
	gate    *gate
	next    http.Handler
	limiter refusalLimiter
	unnoted prometheus.Counter
}

// auditObject returns what a request says beside its route, but for secrets: its query, and its
// path where that names something.
func (g *gate) auditObject(r *http.Request, route *Route) string {
	query := g.hideQuery(r.URL.RawQuery, false)
	switch {
	case !strings.Contains(route.Path, "{"):
		return query
	case query == "":
		return g.hidePath(r.URL.EscapedPath(), false)
	}
	return g.hidePath(r.URL.EscapedPath(), false) + "?" + query
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

// serve serves a request that changes something. Without a record of it in the log nothing is
// done, and it is on the disk before the answer. Of a route with AuditInStore it goes to the disk at
// the same time: the store has what became of it. Of anything else the record is there before it is done, and what became
// of it before the answer too; if that one alone cannot be written, what was done stays, and the
// first record and the alarm show it.
func (t *trail) serve(w http.ResponseWriter, r *http.Request, route *Route, by Actor) {
	r.Body = http.MaxBytesReader(w, r.Body, route.BodyBytes)
	by.Request = NewRequestID()
	w.Header().Set("X-Request-Id", by.Request)
	c := &change{By: by}
	r = r.WithContext(context.WithValue(r.Context(), changeKey{}, c))
	if t.Audit == nil {
		t.next.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		TooLong(err, route.BodyBytes, t.BodyHint).Write(w)
		return
	}
	// No id of an intent has a comma: so many items there are at least. They are not decoded where
	// they are too many.
	if route.MaxItems > 0 && bytes.Count(body, []byte(",")) >= route.MaxItems {
		route.TooMany().Write(w)
		return
	}
	c.body = body
	c.reader.Reset(body)
	r.Body = &c.reader
	record := RecordOf(t.Now(), by, route.pattern(), Truncate(t.gate.auditObject(r, route)))
	record.Detail = CutDetail(strings.ToValidUTF8(string(redactText(body[:min(len(body), maxDetail+1)])), "�"))
	synced, err := t.begin(route, record)
	if err != nil {
		NotAudited(err).Write(w)
		return
	}
	answer := &bufferedResponse{ResponseWriter: w, code: http.StatusOK}
	t.next.ServeHTTP(answer, r)
	record.Time, record.Status, record.Result = t.Now().UTC(), answer.code, resultOf(answer.code)
	record.Detail = c.Detail
	if c.Object != "" {
		record.Object = hideIssued(c.Object)
	}
	if answer.code >= 400 {
		record.Detail = hideIssued(problemDetail(answer.body.Bytes()))
	}
	if synced == nil {
		t.Audit.Write(record) // a failure has raised the alarm
	} else {
		t.Audit.Note(record)
		if err := synced(); err != nil {
			notSynced(answer.code, err).Write(w)
			return
		}
	}
	w.WriteHeader(answer.code)
	w.Write(answer.body.Bytes())
}

// NewRequestID returns the id of a request.
func NewRequestID() string {
	b := make([]byte, 8)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// RecordOf returns the record of a request before it is done.
func RecordOf(now time.Time, by Actor, what, object string) client.AuditRecord {
	return client.AuditRecord{Time: now.UTC(), ID: by.Request, Who: by.Name, Role: by.Role.String(), From: by.From,
		Via: by.Via, What: what, Object: object, Result: "begun"}
}

// begin writes the first record of a request. synced is nil where it is on the disk already.
func (t *trail) begin(route *Route, record client.AuditRecord) (synced func() error, err error) {
	if route.AuditInStore {
		return t.Audit.Begin(record)
	}
	return nil, t.Audit.Write(record)
}

// TooLong refuses a body, which could not be read because of its length; the hint says what to do.
func TooLong(err error, most int64, hint string) *Refusal {
	return Refuse(http.StatusRequestEntityTooLarge, "the body: %v: want at most %d bytes%s", err, most, hint)
}

// NotAudited refuses a request whose record cannot be written.
func NotAudited(err error) *Refusal {
	return Refuse(auditStatus(err), "nothing was changed, because the audit log cannot be written: %v", err).After(time.Second)
}

// notSynced answers a request that was done, or refused, though its record is not known to be on
// the disk.
func notSynced(code int, err error) *Refusal {
	return &Refusal{Status: auditStatus(err), Unknown: true, Detail: fmt.Sprintf(
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
	return CutDetail(p.Detail)
}

// CutDetail returns a text as a record's detail has it.
func CutDetail(s string) string {
	if len(s) > maxDetail {
		return s[:maxDetail] + "…"
	}
	return s
}

// The rate at which refused requests without a token come into the audit log: a flood must not
// push out what matters.
const (
	refusalsNoted = 20
	RefusalsEvery = time.Minute
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
	if now.Sub(f.since) >= RefusalsEvery {
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

// refused records a request that was refused before it could do anything.
func (t *trail) refused(r *http.Request, route *Route, by Actor, no *Refusal) {
	if t.Audit == nil {
		return
	}
	now := t.Now()
	note, silent := t.limiter.allow(now)
	if !note {
		t.unnoted.Inc()
		return
	}
	detail := no.Detail
	if silent > 0 {
		detail += fmt.Sprintf(" (and %d refused requests before this one that are not listed)", silent)
	}
	anonymous := by.Role == RoleNone
	if by.Name == "" {
		by.Name = "-"
	}
	what := route.pattern()
	if route == nil {
		what = Truncate(r.Method) + " " + Truncate(t.gate.hidePath(r.URL.EscapedPath(), anonymous))
	}
	t.Audit.Note(client.AuditRecord{Time: now.UTC(), Who: by.Name, Role: by.Role.String(), From: by.From, Via: by.Via, What: what,
		Object: Truncate(t.gate.hideQuery(r.URL.RawQuery, anonymous)), Result: "refused", Status: no.Status,
		Detail: CutDetail(detail)})
}
