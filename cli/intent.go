package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
)

func newIntent() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "intent",
		Short: "Say what is to be connected",
		Long: `Say what is to be connected. The instance chooses paths, programs the switches, and keeps it so when links fail, hosts move and
switches forget, until it is withdrawn. What was accepted is on the disk: docs/intents.md tells the kinds, states and limits.`,
		Example: `  weir intent add --host 10.0.0.1 10.0.0.2
  weir intent add --id web --from s1/1 --to s3/2 --match ipv4_src=10.0.0.1 --match tcp_dst=80 --wait
  weir intent list
  weir intent rm web`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newIntentAdd(), newIntentReplace(), newIntentRemove(), newIntentShow(), newIntentList(), newIntentWait())
	return cmd
}

const wishText = `Which packets: --match gives fields of OpenFlow 1.3 by name (ipv4_dst=10.0.0.0/8, tcp_dst=80, vlan_vid=100); prerequisites are filled in.
Without any it is all IPv4 and all IPv6 that comes in there; between hosts everything, ARP and neighbour discovery included.

Between what: --host A B connects two hosts, both ways (ids, or IP addresses that are known). --from and --to connect one way, from
SWITCH/PORT to SWITCH/PORT: a switch by name, or by datapath id, which is hexadecimal (10 is switch 16), a port by number or name. What is not known yet
is noted, and the intent waits for it. Several --from are one intent of kind multipoint-to-point, several --to point-to-multipoint, where each gets a copy. --hop SWITCH:IN:OUT, ingress first, gives the path itself.

An intent that crosses a link between switches and says nothing exact of who sends (eth_src, ipv4_src or ipv6_src) would take everybody's packets that match
on that link. It is refused, unless --wide says that they are meant.`

func newIntentAdd() *cobra.Command {
	var r remote
	var w wish
	f := formatTable
	cmd := &cobra.Command{
		Use:   "add {--host A B | --from P --to Q | --hop S:IN:OUT … | -f FILE}",
		Short: "Ask for an intent, or for those of a file",
		Long: `Ask for an intent, or for those of a file. The command returns when it is on the instance's disk; with --wait, when every switch on the
path has confirmed it. The same again with the same --id is the same intent.

` + wishText + `

With -f, FILE holds one intent, a list, or {items: […], atomic: true}, in YAML or JSON, with the fields of the REST interface
(kind, src, dst, selector, …); switches may be given by name, hosts by IP address, connect points as SWITCH/PORT.`,
		Example: `  weir intent add --host 00:00:00:00:00:01 00:00:00:00:00:02
  weir intent add --id web --from s1/1 --to s3/2 --match ipv4_src=10.0.0.1 --match tcp_dst=80 --wait
  weir intent add --from s1/1 --from s2/1 --to s3/2 --wide
  weir intent add --hop s1:1:2 --hop s2:1:3 --match eth_type=0x88b5 --wide
  weir intent add -f intents.yaml --wait`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := r.client()
			if err != nil {
				return err
			}
			defer c.Close()
			if w.file != "" {
				return w.addFile(cmd, c, f)
			}
			q, err := w.request(cmd.Context(), c, args)
			if err != nil {
				return err
			}
			w.note(cmd.Context(), c, cmd.ErrOrStderr())
			a, err := c.CreateIntent(cmd.Context(), q, w.options())
			if err != nil {
				return hint(err)
			}
			return w.writeAnswers(cmd, c, f, []client.IntentAnswer{*a})
		},
	}
	r.addFlags(cmd)
	w.addFlags(cmd)
	cmd.Flags().StringVar(&w.id, "id", "", "its name; the instance chooses one if none is given")
	cmd.Flags().StringVarP(&w.file, "file", "f", "", "a file of intents, YAML or JSON; - is standard input")
	cmd.Flags().BoolVar(&w.atomic, "atomic", false, "of a file: all are taken, or none")
	cmd.Flags().StringVar(&w.key, "key", "", "an idempotency key: the same request with the same key makes one intent")
	cmd.Flags().VarP(&f, "output", "o", "how to write the answer")
	return cmd
}

func newIntentReplace() *cobra.Command {
	var r remote
	var w wish
	var match string
	f := formatTable
	cmd := &cobra.Command{
		Use:   "replace ID {--host A B | --from P --to Q | --hop S:IN:OUT …}",
		Short: "Give an intent another content, without loss; or make it",
		Long: `Give an intent another content, without loss; or make it if there is none of this id.

` + wishText,
		Example: `  weir intent replace web --from s1/1 --to s4/2 --match ipv4_src=10.0.0.1 --match tcp_dst=80 --wait
  weir intent replace web --host 10.0.0.1 10.0.0.9 --if-match a86463e21495c6ef`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := r.client()
			if err != nil {
				return err
			}
			defer c.Close()
			w.id = args[0]
			q, err := w.request(cmd.Context(), c, args[1:])
			if err != nil {
				return err
			}
			w.note(cmd.Context(), c, cmd.ErrOrStderr())
			o := w.options()
			o.IfMatch = match
			a, err := c.ReplaceIntent(cmd.Context(), q, o)
			if err != nil {
				return hint(err)
			}
			return w.writeAnswers(cmd, c, f, []client.IntentAnswer{*a})
		},
	}
	r.addFlags(cmd)
	w.addFlags(cmd)
	cmd.Flags().StringVar(&match, "if-match", "", "the etag that it must have (weir intent show)")
	cmd.Flags().VarP(&f, "output", "o", "how to write the answer")
	return cmd
}

