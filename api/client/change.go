package client

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// Configuration returns what the instance is set up with.
func (c *Client) Configuration(ctx context.Context) (*Configuration, error) {
	return item[Configuration](ctx, c, "/v1/config")
}

// Apply replaces the configuration, given as YAML or JSON, and says what changed; with dryRun, what
// would. Where it is wrong the error is a *Problem with Problems, and nothing has changed.
func (c *Client) Apply(ctx context.Context, text []byte, dryRun bool) (*ConfigResult, error) {
	query := url.Values{}
	if dryRun {
		query.Set("dry_run", "true")
	}
	var r ConfigResult
	header := http.Header{"Content-Type": {"application/yaml"}}
	if err := c.exchange(ctx, http.MethodPost, "/v1/config", query, header, bytes.NewReader(text), &r); err != nil {
		return nil, err
	}
	return &r, nil
}

// Alarms returns the active alarms, the most urgent first; with all, those that have ended too.
func (c *Client) Alarms(ctx context.Context, all bool) (*Page[Alarm], error) {
	query := url.Values{}
	if all {
		query.Set("all", "true")
	}
	return list[Alarm](ctx, c, "/v1/alarms", query)
}

// Audit returns the newest records of the audit log, at most limit, of that time (RFC 3339; empty:
// any) or later, the oldest first.
func (c *Client) Audit(ctx context.Context, since string, limit int) (*Page[AuditRecord], error) {
	query := url.Values{"limit": {fmt.Sprint(limit)}}
	if since != "" {
		query.Set("since", since)
	}
	var p Page[AuditRecord]
	err := c.get(ctx, "/v1/audit", query, &p)
	return &p, err
}

// Drains returns what is drained.
func (c *Client) Drains(ctx context.Context) (*Page[Drain], error) {
	return list[Drain](ctx, c, "/v1/drain", nil)
}

// Drain takes a switch, port or link out of use. Object is as for weir drain.
func (c *Client) Drain(ctx context.Context, kind, object string) (*Drain, error) {
	var d Drain
	body := map[string]string{"kind": kind, "object": object}
	if err := c.post(ctx, http.MethodPost, "/v1/drain", body, CreateOptions{}, &d); err != nil {
		return nil, err
	}
	return &d, nil
}

// Undrain takes it into use again; the error is a *Problem of status 404 if it was not drained.
func (c *Client) Undrain(ctx context.Context, kind, object string) error {
	query := url.Values{"kind": {kind}, "object": {object}}
	return c.exchange(ctx, http.MethodDelete, "/v1/drain", query, nil, nil, nil)
}
