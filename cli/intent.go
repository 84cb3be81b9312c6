package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

func newIntent() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "intent",
		Short: "Add, change, show and withdraw intents",
		Long: `Add, change, show and withdraw intents. An intent is a connection that the instance keeps up: it chooses paths, installs rules, and
re-routes when links fail, hosts move and switches lose their tables, until the intent is withdrawn. An accepted intent is on the disk:
docs/intents.md has the kinds, states and limits.`,
		Example: `  weir intent add --host 10.0.0.1 10.0.0.2
  weir intent add --id web --from s1/1 --to s3/2 --match ipv4_src=10.0.0.1 --match tcp_dst=80 --wait
  weir intent list
  weir intent rm web`,
		Args: command.WantCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newIntentAdd(), newIntentReplace(), newIntentRemove(), newIntentShow(), newIntentList(), newIntentWait())
	return cmd
}

const intentText = `Packets: --match gives fields of OpenFlow 1.3 by name (ipv4_dst=10.0.0.0/8, tcp_dst=80, vlan_vid=100); prerequisites are filled in.
Without --match an intent takes all IPv4 and all IPv6 that comes in; between hosts everything, ARP and neighbour discovery included.

Ends: --host A B connects two hosts in both directions (ids, or known IP addresses). --from and --to connect one way, from SWITCH/PORT to
SWITCH/PORT: a switch by name, or by datapath id, which is hexadecimal (10 is switch 16), a port by number or name. An end that is not known
yet is noted, and the intent waits for it. Several --from make an intent of kind multipoint-to-point, several --to one of kind
point-to-multipoint, where each gets a copy. --hop SWITCH:IN:OUT, ingress first, gives the path itself.

An intent that crosses a link between switches without an exact sender (eth_src, ipv4_src or ipv6_src) would take the matching packets of
all senders on that link. It is refused, unless --wide is given.`

func newIntentAdd() *cobra.Command {
	var r command.AnswerFlags
	var w intentArgs
	cmd := &cobra.Command{
		Use:   "add {--host A B | --from P --to Q | --hop S:IN:OUT … | -f FILE}",
		Short: "Add an intent, or those of a file",
		Long: `Add an intent, or those of a file. The command returns when it is on the instance's disk; with --wait, when every switch on the path
has confirmed its rules. The same content again with the same --id is the same intent.

` + intentText + `

With -f, FILE holds one intent, a list, or {items: […], atomic: true}, in YAML or JSON, with the fields of the REST API
(kind, src, dst, selector, …); switches may be given by name, hosts by IP address, connect points as SWITCH/PORT.`,
		Example: `  weir intent add --host 00:00:00:00:00:01 00:00:00:00:00:02
  weir intent add --id web --from s1/1 --to s3/2 --match ipv4_src=10.0.0.1 --match tcp_dst=80 --wait
  weir intent add --from s1/1 --from s2/1 --to s3/2 --wide
  weir intent add --hop s1:1:2 --hop s2:1:3 --match eth_type=0x88b5 --wide
  weir intent add -f intents.yaml --wait`,
		Args: command.WantArgs(0, 1, "at most the second host of --host A B: weir intent add --host 10.0.0.1 10.0.0.2"),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			if w.file != "" {
				return w.addFile(cmd, c, r.Format)
			}
			return w.send(cmd, c, r.Format, args, w.options(), c.CreateIntent)
		}),
	}
	r.AddFlags(cmd)
	w.addFlags(cmd, "add")
	cmd.Flags().StringVarP(&w.file, "file", "f", "", "a file of intents, YAML or JSON; - is standard input")
	cmd.Flags().BoolVar(&w.atomic, "atomic", false, "of a file: all intents are accepted, or none")
	return cmd
}

// send sends one intent, and shows the answer.
func (w *intentArgs) send(cmd *cobra.Command, c *client.Client, f command.Format, args []string, o client.CreateOptions,
	to func(context.Context, *client.IntentRequest, client.CreateOptions) (*client.IntentAnswer, error),
) error {
	q, err := w.request(cmd.Context(), c, args)
	if err != nil {
		return err
	}
	w.note(cmd.Context(), c, cmd.ErrOrStderr())
	a, err := to(cmd.Context(), q, o)
	if err != nil {
		return command.Explained(err)
	}
	return w.writeAnswers(cmd, c, f, []client.IntentAnswer{*a})
}

