package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/weirnet/weir/api/client"
)

var alarmKind = &rowKind[client.Alarm]{
	name: "alarms", singular: "alarm", id: "KIND", event: "alarm",
	header: []string{"SEVERITY", "KIND", "OBJECT", "ACTIVE", "COUNT", "SINCE", "LAST", "TEXT"},
	cells: func(a client.Alarm) []string {
		return []string{a.Severity, a.Kind, a.Object, yes(a.Active), fmt.Sprint(a.Count), moment(a.Since), moment(a.Last), a.Text}
	},
	key: func(a client.Alarm) string { return a.Kind + " " + a.Object },
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.Alarm], error) {
		return filtered(alarmOf, id)(c.Alarms(ctx, false))
	},
	has: alarmOf,
}

// allAlarmKind is that of get alarms --all.
var allAlarmKind = func() *rowKind[client.Alarm] {
	k := *alarmKind
	k.list = func(ctx context.Context, c *client.Client, id string) (*client.Page[client.Alarm], error) {
		return filtered(alarmOf, id)(c.Alarms(ctx, true))
	}
	return &k
}()

func alarmOf(a client.Alarm, id string) bool { return a.Kind == id }

var drainKind = &rowKind[client.Drain]{
	name: "drains", singular: "drain", id: "KIND",
	header: []string{"KIND", "OBJECT", "NAME", "STATE", "PASSING", "BOUND", "BY", "SINCE"},
	cells: func(d client.Drain) []string {
		return []string{d.Kind, d.Object, d.Name, d.State, someOf(d.Passing, ""), someOf(d.Bound, ""), d.By, moment(d.Since)}
	},
	key: func(d client.Drain) string { return d.Kind + " " + d.Object },
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.Drain], error) {
		return filtered(func(d client.Drain, id string) bool { return d.Kind == id }, id)(c.Drains(ctx))
	},
}

// auditKind are the records since a time that is the id.
var auditKind = &rowKind[client.AuditRecord]{
	name: "audit", singular: "audit", id: "SINCE",
	header: []string{"TIME", "WHO", "ROLE", "FROM", "WHAT", "OBJECT", "RESULT", "STATUS", "DETAIL"},
	cells: func(r client.AuditRecord) []string {
		status := ""
		if r.Status != 0 {
			status = fmt.Sprint(r.Status)
		}
		return []string{moment(r.Time), r.Who, r.Role, r.From, r.What, r.Object, r.Result, status, oneLine(fmt.Errorf("%s", r.Detail))}
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

// sinceOf reads a time, or how long ago it was.
func sinceOf(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	if ago, err := time.ParseDuration(s); err == nil && ago >= 0 {
		return time.Now().Add(-ago).UTC().Format(time.RFC3339Nano), nil
	}
	if _, err := time.Parse(time.RFC3339, s); err != nil {
		return "", fmt.Errorf("audit since %q: want a time, such as 2026-11-20T12:00:00Z, or how long ago it was, such as 1h", s)
	}
	return s, nil
}

// configuration shows what is in force: as a table it is the YAML of docs/config.md.
type configuration struct{}

func (configuration) get(ctx context.Context, c *client.Client, out io.Writer, _ string, f format) error {
	now, err := c.Configuration(ctx)
	if err != nil {
		return err
	}
	if f.table() {
		return writeValue(out, formatYAML, now.Effective)
	}
	return writeValue(out, f, now)
}

func (configuration) watch(context.Context, *client.Client, io.Writer, string, format) error {
	return fmt.Errorf("the configuration has no --watch: its changes are in weir get audit")
}
