package client

import (
	"context"
	"fmt"
	"net/http"
)

// Configuration returns what the instance is set up with.
func (c *Client) Configuration(ctx context.Context) (*Configuration, error) {
	return item[Configuration](ctx, c, "/v1/config")
}

// Apply replaces the configuration, given as YAML or JSON, and says what changed; with dryRun, what
// would. Where it is wrong the error is a *Problem with Problems, and nothing has changed.
func (c *Client) Apply(ctx context.Context, text []byte, dryRun bool) (*ConfigResult, error) {
	header := http.Header{"Content-Type": {"application/yaml"}}
	return exchange[ConfigResult](ctx, c, http.MethodPost, "/v1/config", queryOf("dry_run", flag(dryRun)), header, text)
}

// Alarms returns the active alarms, the most urgent first; with all, those that have ended too.
func (c *Client) Alarms(ctx context.Context, all bool) (*Page[Alarm], error) {
	return list[Alarm](ctx, c, "/v1/alarms", "all", flag(all))
}

// Audit returns the newest records of the audit log, at most limit, of that time (RFC 3339; empty:
// any) or later, the oldest first.
func (c *Client) Audit(ctx context.Context, since string, limit int) (*Page[AuditRecord], error) {
	return item[Page[AuditRecord]](ctx, c, "/v1/audit", "limit", fmt.Sprint(limit), "since", since)
}

// Drains returns what is drained.
func (c *Client) Drains(ctx context.Context) (*Page[Drain], error) {
	return list[Drain](ctx, c, "/v1/drain")
}

// Drain takes a switch, port or link out of use. Object is as for weir drain.
func (c *Client) Drain(ctx context.Context, kind, object string) (*Drain, error) {
	body := map[string]string{"kind": kind, "object": object}
	return post[Drain](ctx, c, http.MethodPost, "/v1/drain", body, CreateOptions{})
}

// Undrain takes it into use again; the error is a *Problem of status 404 if it was not drained.
func (c *Client) Undrain(ctx context.Context, kind, object string) error {
	return c.remove(ctx, "/v1/drain", queryOf("kind", kind, "object", object), nil)
}
