package client

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrUnreachable is wrapped by the errors of all methods when the server did not answer.
var ErrUnreachable = errors.New("no answer")

// ErrOther is wrapped by errors about an answer that is not one of an instance's API: another
// server is at the address.
var ErrOther = errors.New("the answer is not one of an instance's API")

// unread says why an answer could not be read: it did not come whole, or it is that of another
// server.
func (c *Client) unread(err error) error {
	if errors.As(err, new(*json.SyntaxError)) || errors.As(err, new(*json.UnmarshalTypeError)) {
		return fmt.Errorf("%s: %w (%w)", c.base, ErrOther, err)
	}
	return fmt.Errorf("%w from %s: %w", ErrUnreachable, c.base, err)
}

// Problem is how the server refuses (application/problem+json, RFC 9457). It is an error.
type Problem struct {
	Title  string `json:"title" doc:"The status in words."`
	Status int    `json:"status" doc:"The HTTP status."`
	Detail string `json:"detail" doc:"What was given, what was expected, what to do."`
	// Problems are all that is wrong with a configuration.
	Problems []ConfigProblem `json:"problems,omitempty" doc:"Of a configuration: everything that is wrong with it."`
}

// Error returns the detail, and the status in words.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return fmt.Sprintf("%d %s", p.Status, p.Title)
	}
	return fmt.Sprintf("%s (%d %s)", p.Detail, p.Status, p.Title)
}
