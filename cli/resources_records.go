package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

var alarmResource = &resource[client.Alarm]{
	named: true, event: "alarm",
	header: []string{"SEVERITY", "KIND", "OBJECT", "ACTIVE", "COUNT", "SINCE", "LAST", "TEXT"},
	cells: func(a client.Alarm) []string {
		return []string{a.Severity, a.Kind, a.Object, yesNo(a.Active), fmt.Sprint(a.Count), timestamp(a.Since),
			timestamp(a.Last), a.Text}
	},
	key:     func(a client.Alarm) string { return a.Kind + " " + a.Object },
	list:    listAlarms(false),
	matches: alarmMatches,
}

// allAlarmsResource is alarmResource with the alarms that have ended.
var allAlarmsResource = func() *resource[client.Alarm] {
	k := *alarmResource
	k.list = listAlarms(true)
	return &k
}()

// listAlarms lists alarms; their ID is a kind, not an object.
func listAlarms(ended bool) lister[client.Alarm] {
	return filtered(func(c *client.Client, ctx context.Context) (*client.Page[client.Alarm], error) {
		return c.Alarms(ctx, ended)
	}, alarmMatches, notFound{what: "alarm of the kind",
		hint: "weir get alarms lists active ones, with --all ended ones too; docs/alarms.md has all kinds"})
}

func alarmMatches(a client.Alarm, id string) bool { return a.Kind == id }

var drainResource = &resource[client.Drain]{
	header: []string{"KIND", "OBJECT", "NAME", "STATE", "PASSING", "BOUND", "BY", "SINCE"},
	cells: func(d client.Drain) []string {
		return []string{d.Kind, d.Object, d.Name, d.State, countOr(d.Passing, ""), countOr(d.Bound, ""), d.By, timestamp(d.Since)}
	},
	key: func(d client.Drain) string { return d.Kind + " " + d.Object },
	list: filtered((*client.Client).Drains, func(d client.Drain, id string) bool { return d.Kind == id },
		notFound{what: "drain of the kind", hint: "ID of drains is switch, port or link; weir get drains lists them all"}),
}

// auditResource lists the audit records since a time, which is its ID.
var auditResource = &resource[client.AuditRecord]{
	header: []string{"TIME", "WHO", "ROLE", "FROM", "WHAT", "OBJECT", "RESULT", "STATUS", "DETAIL"},
	cells: func(r client.AuditRecord) []string {
		status := ""
		if r.Status != 0 {
			status = fmt.Sprint(r.Status)
		}
		return []string{timestamp(r.Time), r.Who, r.Role, r.From, r.What, r.Object, r.Result, status,
			command.OneLine(fmt.Errorf("%s", r.Detail))}
	},
	key: func(r client.AuditRecord) string {
		return fmt.Sprint(r.Time.UnixNano(), r.ID, r.What, r.Result, r.From)
	},
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.AuditRecord], error) {
		since, err := sinceOf(id)
		if err != nil {
			return nil, err
		}
		return c.Audit(ctx, since, 1000)
	},
}

// sinceOf reads a time, given as such or as how long ago it was.
func sinceOf(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	if ago, err := time.ParseDuration(s); err == nil && ago >= 0 {
		return time.Now().Add(-ago).UTC().Format(time.RFC3339Nano), nil
	}
	if _, err := time.Parse(time.RFC3339, s); err != nil {
		return "", fmt.Errorf(
			"audit since %q given, want a time, such as 2026-11-20T12:00:00Z, or how long ago it was, such as 1h", s)
	}
	return s, nil
}

// configResource shows the configuration in force; its table is the YAML of docs/config.md.
type configResource struct{}

func (configResource) get(ctx context.Context, c *client.Client, out io.Writer, _ string, f command.Format) error {
	now, err := c.Configuration(ctx)
	if err != nil {
		return err
	}
	if f.IsTable() {
		return command.WriteValue(out, command.FormatYAML, now.Effective)
	}
	return command.WriteValue(out, f, now)
}

func (configResource) watch(context.Context, *client.Client, io.Writer, string, command.Format) error {
	return fmt.Errorf("--watch given, and config has no --watch: weir get audit lists its changes")
}
