package settings

import (
	"context"
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
func (s *Settings) Show() client.Configuration {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := client.Configuration{
		Effective: config.Running(s.began, s.current).Tree(), Text: s.state.Text, Source: string(s.state.Source),
		File: s.state.File, By: s.state.By, Pending: []client.ConfigChange{},
	}
	if s.state.Source != config.FromDefaults {
		at := s.state.At
		c.At = &at
	}
	for _, change := range config.Pending(s.began, s.current) {
		c.Pending = append(c.Pending, client.ConfigChange{Path: change.Path, Old: change.Old, New: change.New, Holds: "restart"})
	}
	return c
}

// Apply implements api.Configuration.
func (s *Settings) Apply(text []byte, by api.Actor, dryRun bool) ([]client.ConfigChange, netview.Revision, error) {
	if dryRun {
		changes, err := s.compare(text, by.Role)
		return changes, 0, err
	}
	ctx, done, err := s.beginChange()
	if err != nil {
		return nil, 0, err
	}
	defer done()
	state := s.state
	state.Text, state.Source, state.By, state.At = string(text), config.FromApply, by.Name, moment(time.Now())
	return s.replace(ctx, state, by.Role)
}

// compare is what would change, were a text the configuration. It takes no turn, and waits for
// nobody. It does not open files that a role may not name, so what they hold cannot be found out.
func (s *Settings) compare(text []byte, role api.Role) ([]client.ConfigChange, error) {
	s.mu.Lock()
	was := s.state.Text
	s.mu.Unlock()
	next, diff, err := s.differ(was, string(text))
	if err != nil {
		return nil, err
	}
	if err := s.checkNext(next, allowed(diff, role) == nil); err != nil {
		return nil, strictyaml.Problems{{Text: err.Error()}}
	}
	return s.describe(diff), nil
}

// differ reads the text of a configuration: what it is as a whole, and what differs from the one
// before.
func (s *Settings) differ(was, is string) (next *config.Config, diff []config.Change, err error) {
	doc, err := s.parse(is)
	if err != nil {
		return nil, nil, err
	}
	old, err := s.parse(was)
	if err != nil {
		return nil, nil, fmt.Errorf("the configuration in force: %w", err)
	}
	defaults := s.defaults()
	return s.whole(doc), config.Diff(config.Merge(defaults, old), config.Merge(defaults, doc)), nil
}

// replace makes a state's text the configuration: validated whole, written, and only then in force.
// The turn is the caller's.
func (s *Settings) replace(ctx context.Context, state config.State, role api.Role) ([]client.ConfigChange,
	netview.Revision, error) {
	next, diff, err := s.differ(s.state.Text, state.Text)
	if err != nil {
		return nil, 0, err
	}
	if err := allowed(diff, role); err != nil { // before any file is opened whose name was given
		return nil, 0, err
	}
	if err := s.checkNext(next, true); err != nil {
		return nil, 0, strictyaml.Problems{{Text: err.Error()}}
	}
	rev := s.view.Snapshot().Revision()
	err = s.keep(ctx, state, func() {
		same := len(config.Diff(s.current, next)) == 0
		s.current = next
		if !same {
			rev = s.set()
		}
	})
	if err != nil {
		return nil, 0, err
	}
	return s.describe(diff), rev, nil
}

// checkNext finds what would keep the next start from happening; files: also in the files that are
// named.
func (s *Settings) checkNext(next *config.Config, files bool) error {
	if err := s.base.Check(next); err != nil || !files {
		return err
	}
	return s.base.CheckFiles(next)
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
func (s *Settings) describe(diff []config.Change) []client.ConfigChange {
	overridden := s.base.isSet()
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

// sorted is a copy of drains, in order.
func sorted(list []config.Drain) []config.Drain {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b config.Drain) int {
		return strings.Compare(string(a.Kind)+" "+a.Object, string(b.Kind)+" "+b.Object)
	})
	return list
}
