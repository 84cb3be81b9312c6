package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxEvent bounds one line of an event stream, in bytes.
const maxEvent = 16 << 20

// The events that are about the stream itself and not about a row.
const (
	EventReset  = "reset"  // the position is not known to the server: forget all rows; a snapshot of puts follows
	EventSynced = "synced" // the snapshot is whole

	eventProblem = "problem" // the last: the server ends the stream, for good
)

// Event is one change.
type Event struct {
	ID     string          // where to go on from; empty where the server gave none
	Kind   string          // "switch", "link", "host", "member", EventReset or EventSynced
	Delete bool            // the row is gone; Data is as it was last
	Data   json.RawMessage // the item of the REST interface, with op
}

// Watch asks for events.
type Watch struct {
	After string   // an event's id or a Page's revision; empty: from now
	Kinds []string // empty: all
}

// Watch calls f with every event, in order, until f or the context ends it, or the server refuses.
// A connection that breaks is made again, and goes on after the last event that had an id. The
// error is f's, the context's, or a *Problem.
func (c *Client) Watch(ctx context.Context, w Watch, f func(Event) error) error {
	retry := time.NewTimer(0)
	defer retry.Stop()
	for {
		select {
		case <-retry.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := c.watchOnce(ctx, &w, f)
		var broken *streamBroken
		if !errors.As(err, &broken) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		retry.Reset(time.Second)
	}
}

// streamBroken is a connection that ended: nobody's decision.
type streamBroken struct{ err error }

func (b *streamBroken) Error() string { return "event stream: " + b.err.Error() }

func (c *Client) watchOnce(ctx context.Context, w *Watch, f func(Event) error) error {
	query, header := url.Values{}, http.Header{"Accept": {"text/event-stream"}}
	if len(w.Kinds) > 0 {
		query.Set("kind", strings.Join(w.Kinds, ","))
	}
	if w.After != "" {
		header.Set("Last-Event-ID", w.After)
	}
	resp, err := c.send(ctx, http.MethodGet, "/v1/events", query, header, nil)
	var p *Problem
	notNow := errors.As(err, &p) && p.Status == http.StatusServiceUnavailable // no instance decides just now
	if (notNow || errors.Is(err, ErrUnreachable)) && w.After != "" {
		return &streamBroken{err}
	} else if err != nil {
		return err
	}
	defer resp.Body.Close()
	return readEvents(resp.Body, w, f)
}

// readEvents reads a stream of server-sent events as the HTML standard has it (section 9.2.6).
func readEvents(r io.Reader, w *Watch, f func(Event) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxEvent)
	var e Event
	for lines.Scan() {
		line := lines.Text()
		if line != "" {
			e.field(line)
			continue
		}
		if e.ID != "" {
			w.After = e.ID
		}
		if e.Kind == eventProblem {
			p := new(Problem)
			if err := json.Unmarshal(e.Data, p); err != nil {
				return fmt.Errorf("event %q: %w", e.Kind, err)
			}
			return p
		}
		if e.Kind != "" && len(e.Data) > 0 {
			if err := e.op(); err != nil {
				return err
			}
			if err := f(e); err != nil {
				return err
			}
		}
		e = Event{}
	}
	if err := lines.Err(); err != nil {
		return &streamBroken{err}
	}
	return &streamBroken{io.ErrUnexpectedEOF}
}

// field takes one line: "name: value". Comments and fields of no use here are passed over.
func (e *Event) field(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "id":
		e.ID = value
	case "event":
		e.Kind = value
	case "data":
		e.Data = append(e.Data, value...)
	}
}

func (e *Event) op() error {
	var o struct {
		Op string `json:"op"`
	}
	if err := json.Unmarshal(e.Data, &o); err != nil {
		return fmt.Errorf("event %q: %w", e.Kind, err)
	}
	e.Delete = o.Op == "delete"
	return nil
}
