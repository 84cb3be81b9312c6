package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/strictyaml"
)

// Show implements api.Configuration.
func (in *inputs) Show() client.Configuration {
	in.mu.Lock()
	defer in.mu.Unlock()
	c := client.Configuration{
		Effective: config.Running(in.began, in.current).Tree(), Text: in.state.Text, Source: string(in.state.Source),
		File: in.state.File, By: in.state.By, Pending: []client.ConfigChange{},
	}
	if in.state.Source != config.FromDefaults {
		at := in.state.At
		c.At = &at
	}
	for _, change := range config.Pending(in.began, in.current) {
		c.Pending = append(c.Pending, client.ConfigChange{Path: change.Path, Old: change.Old, New: change.New, Holds: "restart"})
	}
	return c
}

// Apply implements api.Configuration.
func (in *inputs) Apply(text []byte, by api.Actor, dryRun bool) ([]client.ConfigChange, netview.Revision, error) {
	if dryRun {
		changes, err := in.compare(text, by.Role)
		return changes, 0, err
	}
	ctx, done, err := in.beginChange()
	if err != nil {
		return nil, 0, err
	}
	defer done()
	state := in.state
	state.Text, state.Source, state.By, state.At = string(text), config.FromApply, by.Name, moment(time.Now())
	return in.replace(ctx, state, by.Role)
}

// compare is what would change, were a text the configuration. It takes no turn, and waits for
// nobody. It does not open files that a role may not name, so what they hold cannot be found out.
func (in *inputs) compare(text []byte, role api.Role) ([]client.ConfigChange, error) {
	in.mu.Lock()
	was := in.state.Text
	in.mu.Unlock()
	next, diff, err := in.differ(was, string(text))
	if err != nil {
		return nil, err
	}
	if err := in.checkNext(next, allowed(diff, role) == nil); err != nil {
		return nil, strictyaml.Problems{{Text: err.Error()}}
	}
	return in.describe(diff), nil
}

// differ reads the text of a configuration: what it is as a whole, and what differs from the one
// before.
func (in *inputs) differ(was, is string) (next *config.Config, diff []config.Change, err error) {
	doc, err := config.Parse([]byte(is))
	if err != nil {
		return nil, nil, err
	}
	old, err := config.Parse([]byte(was))
	if err != nil {
		return nil, nil, fmt.Errorf("the configuration in force: %w", err)
	}
	defaults := config.Defaults()
	return in.whole(doc), config.Diff(config.Merge(defaults, old), config.Merge(defaults, doc)), nil
}

// replace makes a state's text the configuration: validated whole, written, and only then in force.
// The turn is the caller's.
func (in *inputs) replace(ctx context.Context, state config.State, role api.Role) ([]client.ConfigChange,
	netview.Revision, error) {
	next, diff, err := in.differ(in.state.Text, state.Text)
	if err != nil {
		return nil, 0, err
	}
	if err := allowed(diff, role); err != nil { // before any file is opened whose name was given
		return nil, 0, err
	}
	if err := in.checkNext(next, true); err != nil {
		return nil, 0, strictyaml.Problems{{Text: err.Error()}}
	}
	rev := in.view.Snapshot().Revision()
	err = in.keep(ctx, state, func() {
		same := len(config.Diff(in.current, next)) == 0
		in.current = next
		if !same {
			rev = in.set()
		}
	})
	if err != nil {
		return nil, 0, err
	}
	return in.describe(diff), rev, nil
}

// checkNext finds what would keep the next start from happening; files: also in the files that are
// named.
func (in *inputs) checkNext(next *config.Config, files bool) error {
	cfg := in.flags
	cfg.Config = *next
	if err := cfg.check(); err != nil || !files {
		return err
	}
	return cfg.checkCertificates()
}

// checkCertificates reads what a configuration names, so that one that cannot be started with is
// not kept.
func (c *Config) checkCertificates() error {
	if _, err := c.tls(); err != nil {
		return err
	}
	_, err := newSwitchTLS(c)
	return err
}