func newIntentRemove() *cobra.Command {
	var r remote
	var force bool
	cmd := &cobra.Command{
		Use:   "rm ID …",
		Short: "Withdraw intents",
		Long: `Withdraw intents. The command returns when that is on the instance's disk; an intent vanishes when its rules are gone from the
switches, and its id is free then. An id that no intent has is a failure, after which the others are withdrawn all the same; with --force it is
told, and is none.`,
		Example: `  weir intent rm web
  weir intent rm flow-1 flow-2 flow-3
  weir intent rm --force perhaps`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := r.client()
			if err != nil {
				return err
			}
			defer c.Close()
			a, err := c.WithdrawIntents(cmd.Context(), args)
			if err != nil {
				return hint(err)
			}
			if err := writeAnswers(cmd.OutOrStdout(), formatTable, a.Items, true); err != nil || force {
				return err
			}
			return noneOf(a.Items)
		},
	}
	r.addFlags(cmd)
	cmd.Flags().BoolVar(&force, "force", false, "that there is no such intent is no failure")
	return cmd
}

// noneOf is the failure that some of what was to be withdrawn is not there, or nil.
func noneOf(list []client.IntentAnswer) error {
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
		return atRun(fmt.Errorf("there is no intent %s: weir intent list shows those that there are", missing[0]))
	case n > namedMissing:
		missing = append(missing[:namedMissing], fmt.Sprintf("and %d more", n-namedMissing))
	}
	return atRun(fmt.Errorf("there are no intents %s: weir intent list shows those that there are", strings.Join(missing, ", ")))
}

// namedMissing is how many ids an error names.
const namedMissing = 10

func newIntentShow() *cobra.Command {
	var r remote
	var traffic bool
	f := formatYAML
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show an intent with its paths",
		Example: `  weir intent show web
  weir intent show web --traffic`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := r.client()
			if err != nil {
				return err
			}
			defer c.Close()
			in, err := c.Intent(cmd.Context(), args[0])
			if err == nil && traffic {
				in.Traffic, err = trafficOf(cmd.Context(), c, args[0])
			}
			if err != nil {
				return hint(err)
			}
			shown, err := namesOf(cmd.Context(), c)
			if err != nil {
				return hint(err)
			}
			return atRun(writeIntent(cmd.OutOrStdout(), f, in, shown))
		},
	}
	r.addFlags(cmd)
	cmd.Flags().BoolVar(&traffic, "traffic", false, "with the packets and bytes that came in, and their rates: the switches are asked, twice where there is no rate yet (in JSON the counts are hexadecimal, as in the REST interface)")
	cmd.Flags().VarP(&f, "output", "o", "how to write the answer")
	return cmd
}

func newIntentList() *cobra.Command {
	var r remote
	var states []string
	f := formatTable
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List intents",
		Long:  "List intents, in the order in which they were asked for; weir get intents --watch goes on with changes.",
		Example: `  weir intent list
  weir intent list --state failed --state waiting`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := r.client()
			if err != nil {
				return err
			}
			defer c.Close()
			p, err := c.Intents(cmd.Context(), states...)
			if err != nil {
				return hint(err)
			}
			if !f.table() {
				return atRun(writeValue(cmd.OutOrStdout(), f, p.Items))
			}
			rows := [][]string{intentKind.header}
			for _, in := range p.Items {
				rows = append(rows, intentKind.cells(in))
			}
			shown, err := namesFor(cmd.Context(), c, f)
			if err != nil {
				return hint(err)
			}
			shown.in(rows[1:])
			return atRun(writeTable(cmd.OutOrStdout(), rows))
		},
	}
	r.addFlags(cmd)
	cmd.Flags().StringArrayVar(&states, "state", nil, "only those in this state: submitted, waiting, installing, installed, rerouting, degraded, failed, withdrawing")
	cmd.Flags().VarP(&f, "output", "o", "how to write the answer")
	return cmd
}

func newIntentWait() *cobra.Command {
	var r remote
	limit := 30 * time.Second
	cmd := &cobra.Command{
		Use:   "wait ID",
		Short: "Wait until an intent is installed",
		Long:  "Wait until every switch on the path of an intent has confirmed it. Exit code 1 says that it is not so, and what it is.",
		Example: `  weir intent wait web
  weir intent wait web --timeout 5s`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := r.client()
			if err != nil {
				return err
			}
			defer c.Close()
			in, err := c.WaitIntent(cmd.Context(), args[0], limit)
			if err != nil {
				return hint(err)
			}
			if err := writeTable(cmd.OutOrStdout(), [][]string{intentKind.header, intentKind.cells(*in)}); err != nil {
				return atRun(err)
			}
			return notInstalled(in, limit)
		},
	}
	r.addFlags(cmd)
	cmd.Flags().DurationVar(&limit, "timeout", limit, "how long to wait, at most 50s")
	return cmd
}

var intentKind = &rowKind[client.Intent]{
	name: "intents", singular: "intent", named: true, id: "ID", event: "intent", one: true,
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
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.Intent], error) {
		if id == "" {
			return c.Intents(ctx)
		}
		in, err := c.Intent(ctx, id)
		return single(in, err)
	},
	has: func(in client.Intent, id string) bool { return in.ID == id },
}

func writeAnswers(out io.Writer, f format, list []client.IntentAnswer, missing bool) error {
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
	var err error
	if f.table() {
		err = writeTable(out, rows)
	} else {
		err = writeValue(out, f, list)
	}
	if err == nil && refused > 0 {
		err = fmt.Errorf("%d of %d refused", refused, len(list))
	}
	return atRun(err)
}

// itemOf says which item of a file or a list an answer is to: "item 1, line 5".
func itemOf(a *client.IntentAnswer) string {
	if a.Line > 0 {
		return fmt.Sprintf("item %d, line %d", a.Index, a.Line)
	}
	return fmt.Sprintf("item %d", a.Index)
}
