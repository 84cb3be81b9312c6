package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/client"
)

// ETag returns the etag of a header, without its quotes.
func ETag(header string) string { return strings.Trim(strings.TrimPrefix(header, "W/"), `"`) }

// problemType is the media type of a problem.
const problemType = "application/problem+json"

// Refusal is a request that is not done: an HTTP status, and what was given, what was expected and
// what to do. It is written as a client.Problem, by write or, as an error of a Typed handler, by
// huma.
type Refusal struct {
	Status     int
	Detail     string
	Problems   []client.ConfigProblem // all that is wrong with a configuration
	RetryAfter time.Duration          // 0: not said
	close      bool                   // the connection is of no more use
	Unknown    bool                   // it may have been done, or may still be
	reason     string                 // why the gate refused it: "host", "origin", "token"; empty: it did not
}

// Refuse returns a refusal with a detail as fmt.Sprintf makes it.
func Refuse(status int, format string, args ...any) *Refusal {
	return &Refusal{Status: status, Detail: fmt.Sprintf(format, args...)}
}

// After returns the refusal with the time after which to try again.
func (p *Refusal) After(d time.Duration) *Refusal {
	p.RetryAfter = d
	return p
}

// outcomeHeader is set to "unknown" where it is not known whether what was asked for was done, or
// still will be.
const outcomeHeader = "Weir-Outcome"

// Error implements error.
func (p *Refusal) Error() string { return p.Detail }

// GetStatus implements huma.StatusError.
func (p *Refusal) GetStatus() int { return p.Status }

// ContentType implements huma.ContentTypeFilter.
func (p *Refusal) ContentType(string) string { return problemType }

// GetHeaders implements huma.HeadersError.
func (p *Refusal) GetHeaders() http.Header {
	h := http.Header{}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="weir"`)
	}
	if p.RetryAfter > 0 || p.Status == http.StatusTooManyRequests {
		h.Set("Retry-After", retryAfter(p.RetryAfter))
	}
	if p.close {
		h.Set("Connection", "close")
	}
	if p.Unknown {
		h.Set(outcomeHeader, "unknown")
	}
	return h
}

// retryAfter returns a time as the header Retry-After has it: whole seconds, at least one.
func retryAfter(d time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(d.Seconds()))))
}

// Problem returns the body of the answer.
func (p *Refusal) Problem() *client.Problem {
	return &client.Problem{Title: http.StatusText(p.Status), Status: p.Status, Detail: p.Detail, Problems: p.Problems}
}

// Write answers the problem.
func (p *Refusal) Write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", problemType)
	maps.Copy(h, p.GetHeaders())
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p.Problem())
}

// toProblem is a huma.Transformer: it makes the one form of all problems, with the parameters that
// were wrong, and why, in the detail.
func toProblem(_ huma.Context, _ string, v any) (any, error) {
	switch p := v.(type) {
	case *Refusal:
		return p.Problem(), nil
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
			reasons[i] += " (" + Truncate(string(redactText([]byte(given)))) + " was given)"
		}
	}
	return strings.Join(reasons, "; ")
}