// allowed refuses changes that are for admins.
func allowed(diff []config.Change, role api.Role) error {
	if role >= api.RoleAdmin {
		return nil
	}
	var paths []string
	for _, c := range diff {
		if c.Admin {
			paths = append(paths, c.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return fmt.Errorf("%w: a token of role %s was given, and a change of %s needs role admin", api.ErrNotAllowed,
		role, strings.Join(paths, ", "))
}

// describe is a list of changes as the API has them, each with when it holds.
func (in *inputs) describe(diff []config.Change) []client.ConfigChange {
	overridden := in.flags.isSet()
	list := []client.ConfigChange{}
	for _, c := range diff {
		item := client.ConfigChange{Path: c.Path, Old: c.Old, New: c.New, Holds: "now", Needs: api.RoleOperator.String()}
		if c.Admin {
			item.Needs = api.RoleAdmin.String()
		}
		switch base := baseOf(c.Path); {
		case overridden(base):
			item.Holds = "never"
			if flag := flagOf[base]; flag != "" {
				item.Flag = "--" + flag
			}
		case c.Restart:
			item.Holds = "restart"
		}
		list = append(list, item)
	}
	return list
}

// reload reads the file of --config again. If it has not changed since it was read last nothing
// happens.
func (in *inputs) reload() {
	ctx, done, err := in.beginChange()
	if err != nil {
		in.flags.Log.Error("the configuration file is not read again", "error", err)
		return
	}
	defer done()
	file, log := in.flags.ConfigFile, in.flags.Log
	text, err := readConfigFile(file)
	if err == nil && config.Sum(text) == in.state.Sum {
		said := "the configuration file has not changed since it was read"
		if in.state.Source == config.FromApply {
			said += ": what was applied after it stays in force"
		}
		log.Info(said, "file", file)
		in.alarms.Clear(netview.AlarmConfig, file)
		return
	}
	record := client.AuditRecord{Who: "signal", Role: api.RoleAdmin.String(), What: "reload", Object: file, Result: "begun"}
	if err := in.audit.Write(record); err != nil {
		log.Error("the configuration file is not read again, because the audit log cannot be written", "error", err)
		return
	}
	var made []client.ConfigChange
	replaced := ""
	if err == nil {
		made, replaced, err = in.take(ctx, file, text)
	}
	if err != nil {
		var problems strictyaml.Problems
		reason := err.Error()
		if errors.As(err, &problems) {
			reason = problems.In(file)
		}
		said := "the configuration file is refused, and nothing was changed"
		if problems != nil {
			said += ": the instance would not start with it"
		}
		log.Error(said, "file", file, "reason", reason)
		in.alarms.Raise(netview.AlarmConfig, file, "refused: "+strings.ReplaceAll(reason, "\n", "; "))
		record.Result, record.Detail = "refused", strings.ReplaceAll(reason, "\n", "; ")
		in.audit.Write(record)
		return
	}
	in.alarms.Clear(netview.AlarmConfig, file)
	record.Result, record.Detail = "done", fmt.Sprintf("%d changes", len(made))
	in.audit.Write(record)
	log.Info("the configuration file was read again", "file", file, "changes", len(made))
	for _, c := range made {
		log.Info("configuration", "field", c.Path, "old", c.Old, "new", c.New, "holds", c.Holds)
	}
	if replaced != "" {
		log.Warn("what was applied is replaced by the configuration file", "file", file, "replaced", replaced)
	}
}

// take makes a file's text the configuration. What was applied before is kept beside it.
func (in *inputs) take(ctx context.Context, file string, text []byte) (made []client.ConfigChange, replaced string, err error) {
	state := in.state
	state.Text, state.Source, state.By, state.At = string(text), config.FromFile, "--config", moment(time.Now())
	state.File, state.Sum = file, config.Sum(text)
	if in.state.Source == config.FromApply && in.state.Text != state.Text {
		if _, err := config.Parse(text); err != nil {
			return nil, "", err
		}
		if replaced, err = in.store.KeepReplaced(in.state.Text); err != nil {
			return nil, "", err
		}
	}
	made, _, err = in.replace(ctx, state, api.RoleAdmin)
	return made, replaced, err
}

// sorted is a copy of drains, in order.
func sorted(list []config.Drain) []config.Drain {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b config.Drain) int {
		return strings.Compare(string(a.Kind)+" "+a.Object, string(b.Kind)+" "+b.Object)
	})
	return list
}
