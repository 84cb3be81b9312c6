package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// CreateOptions are those of creating and replacing intents.
type CreateOptions struct {
	// Wait is how long to wait until the intents are installed; 0: not at all. The state is in the
	// answers.
	Wait time.Duration
	// Key is an idempotency key: the same request with the same key makes the same intents, once.
	Key string
	// Atomic, of several: all are taken, or none.
	Atomic bool
	// IfMatch, of a replacement: the etag that the intent must have; "*" any.
	IfMatch string
}

func (o CreateOptions) query() url.Values {
	if o.Wait > 0 {
		return queryOf("wait", "installed", "timeout", o.Wait.String())
	}
	return nil
}

func (o CreateOptions) header() http.Header {
	h := http.Header{"Content-Type": {"application/json"}}
	if o.Key != "" {
		h.Set("Idempotency-Key", o.Key)
	}
	if o.IfMatch != "" {
		h.Set("If-Match", o.IfMatch)
	}
	return h
}

// CreateIntent asks for an intent; what was asked for is durable when it returns. The error is a
// *Problem where it was refused.
func (c *Client) CreateIntent(ctx context.Context, r *IntentRequest, o CreateOptions) (*IntentAnswer, error) {
	return post[IntentAnswer](ctx, c, http.MethodPost, "/v1/intents", r, o)
}

// CreateIntents asks for several. Each has an answer of its own: the error is of all of them only.
func (c *Client) CreateIntents(ctx context.Context, list []IntentRequest, o CreateOptions) (*IntentAnswers, error) {
	return post[IntentAnswers](ctx, c, http.MethodPost, "/v1/intents", &IntentBatch{list, o.Atomic}, o)
}

// ReplaceIntent gives an intent another content, without loss; it is made if there is none.
func (c *Client) ReplaceIntent(ctx context.Context, r *IntentRequest, o CreateOptions) (*IntentAnswer, error) {
	return post[IntentAnswer](ctx, c, http.MethodPut, intentPath(r.ID), r, o)
}

// Intent returns one intent; the error is a *Problem of status 404 if there is none.
func (c *Client) Intent(ctx context.Context, id string) (*Intent, error) {
	return item[Intent](ctx, c, intentPath(id))
}

// IntentTraffic returns what an intent's rules have counted at its ingress: the switches are asked.
func (c *Client) IntentTraffic(ctx context.Context, id string) (*Traffic, error) {
	return item[Traffic](ctx, c, intentPath(id)+"/traffic")
}

// Intents returns all intents, or those in one of the states.
func (c *Client) Intents(ctx context.Context, states ...string) (*Page[Intent], error) {
	var pairs []string
	for _, state := range states {
		pairs = append(pairs, "state", state)
	}
	return list[Intent](ctx, c, "/v1/intents", pairs...)
}

// WithdrawIntent withdraws an intent. It vanishes when its rules are gone. Withdrawing what is not
// there is no error.
func (c *Client) WithdrawIntent(ctx context.Context, id, ifMatch string) error {
	header := http.Header{}
	if ifMatch != "" {
		header.Set("If-Match", ifMatch)
	}
	return c.remove(ctx, intentPath(id), nil, header)
}

// WithdrawIntents withdraws several, each with an answer of its own.
func (c *Client) WithdrawIntents(ctx context.Context, ids []string) (*IntentAnswers, error) {
	body := map[string][]string{"ids": ids}
	return post[IntentAnswers](ctx, c, http.MethodPost, "/v1/intents/withdraw", body, CreateOptions{})
}

// WaitIntent waits until an intent is installed, or has failed, or is gone, or the time is over,
// and says what it is then.
func (c *Client) WaitIntent(ctx context.Context, id string, timeout time.Duration) (*Intent, error) {
	return item[Intent](ctx, c, intentPath(id), "wait", "installed", "timeout", timeout.String())
}

// post sends JSON.
func post[T any](ctx context.Context, c *Client, method, path string, body any, o CreateOptions) (*T, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return exchange[T](ctx, c, method, path, o.query(), o.header(), b)
}

func intentPath(id string) string { return "/v1/intents/" + url.PathEscape(id) }

// PostIntents sends a body of {"items":[…]} as it is: answers name the lines on which what was
// refused stands.
func (c *Client) PostIntents(ctx context.Context, body []byte, o CreateOptions) (*IntentAnswers, error) {
	return exchange[IntentAnswers](ctx, c, http.MethodPost, "/v1/intents", o.query(), o.header(), body)
}
