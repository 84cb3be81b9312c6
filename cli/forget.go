package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

func newForget() *cobra.Command {
	var r command.AnswerFlags
	var withdraw, dryRun bool
	cmd := &cobra.Command{
		Use:   "forget KIND X",
		Short: "Forget a switch or host that is gone for good",
		Long: `Forget a switch or host that is gone for good. KIND is switch or host; X is a switch by datapath id or name, a host by its MAC, MAC/vlan or one
of its addresses. The answer shows what depends on it; with --dry-run nothing is forgotten.

A switch is forgotten with its links, hosts, counters, alarms and drains, for good. One that is connected is refused: stop it first. Intents that
are being withdrawn and wait for it end. Intents with an end there remain, and wait for it to come back; with --withdraw they end. Intents
that cross it get other paths. If it comes back it is a new switch: entries of ours that are not desired are removed from it then. Its
configuration is kept.

A host that still sends is learned again with its next packet. Its intents remain; with --withdraw they end.`,
		Example: `  weir forget switch spine-1 --dry-run
  weir forget switch 00000000000000a1 --withdraw
  weir forget host 00:00:00:00:00:07`,
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			id, err := resolve(cmd.Context(), c, args[0], args[1])
			if err != nil {
				return err
			}
			shown, err := namesForFormat(cmd.Context(), c, r.Format) // before: a forgotten switch has no name any more
			if err != nil {
				return command.Explained(err)
			}
			gone, err := c.Forget(cmd.Context(), args[0], id, withdraw, dryRun)
			if err != nil {
				return command.Explained(err)
			}
			return r.Format.Write(cmd.OutOrStdout(), gone, func(w io.Writer) error { return writeForgotten(w, gone, shown) })
		}),
	}
	command.TakeKindAndName(cmd, "switch", "host")
	r.AddFlags(cmd)
	cmd.Flags().BoolVar(&withdraw, "withdraw", false, "withdraw the intents that have an end there")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "forget nothing, and show what depends on it")
	return cmd
}

// writeForgotten prints what depended on it, a line for each kind of which there is any, and the
// notes.
func writeForgotten(w io.Writer, f *client.Forgotten, shown names) error {
	what := f.Kind + " " + f.Object
	if f.Name != "" {
		what += " (" + f.Name + ")"
	}
	done := "forgotten"
	if f.DryRun {
		done = "would be forgotten"
	}
	rows := [][]string{{"WHAT", "COUNT", "FIRST"}}
	row := func(name string, count int, first []string) {
		if count > 0 {
			list := strings.Join(first, ", ")
			if count > len(first) && len(first) > 0 {
				list += ", …"
			}
			rows = append(rows, []string{name, fmt.Sprint(count), list})
		}
	}
	row("links", f.Links.Count, f.Links.First)
	row("hosts", f.Hosts.Count, f.Hosts.First)
	row("pairs", f.Pairs, nil)
	row("intents-with-an-end", f.Intents.Ends.Count, f.Intents.Ends.First)
	row("intents-passing", f.Intents.Passing.Count, f.Intents.Passing.First)
	row("intents-being-withdrawn", f.Intents.Withdrawing.Count, f.Intents.Withdrawing.First)
	row("intents-withdrawn-now", f.Withdrawn, nil)
	row("drains", len(f.Drains), f.Drains)
	shown.replaceIn(rows[1:])
	row("configuration", len(f.Named), f.Named) // by ids, as in the file
	if len(rows) > 1 {
		if err := command.WriteTable(w, rows); err != nil {
			return err
		}
	}
	text := command.Printable(what+": "+done) + "\n"
	for _, n := range f.Notes {
		text += command.Printable("note: "+n) + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
