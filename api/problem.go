package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/client"
)

// problemType is the media type of a problem.
const problemType = "application/problem+json"

// refusal is a request that is not done: an HTTP status, and what was given, what was expected and
// what to do. It is written as a client.Problem, by write or, as an error of a Typed handler, by
// huma.
type refusal struct {
	status     int
	detail     string
	problems   []client.ConfigProblem // all that is wrong with a configuration
	retryAfter time.Duration          // 0: not said
	close      bool                   // the connection is of no more use
	unknown    bool                   // it may have been done, or may still be
	reason     string                 // why the gate refused it: "host", "origin", "token"; empty: it did not
}

// refuse returns a refusal with a detail as fmt.Sprintf makes it.
func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status: status, detail: fmt.Sprintf(format, args...)}
}

// Refuse returns an error of a Typed handler that is answered with a status, and a problem with this
// detail.
func Refuse(status int, format string, args ...any) error { return refuse(status, format, args...) }

// after returns the refusal with the time after which to try again.
func (p *refusal) after(d time.Duration) *refusal {
	p.retryAfter = d
	return p
}

// outcomeHeader is set to "unknown" where it is not known whether what was asked for was done, or
// still will be.
const outcomeHeader = "Weir-Outcome"

// Error implements error.
func (p *refusal) Error() string { return p.detail }

// GetStatus implements huma.StatusError.
func (p *refusal) GetStatus() int { return p.status }

// ContentType implements huma.ContentTypeFilter.
func (p *refusal) ContentType(string) string { return problemType }

// GetHeaders implements huma.HeadersError.
func (p *refusal) GetHeaders() http.Header {
	h := http.Header{}
	if p.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="weir"`)
	}
	if p.retryAfter > 0 || p.status == http.StatusTooManyRequests {
		h.Set("Retry-After", retryAfter(p.retryAfter))
	}
	if p.close {
		h.Set("Connection", "close")
	}
	if p.unknown {
		h.Set(outcomeHeader, "unknown")
	}
	return h
}

// problem returns the body of the answer.
func (p *refusal) problem() *client.Problem {
	return &client.Problem{Title: http.StatusText(p.status), Status: p.status, Detail: p.detail, Problems: p.problems}
}

// write answers the problem.
func (p *refusal) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", problemType)
	maps.Copy(h, p.GetHeaders())
	w.WriteHeader(p.status)
	json.NewEncoder(w).Encode(p.problem())
}

// toProblem is a huma.Transformer: it makes the one form of all problems, with the parameters that
// were wrong, and why, in the detail.
func toProblem(_ huma.Context, _ string, v any) (any, error) {
	switch p := v.(type) {
	case *refusal:
		return p.problem(), nil
	case *huma.ErrorModel:
		detail := p.Detail
		if len(p.Errors) > 0 {
			detail = parameterErrors(p.Errors)
		}
		return &client.Problem{Title: p.Title, Status: p.Status, Detail: detail}, nil
	}
	return v, nil
}

func parameterErrors(list []*huma.ErrorDetail) string {
	reasons := make([]string, len(list))
	for i, e := range list {
		reasons[i] = strings.TrimSpace(e.Location + ": " + e.Message)
		if given := fmt.Sprint(e.Value); e.Value != nil && given != "" {
			reasons[i] += " (" + truncate(string(redactText([]byte(given)))) + " was given)"
		}
	}
	return strings.Join(reasons, "; ")
}
