package client

import (
	"errors"
	"fmt"
)

// ErrUnreachable is wrapped by the errors of all methods when the server did not answer.
var ErrUnreachable = errors.New("no answer")

// Problem is how the server refuses (application/problem+json, RFC 9457). It is an error.
type Problem struct {
	Title  string `json:"title" doc:"The status in words."`
	Status int    `json:"status" doc:"The HTTP status."`
	Detail string `json:"detail" doc:"What was given, what was expected, what to do."`
	// Problems are all that is wrong with a configuration.
	Problems []ConfigProblem `json:"problems,omitempty" doc:"Of a configuration: everything that is wrong with it."`
}

// Error is the detail, and the status in words.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return fmt.Sprintf("%d %s", p.Status, p.Title)
	}
	return fmt.Sprintf("%s (%d %s)", p.Detail, p.Status, p.Title)
}