func newIntentReplace() *cobra.Command {
	var r command.AnswerFlags
	var w intentArgs
	cmd := &cobra.Command{
		Use:   "replace ID {--host A B | --from P --to Q | --hop S:IN:OUT …}",
		Short: "Replace an intent's content without loss, or add it",
		Long: `Replace an intent's content without loss, or add it if there is none with this id.

` + intentText,
		Example: `  weir intent replace web --from s1/1 --to s4/2 --match ipv4_src=10.0.0.1 --match tcp_dst=80 --wait
  weir intent replace web --host 10.0.0.1 10.0.0.9 --if-match a86463e21495c6ef`,
		Args: command.WantArgs(1, 2, "ID, followed by its new content: weir intent replace web --host 10.0.0.1 10.0.0.2"),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			w.id = args[0]
			return w.send(cmd, c, r.Format, args[1:], w.options(), c.ReplaceIntent)
		}),
	}
	r.AddFlags(cmd)
	w.addFlags(cmd, "replace")
	return cmd
}

func newIntentRemove() *cobra.Command {
	var r command.APIFlags
	var force bool
	cmd := &cobra.Command{
		Use:   "rm ID …",
		Short: "Withdraw intents",
		Long: `Withdraw intents. The command returns when that is on the instance's disk; an intent, and its id, are gone when its rules are removed
from the switches. An id that no intent has makes the command fail, after the others are withdrawn; with --force it is only listed.`,
		Example: `  weir intent rm web
  weir intent rm flow-1 flow-2 flow-3
  weir intent rm --force perhaps`,
		Args: command.WantArgs(1, command.NoBound, "ID …, such as web: weir intent list shows them"),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			a, err := c.WithdrawIntents(cmd.Context(), args)
			if err != nil {
				return command.Explained(err)
			}
			if err := writeAnswers(cmd.OutOrStdout(), command.FormatTable, a.Items, true); err != nil || force {
				return err
			}
			return missingError(a.Items)
		}),
	}
	r.AddFlags(cmd)
	cmd.Flags().BoolVar(&force, "force", false, "ids without an intent are no failure")
	return cmd
}

// missingError names the ids without an intent; nil if there are none.
func missingError(list []client.IntentAnswer) error {
	var missing []string
	for i := range list {
		if list[i].Status == "not-found" {
			missing = append(missing, list[i].ID)
		}
	}
	switch n := len(missing); {
	case n == 0:
		return nil
	case n == 1:
		return command.RuntimeError(
			fmt.Errorf("intent %s given, and there is none: weir intent list shows those that there are", missing[0]))
	case n > maxMissingIDs:
		missing = append(missing[:maxMissingIDs], fmt.Sprintf("and %d more", n-maxMissingIDs))
	}
	return command.RuntimeError(fmt.Errorf(
		"intents %s given, and there are none: weir intent list shows those that there are", strings.Join(missing, ", ")))
}

// maxMissingIDs bounds the ids that an error names.
const maxMissingIDs = 10

func newIntentShow() *cobra.Command {
	r := command.AnswerFlags{Format: command.FormatYAML}
	var traffic bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show an intent with its paths",
		Example: `  weir intent show web
  weir intent show web --traffic`,
		Args: command.WantArgs(1, 1, "ID, such as web: weir intent list shows them"),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			in, err := c.Intent(cmd.Context(), args[0])
			if err == nil && traffic {
				in.Traffic, err = trafficOf(cmd.Context(), c, args[0])
			}
			if err != nil {
				return command.Explained(err)
			}
			shown, err := switchNames(cmd.Context(), c)
			if err != nil {
				return command.Explained(err)
			}
			return command.RuntimeError(writeIntent(cmd.OutOrStdout(), r.Format, in, shown))
		}),
	}
	r.AddFlags(cmd)
	cmd.Flags().BoolVar(&traffic, "traffic", false,
		"with the packets and bytes that came in, and their rates, read from the switches, twice where there is no rate yet (in JSON the counts are hexadecimal, as in the REST API)")
	return cmd
}

