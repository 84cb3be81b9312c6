package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
)

// getter shows one kind of rows.
type getter interface {
	get(ctx context.Context, c *client.Client, out io.Writer, id string, f format) error
	watch(ctx context.Context, c *client.Client, out io.Writer, id string, f format) error
}

// kindNames are the kinds in the order of help, each with its singular, which is taken too.
var kindNames = [][2]string{{"switches", "switch"}, {"ports", "port"}, {"links", "link"}, {"hosts", "host"},
	{"flows", "flow"}, {"intents", "intent"}, {"members", "member"}, {"apps", "app"}, {"alarms", "alarm"}, {"drains", "drain"},
	{"audit", "audit"}, {"config", "config"}}

func newGet() *cobra.Command {
	var r remote
	f := formatTable
	var watch, actual, all bool
	cmd := &cobra.Command{
		Use:   "get KIND [ID]",
		Short: "Show the network as an instance sees it",
		Long: `Show the network as an instance sees it. KIND is one of switches, ports, links, hosts, flows, intents, members, apps,
alarms, drains, audit, config.

ID is a datapath id or name for switches, ports, links (or two with a hyphen between) and flows, an id (MAC, or MAC/vlan) or IP address for hosts, a name for members and
apps, an id for intents, a kind for alarms and drains, and for audit a time, or how long ago, from which on records are shown. Ports of one switch come with the counters and rates that the instance keeps, and their age; in
JSON there is more of them. Flows are the rules that are wanted and their state;
with --actual they are what the switch itself holds. Of drains, PASSING is what is still to leave, and BOUND the pairs that stay
because they have no other path: see weir help drain.

Tables show switches by name; with -o wide by datapath id.`,
		Example: `  weir get switches
  weir get ports spine-1
  weir get hosts 10.0.0.1
  weir get links s1-s2
  weir get links --watch
  weir get flows                 all that is wanted, rules of intents too
  weir get flows spine-1 --actual
  weir get intents --watch
  weir get alarms --watch
  weir get audit 1h
  weir get hosts -o json`,
		Args:              checkKind,
		ValidArgsFunction: completeKind,
		RunE: func(cmd *cobra.Command, args []string) error {
			id := strings.Join(args[1:], "")
			g, err := findKind(args[0], id, asked{actual: actual, all: all})
			if err != nil {
				return err
			}
			c, err := r.client()
			if err != nil {
				return err
			}
			defer c.Close()
			if id, err = resolve(cmd.Context(), c, args[0], id); err != nil {
				return err
			}
			if watch {
				return watched(cmd.Context(), g.watch(cmd.Context(), c, cmd.OutOrStdout(), id, f))
			}
			return hint(g.get(cmd.Context(), c, cmd.OutOrStdout(), id, f))
		},
	}
	r.addFlags(cmd)
	cmd.Flags().VarP(&f, "output", "o", "how to write the answer")
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "go on with changes as they happen; in JSON, one object a line")
	cmd.Flags().BoolVar(&all, "all", false, "of alarms: those that have ended too")
	cmd.Flags().BoolVar(&actual, "actual", false, "of flows: ask the switch itself (needs its datapath id)")
	return cmd
}

// watched: to end a watch by a signal is no error.
func watched(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return hint(err)
}

func checkKind(_ *cobra.Command, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return fmt.Errorf("%d arguments given, want KIND [ID]: KIND is one of %s", len(args), kindList())
	}
	_, err := findKind(args[0], "", asked{})
	return err
}

func completeKind(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return strings.Split(kindList(), ", "), cobra.ShellCompDirectiveNoFileComp
}

func kindList() string {
	names := make([]string, len(kindNames))
	for i, k := range kindNames {
		names[i] = k[0]
	}
	return strings.Join(names, ", ")
}

// asked are the flags that choose between kinds of one name.
type asked struct{ actual, all bool }

func findKind(name, id string, a asked) (getter, error) {
	i := slices.IndexFunc(kindNames, func(k [2]string) bool { return k[0] == name || k[1] == name })
	if i < 0 {
		return nil, fmt.Errorf("kind %q given, want one of %s", name, kindList())
	}
	if kind := kindNames[i][0]; a.actual && (kind != "flows" || id == "") {
		return nil, fmt.Errorf("--actual asks one switch for its flows: weir get flows DPID --actual")
	}
	if kind := kindNames[i][0]; a.all && kind != "alarms" {
		return nil, fmt.Errorf("--all is for alarms: weir get alarms --all")
	}
	switch kindNames[i][0] {
	case "switches":
		return switchKind, nil
	case "ports":
		if id != "" {
			return countersKind, nil
		}
		return portKind, nil
	case "links":
		return linkKind, nil
	case "hosts":
		return hostKind, nil
	case "flows":
		if a.actual {
			return entryKind, nil
		}
		return flowKind, nil
	case "intents":
		return intentKind, nil
	case "members":
		return memberKind, nil
	case "alarms":
		if a.all {
			return allAlarmKind, nil
		}
		return alarmKind, nil
	case "drains":
		return drainKind, nil
	case "audit":
		return auditKind, nil
	case "config":
		if id != "" {
			return nil, fmt.Errorf("weir get config takes no ID, and %q was given", id)
		}
		return configuration{}, nil
	}
	return appKind, nil
}

// get shows the rows once.
func (k *rowKind[T]) get(ctx context.Context, c *client.Client, out io.Writer, id string, f format) error {
	p, err := k.list(ctx, c, id)
	if err != nil {
		return err
	}
	if !f.table() {
		if k.one && id != "" {
			return writeValue(out, f, p.Items[0])
		}
		return writeValue(out, f, p)
	}
	t := table{w: out}
	rows := [][]string{k.header}
	for _, v := range p.Items {
		rows = append(rows, k.cells(v))
	}
	if k.named {
		shown, err := namesFor(ctx, c, f)
		if err != nil {
			return err
		}
		shown.in(rows[1:])
	}
	t.fit(rows...)
	return t.write(rows...)
}
