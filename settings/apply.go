package settings

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
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
func (s *Settings) Apply(text []byte, by rest.Actor, dryRun bool) ([]client.ConfigChange, netview.Revision, error) {
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
func (s *Settings) compare(text []byte, role rest.Role) ([]client.ConfigChange, error) {
	s.mu.Lock()
	was := s.state.Text
	s.mu.Unlock()
	next, diff, err := s.base.differ(was, string(text))
	if err != nil {
		return nil, err
	}
	if err := s.base.checkNext(next, allowed(diff, role) == nil); err != nil {
		return nil, strictyaml.Problems{{Text: err.Error()}}
	}
	return s.base.describe(diff, s.unlisted(next)), nil
}

// unlisted is which connected switches a configuration's allow list lacks, in order.
func (s *Settings) unlisted(next *config.Config) (dpids []netview.DPID) {
	if next.Allow == nil {
		return nil
	}
	for sw := range s.view.Snapshot().Switches() {
		if sw.Connected && !slices.Contains(next.Allow, sw.DPID) {
			dpids = append(dpids, sw.DPID)
		}
	}
	slices.Sort(dpids)
	return dpids
}

// replace makes a state's text the configuration: validated whole, written, and only then in force.
// The turn is the caller's.
func (s *Settings) replace(ctx context.Context, state config.State, role rest.Role) ([]client.ConfigChange,
	netview.Revision, error) {
	next, diff, err := s.base.differ(s.state.Text, state.Text)
	if err != nil {
		return nil, 0, err
	}
	if err := allowed(diff, role); err != nil { // before any file is opened whose name was given
		return nil, 0, err
	}
	if err := s.base.checkNext(next, true); err != nil {
		return nil, 0, strictyaml.Problems{{Text: err.Error()}}
	}
	rev, unlisted := s.view.Snapshot().Revision(), s.unlisted(next)
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
	return s.base.describe(diff, unlisted), rev, nil
}

// sorted is a copy of drains, in order.
func sorted(list []config.Drain) []config.Drain {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b config.Drain) int {
		return strings.Compare(string(a.Kind)+" "+a.Object, string(b.Kind)+" "+b.Object)
	})
	return list
}
