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
)

// getter shows one kind of resources.
type getter interface {
	get(ctx context.Context, c *client.Client, out io.Writer, id string, f format) error
	watch(ctx context.Context, c *client.Client, out io.Writer, id string, f format) error
}

// resourceNames lists the kinds in the order of the help, each with its singular, an alias.
var resourceNames = [][2]string{{"switches", "switch"}, {"ports", "port"}, {"links", "link"}, {"hosts", "host"},
	{"flows", "flow"}, {"intents", "intent"}, {"members", "member"}, {"apps", "app"}, {"alarms", "alarm"}, {"drains", "drain"},
	{"audit", "audit"}, {"config", "config"}}

func newGet() *cobra.Command {
	var r apiFlags
	f := formatTable
	var watch, actual, all bool
	cmd := &cobra.Command{
		Use:   "get KIND [ID]",
		Short: "Show the network as an instance sees it",
		Long: `Show the network as an instance sees it. KIND is one of switches, ports, links, hosts, flows, intents, members, apps,
alarms, drains, audit, config.

ID is a datapath id or name for switches, ports, links (or two with a hyphen between) and flows, an id (MAC, or MAC/vlan) or IP
address for hosts, a name for members and apps, an id for intents, a kind for alarms and drains, and for audit the time, or how long
ago, of the first record. Ports of one switch are shown with their counters and rates, and the age of these; JSON has more of them.
STATE of a link tells how it is known (confirmed: discovery frames have passed), UP whether it can be used now: a confirmed link
that is cut is confirmed and not up. Flows are the desired rules and their state; with --actual they are the switch's own entries. Of
drains, PASSING counts the paths that are still to leave, and BOUND the pairs of hosts (with a path in use) and intents that
remain because they have no other path: see weir help drain.

Tables show switches by name; with -o wide by datapath id. An empty cell is a dash.`,
		Example: `  weir get switches
  weir get ports spine-1
  weir get hosts 10.0.0.1
  weir get links s1-s2
  weir get links --watch
  weir get flows                 all desired rules, those of intents included
  weir get flows spine-1 --actual
  weir get intents --watch
  weir get alarms --watch
  weir get audit 1h
  weir get hosts -o json`,
		Args:              wantResource,
		ValidArgsFunction: completeResource,
		RunE: r.withClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			id := strings.Join(args[1:], "")
			g, err := findResource(args[0], id, getFlags{actual: actual, all: all})
			if err != nil {
				return err
			}
			if id, err = resolve(cmd.Context(), c, args[0], id); err != nil {
				return err
			}
			if watch {
				return watchError(cmd.Context(), g.watch(cmd.Context(), c, cmd.OutOrStdout(), id, f))
			}
			err = g.get(cmd.Context(), c, cmd.OutOrStdout(), id, f)
			if none := new(notFound); errors.As(err, &none) {
				none.id = args[1] // not the datapath id that it was resolved to
			}
			return explained(err)
		}),
	}
	r.addFlags(cmd)
	cmd.Flags().VarP(&f, "output", "o", "how to write the answer")
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
	return explained(err)
}

func wantResource(_ *cobra.Command, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return fmt.Errorf("%s given, want KIND [ID]: KIND is one of %s", plural(len(args), "argument", "arguments"),
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
	names := make([]string, len(resourceNames))
	for i, k := range resourceNames {
		names[i] = k[0]
	}
	return strings.Join(names, ", ")
}

// getFlags are the flags that choose a variant of a kind.
type getFlags struct{ actual, all bool }

func findResource(name, id string, a getFlags) (getter, error) {
	i := slices.IndexFunc(resourceNames, func(k [2]string) bool { return k[0] == name || k[1] == name })
	if i < 0 {
		return nil, fmt.Errorf("kind %q given, want one of %s", name, resourceList())
	}
	if kind := resourceNames[i][0]; a.actual && (kind != "flows" || id == "") {
		return nil, fmt.Errorf("--actual given, want it with the flows of one switch: weir get flows SWITCH --actual")
	}
	if kind := resourceNames[i][0]; a.all && kind != "alarms" {
		return nil, fmt.Errorf("--all given, want it with alarms only: weir get alarms --all")
	}
	switch resourceNames[i][0] {
	case "switches":
		return switchResource, nil
	case "ports":
		if id != "" {
			return countersResource, nil
		}
		return portResource, nil
	case "links":
		return linkResource, nil
	case "hosts":
		return hostResource, nil
	case "flows":
		if a.actual {
			return entryResource, nil
		}
		return flowResource, nil
	case "intents":
		return intentResource, nil
	case "members":
		return memberResource, nil
	case "alarms":
		if a.all {
			return allAlarmsResource, nil
		}
		return alarmResource, nil
	case "drains":
		return drainResource, nil
	case "audit":
		return auditResource, nil
	case "config":
		if id != "" {
			return nil, fmt.Errorf("argument %q given, weir get config takes none", id)
		}
		return configResource{}, nil
	}
	return appResource, nil
}

// get lists the rows once.
func (k *resource[T]) get(ctx context.Context, c *client.Client, out io.Writer, id string, f format) error {
	p, err := k.list(ctx, c, id)
	if err != nil {
		return err
	}
	if !f.table() {
		if k.single && id != "" {
			return writeValue(out, f, p.Items[0])
		}
		return writeValue(out, f, p)
	}
	rows := [][]string{k.header}
	for _, v := range p.Items {
		rows = append(rows, k.cells(v))
	}
	if k.named {
		shown, err := namesForFormat(ctx, c, f)
		if err != nil {
			return err
		}
		shown.replaceIn(rows[1:])
	}
	return writeTable(out, rows)
}
