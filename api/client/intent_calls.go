package client

import (
	"bytes"
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
	q := url.Values{}
	if o.Wait > 0 {
		q.Set("wait", "installed")
		q.Set("timeout", o.Wait.String())
	}
	return q
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
	var a IntentAnswer
	if err := c.post(ctx, http.MethodPost, "/v1/intents", r, o, &a); err != nil {
		return nil, err
	}
	return &a, nil
}

// CreateIntents asks for several. Each has an answer of its own: the error is of all of them only.
func (c *Client) CreateIntents(ctx context.Context, list []IntentRequest, o CreateOptions) (*IntentAnswers, error) {
	var a IntentAnswers
	body := IntentBatch{list, o.Atomic}
	if err := c.post(ctx, http.MethodPost, "/v1/intents", &body, o, &a); err != nil {
		return nil, err
	}
	return &a, nil
}

// ReplaceIntent gives an intent another content, without loss; it is made if there is none.
func (c *Client) ReplaceIntent(ctx context.Context, r *IntentRequest, o CreateOptions) (*IntentAnswer, error) {
	var a IntentAnswer
	if err := c.post(ctx, http.MethodPut, "/v1/intents/"+url.PathEscape(r.ID), r, o, &a); err != nil {
		return nil, err
	}
	return &a, nil
}

// Intent returns one intent; the error is a *Problem of status 404 if there is none.
func (c *Client) Intent(ctx context.Context, id string) (*Intent, error) {
	return item[Intent](ctx, c, "/v1/intents/"+url.PathEscape(id))
}

// IntentTraffic returns what an intent's rules have counted at its ingress: the switches are asked.
func (c *Client) IntentTraffic(ctx context.Context, id string) (*Traffic, error) {
	return item[Traffic](ctx, c, "/v1/intents/"+url.PathEscape(id)+"/traffic")
}

// Intents returns all intents, or those in one of the states.
func (c *Client) Intents(ctx context.Context, states ...string) (*Page[Intent], error) {
	return list[Intent](ctx, c, "/v1/intents", url.Values{"state": states})
}

// WithdrawIntent withdraws an intent. It vanishes when its rules are gone. Withdrawing what is not
// there is no error.
func (c *Client) WithdrawIntent(ctx context.Context, id, ifMatch string) error {
	header := http.Header{}
	if ifMatch != "" {
		header.Set("If-Match", ifMatch)
	}
	return c.exchange(ctx, http.MethodDelete, "/v1/intents/"+url.PathEscape(id), nil, header, nil, nil)
}

// WithdrawIntents withdraws several, each with an answer of its own.
func (c *Client) WithdrawIntents(ctx context.Context, ids []string) (*IntentAnswers, error) {
	var a IntentAnswers
	body := struct {
		IDs []string `json:"ids"`
	}{ids}
	if err := c.post(ctx, http.MethodPost, "/v1/intents/withdraw", &body, CreateOptions{}, &a); err != nil {
		return nil, err
	}
	return &a, nil
}

// WaitIntent waits until an intent is installed, or has failed, or is gone, or the time is over,
// and says what it is then.
func (c *Client) WaitIntent(ctx context.Context, id string, timeout time.Duration) (*Intent, error) {
	var v Intent
	query := url.Values{"wait": {"installed"}, "timeout": {timeout.String()}}
	if err := c.get(ctx, "/v1/intents/"+url.PathEscape(id), query, &v); err != nil {
		return nil, err
	}
	return &v, nil
}

// post sends JSON and reads the answer into v.
func (c *Client) post(ctx context.Context, method, path string, body any, o CreateOptions, v any) error {
	b, asItIs := body.(json.RawMessage) // Marshal would take its lines away
	if !asItIs {
		var err error
		if b, err = json.Marshal(body); err != nil {
			return err
		}
	}
	return c.exchange(ctx, method, path, o.query(), o.header(), bytes.NewReader(b), v)
}

// PostIntents sends a body of {"items":[…]} as it is: answers name the lines on which what was
// refused stands.
func (c *Client) PostIntents(ctx context.Context, body []byte, o CreateOptions) (*IntentAnswers, error) {
	var a IntentAnswers
	if err := c.post(ctx, http.MethodPost, "/v1/intents", json.RawMessage(body), o, &a); err != nil {
		return nil, err
	}
	return &a, nil
}
