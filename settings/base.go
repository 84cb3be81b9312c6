package settings

import (
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/netview"
)

// Base is what an instance was started with. It reads configurations over that, compares and checks them, and
// changes nothing.
type Base struct {
	// Flags hold over any configuration as far as they differ from Defaults, or are named in Given
	// ("api", "lldp-period").
	Flags, Defaults config.Config
	Given           map[string]bool
	File            string // of --config; empty: none
	// Reload has File read again whenever something comes; nil: never.
	Reload <-chan os.Signal
	// Check finds what is wrong with a configuration as a whole, CheckFiles what is with the files
	// that it names.
	Check, CheckFiles func(*config.Config) error
	Apps              []config.App // that a configuration may name
	Log               *slog.Logger
}

// whole is flags over a configuration over the defaults.
func (b *Base) whole(doc *config.Config) *config.Config {
	return b.Flags.Over(config.Merge(b.defaults(), doc), b.isSet())
}

// parse reads a configuration; defaults is what holds where it says nothing.
func (b *Base) parse(text string) (*config.Config, error) {
	return config.Parse([]byte(text), b.Apps...)
}

func (b *Base) defaults() *config.Config { return config.Defaults(b.Apps...) }

// together reads both parts of a configuration.
func (b *Base) together(network, instance string) (*config.Config, error) {
	first, err := b.parse(network)
	if err != nil {
		return nil, err
	}
	second, err := b.parse(instance)
	if err != nil {
		return nil, err
	}
	return config.Merge(first, second), nil
}

// split is config.Split with the instance's applications.
func (b *Base) split(text string) (network, instance string, err error) {
	return config.Split(text, b.Apps...)
}

// differ compares what is kept with what is to be: what that is as a whole, and what differs.
func (b *Base) differ(was, is said) (next *config.Config, diff []config.Change, err error) {
	doc, err := b.together(is.state.Text, is.own.Text)
	if err != nil {
		return nil, nil, err
	}
	old, err := b.together(was.state.Text, was.own.Text)
	if err != nil {
		return nil, nil, fmt.Errorf("the configuration in force: %w", err)
	}
	defaults := b.defaults()
	return b.whole(doc), config.Diff(config.Merge(defaults, old), config.Merge(defaults, doc)), nil
}

// checkNext finds what would keep the next start from happening; files: also in the files that are
// named.
func (b *Base) checkNext(next *config.Config, files bool) error {
	if err := b.Check(next); err != nil || !files {
		return err
	}
	return b.CheckFiles(next)
}

// allowed refuses changes that are for admins.
func allowed(diff []config.Change, role rest.Role) error {
	if role >= rest.RoleAdmin {
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

// describe is a list of changes as the API has them, each with when it holds. The first one of the allow list says which
// of the connected switches it ends the sessions of: unlisted.
func (b *Base) describe(diff []config.Change, unlisted []netview.DPID) []client.ConfigChange {
	overridden := b.isSet()
	list := []client.ConfigChange{}
	for _, c := range diff {
		item := client.ConfigChange{Path: c.Path, Old: c.Old, New: c.New, Holds: "now", Needs: rest.RoleOperator.String(),
			Scope: string(c.Scope)}
		if c.Admin {
			item.Needs = rest.RoleAdmin.String()
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
		if baseOf(c.Path) == "allow" && len(unlisted) > 0 {
			item.Note, unlisted = noteUnlisted(unlisted), nil
		}
		list = append(list, item)
	}
	return list
}

// unlistedNamed is how many of them a note names.
const unlistedNamed = 5

// noteUnlisted says of which switches sessions end.
func noteUnlisted(dpids []netview.DPID) string {
	names := make([]string, 0, unlistedNamed+1)
	for _, dpid := range dpids[:min(len(dpids), unlistedNamed)] {
		names = append(names, dpid.String())
	}
	if more := len(dpids) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("connected switches that are not on the allow list lose their sessions: %s", strings.Join(names, ", "))
}

// isSet returns a function that reports whether flags set a field of the configuration: what differs
// from the defaults, and what is Given, though it be false or empty.
func (b *Base) isSet() func(path string) bool {
	differs := map[string]bool{}
	for _, change := range config.Diff(&b.Defaults, &b.Flags) {
		differs[baseOf(change.Path)] = true
	}
	return func(path string) bool { return differs[path] || b.Given[flagOf[path]] }
}