func newIntentList() *cobra.Command {
	var r command.AnswerFlags
	var states []string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List intents",
		Long:  "List intents, in the order in which they were accepted; weir get intents --watch follows changes.",
		Example: `  weir intent list
  weir intent list --state failed --state waiting`,
		Args: command.WantNoArgs,
		RunE: r.WithClient(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			p, err := c.Intents(cmd.Context(), states...)
			if err != nil {
				return command.Explained(err)
			}
			return command.Explained(intentResource.write(cmd.Context(), c, cmd.OutOrStdout(), r.Format, p.Items, p.Items))
		}),
	}
	r.AddFlags(cmd)
	cmd.Flags().StringArrayVar(&states, "state", nil,
		"only those in this state: submitted, waiting, installing, installed, rerouting, degraded, failed, withdrawing")
	return cmd
}

func newIntentWait() *cobra.Command {
	var r command.APIFlags
	limit := 30 * time.Second
	cmd := &cobra.Command{
		Use:   "wait ID",
		Short: "Wait until an intent is installed",
		Long:  "Wait until every switch on the path of an intent has confirmed its rules. Otherwise the exit code is 1, and the state is shown.",
		Example: `  weir intent wait web
  weir intent wait web --timeout 5s`,
		Args: command.WantArgs(1, 1, "ID, such as web: weir intent list shows them"),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			in, err := c.WaitIntent(cmd.Context(), args[0], limit)
			if err != nil {
				return command.Explained(err)
			}
			rows := [][]string{intentResource.header, intentResource.cells(*in)}
			if err := command.WriteTable(cmd.OutOrStdout(), rows); err != nil {
				return command.RuntimeError(err)
			}
			return notInstalled(in, limit)
		}),
	}
	r.AddFlags(cmd)
	cmd.Flags().DurationVar(&limit, "timeout", limit, "how long to wait, at most 50s")
	return cmd
}

var intentResource = &resource[client.Intent]{
	named: true, event: "intent", single: true,
	header: []string{"ID", "KIND", "SRC", "DST", "SELECTOR", "PRIORITY", "STATE", "DETAIL"},
	cells: func(in client.Intent) []string {
		src, dst := in.Src.String(), in.Dst.String()
		if n := len(in.Hops); n > 0 {
			src = fmt.Sprintf("%s/%d", in.Hops[0].DPID, in.Hops[0].In)
			dst = fmt.Sprintf("%s/%d", in.Hops[n-1].DPID, in.Hops[n-1].Out)
		}
		kind := in.Kind
		if in.Wide {
			kind += "(wide)"
		}
		return []string{in.ID, kind, src, dst, match(in.Selector), fmt.Sprint(in.Priority), stateOf(&in), in.Detail}
	},
	key: func(in client.Intent) string { return in.ID },
	list: listOrOne(func(c *client.Client, ctx context.Context) (*client.Page[client.Intent], error) {
		return c.Intents(ctx)
	}, (*client.Client).Intent),
	matches: func(in client.Intent, id string) bool { return in.ID == id },
}

func writeAnswers(out io.Writer, f command.Format, list []client.IntentAnswer, missing bool) error {
	refused := 0
	rows := [][]string{{"ID", "STATUS", "STATE", "DETAIL"}}
	for i := range list {
		a := &list[i]
		if !a.OK() && !(missing && a.Status == "not-found") {
			refused++
		}
		id, detail := a.ID, a.Detail
		if a.OK() || missing {
		} else if where := itemOf(a); id == "" {
			id = where
		} else {
			detail = where + ": " + detail
		}
		rows = append(rows, []string{id, a.Status, a.State, detail})
	}
	err := f.Write(out, list, func(w io.Writer) error { return command.WriteTable(w, rows) })
	if err == nil && refused > 0 {
		err = fmt.Errorf("%d of %d refused", refused, len(list))
	}
	return command.RuntimeError(err)
}

// itemOf names the item of a file or list that an answer is for: "item 1, line 5".
func itemOf(a *client.IntentAnswer) string {
	if a.Line > 0 {
		return fmt.Sprintf("item %d, line %d", a.Index, a.Line)
	}
	return fmt.Sprintf("item %d", a.Index)
}
