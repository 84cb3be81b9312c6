package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

// getter shows one kind of resources.
type getter interface {
	get(ctx context.Context, c *client.Client, out io.Writer, id string, f command.Format) error
	watch(ctx context.Context, c *client.Client, out io.Writer, id string, f command.Format) error
}

// kind is a kind of resources, by its plural and its singular, an alias. The others are shown in the
// place of rows: those of the one with an ID, and with --actual and --all.
type kind struct {
	name, singular            string
	rows, withID, actual, all getter
}

// kinds are in the order of the help.
var kinds = []kind{
	{name: "switches", singular: "switch", rows: switchResource},
	{name: "ports", singular: "port", rows: portResource, withID: countersResource},
	{name: "links", singular: "link", rows: linkResource},
	{name: "hosts", singular: "host", rows: hostResource},
	{name: "flows", singular: "flow", rows: flowResource, actual: entryResource},
	{name: "groups", singular: "group", rows: groupResource},
	{name: "meters", singular: "meter", rows: meterResource},
	{name: "intents", singular: "intent", rows: intentResource},
	{name: "tenants", singular: "tenant", rows: tenantResource},
	{name: "members", singular: "member", rows: memberResource},
	{name: "apps", singular: "app", rows: appResource},
	{name: "alarms", singular: "alarm", rows: alarmResource, all: allAlarmsResource},
	{name: "drains", singular: "drain", rows: drainResource},
	{name: "audit", singular: "audit", rows: auditResource},
	{name: "config", singular: "config", rows: configResource{}},
}

func newGet() *cobra.Command {
	var r command.AnswerFlags
	var watch, actual, all bool
	cmd := &cobra.Command{
		Use:   "get KIND [ID]",
		Short: "Show the network as an instance sees it",
		Long: `Show the network as an instance sees it. KIND is one of switches, ports, links, hosts, flows, groups, meters, intents,
tenants, members, apps, alarms, drains, audit, config.

ID is a datapath id or name for switches, ports, links (or two with a hyphen between), flows, groups and meters, an id (MAC, or
MAC/vlan) or IP address for hosts, a name for tenants, members and apps, an id for intents, a kind for alarms and drains, and for audit
the time, or how long ago, of the first record. Ports of one switch are shown with their counters and rates, and the age of
these; JSON has more of them. STATE of a link tells how it is known (confirmed: discovery frames have passed), UP whether it can
be used now: a confirmed link that is cut is confirmed and not up. Flows are the desired rules and their state; with --actual
they are the switch's own entries. Of drains, PASSING counts the paths that are still to leave, and BOUND the pairs of hosts
(with a path in use) and intents that remain because they have no other path: see weir help drain.

Groups and meters are those that have numbers of Weir's at a switch, and those that are still to get one. Those of others are
left alone and not listed; OpenFlow 1.0 has none. STATE is wanted or waiting (desired, and to be sent), sending, confirmed,
refused, unwanted (the switch has it, nobody desires it, and it cannot be deleted yet) or deleting. RULES counts the desired
rules that use it, OWNERS the intents and applications that desire these. INSTALLED is what the switch has in its place, as
weir check says it.

Tables show switches by name; with -o wide by datapath id, and links with their width. An empty cell is a dash.`,
		Example: `  weir get switches
  weir get ports spine-1
  weir get hosts 10.0.0.1
  weir get links s1-s2
  weir get links --watch
  weir get flows                 all desired rules, those of intents included
  weir get flows spine-1 --actual
  weir get groups spine-1
  weir get meters
  weir get intents --watch
  weir get alarms --watch
  weir get audit 1h
  weir get hosts -o json`,
		Args:              wantResource,
		ValidArgsFunction: completeResource,
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			id := strings.Join(args[1:], "")
			g, err := findResource(args[0], id, getFlags{actual: actual, all: all})
			if err != nil {
				return err
			}
			if id, err = resolve(cmd.Context(), c, args[0], id); err != nil {
				return err
			}
			if watch {
				return watchError(cmd.Context(), g.watch(cmd.Context(), c, cmd.OutOrStdout(), id, r.Format))
			}
			err = g.get(cmd.Context(), c, cmd.OutOrStdout(), id, r.Format)
			if none := new(notFound); errors.As(err, &none) {
				none.id = args[1] // not the datapath id that it was resolved to
			}
			return command.Explained(err)
		}),
	}
	r.AddFlags(cmd)
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "go on with changes as they happen; in JSON, one object a line")
	cmd.Flags().BoolVar(&all, "all", false, "of alarms: those that have ended too")
	cmd.Flags().BoolVar(&actual, "actual", false, "of flows: ask the switch itself, which ID names")
	return cmd
}

// watchError returns the error of a watch; one that a signal ended has none.
func watchError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return command.Explained(err)
}

func wantResource(_ *cobra.Command, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return fmt.Errorf("%s given, want KIND [ID]: KIND is one of %s", command.Plural(len(args), "argument", "arguments"),
			resourceList())
	}
	_, err := findResource(args[0], "", getFlags{})
	return err
}

func completeResource(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return strings.Split(resourceList(), ", "), cobra.ShellCompDirectiveNoFileComp
}

func resourceList() string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return strings.Join(names, ", ")
}

// getFlags are the flags that choose a variant of a kind.
type getFlags struct{ actual, all bool }

func findResource(name, id string, a getFlags) (getter, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name || k.singular == name })
	if i < 0 {
		return nil, fmt.Errorf("kind %q given, want one of %s", name, resourceList())
	}
	switch k := &kinds[i]; {
	case a.actual && (k.actual == nil || id == ""):
		return nil, fmt.Errorf("--actual given, want it with the flows of one switch: weir get flows SWITCH --actual")
	case a.all && k.all == nil:
		return nil, fmt.Errorf("--all given, want it with alarms only: weir get alarms --all")
	case k.name == "config" && id != "":
		return nil, fmt.Errorf("argument %q given, weir get config takes none", id)
	case a.actual:
		return k.actual, nil
	case a.all:
		return k.all, nil
	case id != "" && k.withID != nil:
		return k.withID, nil
	default:
		return k.rows, nil
	}
}

// get lists the rows once.
func (k *resource[T]) get(ctx context.Context, c *client.Client, out io.Writer, id string, f command.Format) error {
	p, err := k.list(ctx, c, id)
	if err != nil {
		return err
	}
	if k.single && id != "" {
		return k.write(ctx, c, out, f, p.Items[0], p.Items)
	}
	return k.write(ctx, c, out, f, p, p.Items)
}

// write writes rows as a table, or whole in another format.
func (k *resource[T]) write(ctx context.Context, c *client.Client, out io.Writer, f command.Format, whole any, items []T) error {
	if !f.IsTable() {
		return command.WriteValue(out, f, whole)
	}
	rows := [][]string{k.columns(k.header, f)}
	for _, v := range items {
		rows = append(rows, k.columns(k.cells(v), f))
	}
	if k.named {
		shown, err := namesForFormat(ctx, c, f)
		if err != nil {
			return err
		}
		shown.replaceIn(rows[1:])
	}
	return command.WriteTable(out, rows)
}
