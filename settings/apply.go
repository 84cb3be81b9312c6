package settings

import (
	"context"
	"fmt"
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
	network, own := s.state, s.own
	c := client.Configuration{
		Effective: config.Running(s.began, s.current).Tree(), Text: config.Join(network.Text, own.Text, s.base.Apps...),
		Source: string(network.Source), File: own.File, By: network.By, Pending: []client.ConfigChange{},
		Network: client.ConfigPart{Text: network.Text, Source: string(network.Source), File: network.File, Reader: network.Reader,
			By: network.By, At: given(network.Source, network.At)},
		Instance: client.ConfigPart{Text: own.Text, Source: string(own.Source), By: own.By, At: given(own.Source, own.At)},
	}
	if own.Source == config.FromFile {
		c.Instance.File = own.File
	}
	c.At = c.Network.At
	if own.Source != config.FromDefaults && (network.Source == config.FromDefaults || own.At.After(network.At)) {
		c.Source, c.By, c.At = string(own.Source), own.By, c.Instance.At
	}
	for _, change := range config.Pending(s.began, s.current) {
		c.Pending = append(c.Pending, client.ConfigChange{Path: change.Path, Old: change.Old, New: change.New, Holds: "restart",
			Scope: string(change.Scope)})
	}
	return c
}

// given is when something was given; nil: nothing was.
func given(source config.Source, at time.Time) *time.Time {
	if source == config.FromDefaults {
		return nil
	}
	return &at
}

// Apply implements api.Configuration.
func (s *Settings) Apply(text []byte, by rest.Actor, dryRun bool) ([]client.ConfigChange, netview.Revision, error) {
	if dryRun {
		changes, err := s.compare(text, by)
		return changes, 0, err
	}
	ctx, done, err := s.beginChange()
	if err != nil {
		return nil, 0, err
	}
	defer done()
	next, err := s.base.applied(said{s.state, s.own}, string(text), by)
	if err != nil {
		return nil, 0, err
	}
	at := moment(time.Now())
	next.state.By, next.state.At = by.Name, at
	if next.own != s.own {
		next.own.By, next.own.At, next.own.Name = by.Name, at, s.began.Name
	}
	return s.replace(ctx, next, by.Role)
}

// said is both parts of a configuration.
type said struct {
	state config.State
	own   config.Part
}

// applied is what a text that is applied makes of a configuration. It replaces the network's part. The instance's part it
// replaces if it says something of that, or if that was applied too: what a file of --config says of the instance is not taken
// away by a text that is of the network only. What was given to another instance is of that one, if it is of an instance.
func (b *Base) applied(was said, text string, by rest.Actor) (said, error) {
	network, instance, err := b.split(text)
	if err != nil {
		return said{}, err
	}
	if by.Via != "" {
		if instance != "" && instance != was.own.Text {
			return said{}, fmt.Errorf("the text says something of an instance (its name, addresses or TLS files), and was given to "+
				"instance %s, which stands by: leave that out, or give it to the instance that it is of, while that is the owner, or "+
				"as its --config", by.Via)
		}
		instance = was.own.Text
	}
	next := was
	next.state.Text, next.state.Source, next.state.File, next.state.Reader = network, config.FromApply, "", ""
	if instance != was.own.Text && (instance != "" || was.own.Source == config.FromApply) {
		next.own.Text, next.own.Source = instance, config.FromApply
	}
	return next, nil
}

// compare is what would change, were a text the configuration. It takes no turn, and waits for
// nobody. It does not open files that a role may not name, so what they hold cannot be found out.
func (s *Settings) compare(text []byte, by rest.Actor) ([]client.ConfigChange, error) {
	s.mu.Lock()
	was := said{s.state, s.own}
	s.mu.Unlock()
	is, err := s.base.applied(was, string(text), by)
	if err != nil {
		return nil, err
	}
	next, diff, err := s.base.differ(was, is)
	if err != nil {
		return nil, err
	}
	if err := s.base.checkNext(next, allowed(diff, by.Role) == nil); err != nil {
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

// replace makes both parts the configuration: validated whole, written, and only then in force.
// The turn is the caller's.
func (s *Settings) replace(ctx context.Context, is said, role rest.Role) ([]client.ConfigChange,
	netview.Revision, error) {
	next, diff, err := s.base.differ(said{s.state, s.own}, is)
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
	err = s.keep(ctx, is, func() {
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
