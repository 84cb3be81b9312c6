package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/client"
)

// refusal is a request that is not done: an HTTP status, and what was given, what was expected and
// what to do.
type refusal struct {
	status     int
	detail     string
	retryAfter time.Duration // 0: not said
	close      bool          // the connection is of no more use
	unknown    bool          // it may have been done, or may still be
}

// outcomeHeader is set to "unknown" where it is not known whether what was asked for was done, or
// still will be.
const outcomeHeader = "Weir-Outcome"

// write answers application/problem+json.
func (p *refusal) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	switch p.status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="weir"`)
	case http.StatusTooManyRequests:
		h.Set("Retry-After", retryAfter(p.retryAfter))
	}
	if p.retryAfter > 0 {
		h.Set("Retry-After", retryAfter(p.retryAfter))
	}
	if p.close {
		h.Set("Connection", "close")
	}
	if p.unknown {
		h.Set(outcomeHeader, "unknown")
	}
	w.WriteHeader(p.status)
	json.NewEncoder(w).Encode(client.Problem{Title: http.StatusText(p.status), Status: p.status, Detail: p.detail})
}

// detailErrors is a huma transformer: it says in the detail of a problem which parameter was wrong
// and why.
func detailErrors(_ huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok || len(m.Errors) == 0 {
		return v, nil
	}
	reasons := make([]string, len(m.Errors))
	for i, e := range m.Errors {
		reasons[i] = strings.TrimSpace(e.Location + ": " + e.Message)
		if given := fmt.Sprint(e.Value); e.Value != nil && given != "" {
			reasons[i] += " (" + truncate(string(redactText([]byte(given)))) + " was given)"
		}
	}
	return &huma.ErrorModel{Title: m.Title, Status: m.Status, Detail: strings.Join(reasons, "; ")}, nil
}
