package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

func newPath() *cobra.Command {
	var r command.AnswerFlags
	var k int
	var disjoint string
	var ports bool
	cmd := &cobra.Command{
		Use:   "path A B",
		Short: "Show the path that the system takes from A to B, and alternatives",
		Long: `Show the path that the system takes from A to B, and alternatives. A and B are hosts by id (MAC, or MAC/vlan) or IP address,
or switches by datapath id or name. PATH is the switches in order, with A and B before and behind them if they are hosts; with
--ports each switch is written IN:SWITCH:OUT, with the ports that packets come in and go out by. The path of RANK 1 is the one that would be
taken. A path is IN_USE if rules of the system send packets of the two hosts along it now. INTENTS are those whose packets take it;
between two hosts, a path that only intents take is among those shown.`,
		Example: `  weir path 00:00:00:00:00:01 00:00:00:00:00:02
  weir path 10.0.0.1 spine-1 --ports
  weir path 1 4 -k 8 --disjoint link`,
		Args: command.WantArgs(2, 2, "A B: hosts or switches, such as 10.0.0.1 10.0.0.2"),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			if disjoint != "" && disjoint != "link" && disjoint != "switch" {
				return fmt.Errorf("--disjoint=%s given, want link or switch", disjoint)
			}
			p, err := c.Paths(cmd.Context(), args[0], args[1], k, disjoint)
			switch {
			case err != nil:
				return command.Explained(err)
			case r.Format.IsTable() && len(p.Items) == 0:
				return command.RuntimeError(fmt.Errorf("there is no path from %s to %s: weir get links shows what is up",
					args[0], args[1]))
			}
			shown, err := namesForFormat(cmd.Context(), c, r.Format)
			if err != nil {
				return command.Explained(err)
			}
			return r.Format.Write(cmd.OutOrStdout(), p, func(w io.Writer) error {
				return writePaths(w, p.Items, pathFormat{args[0], args[1], ports, shown})
			})
		}),
	}
	r.AddFlags(cmd)
	cmd.Flags().BoolVar(&ports, "ports", false, "with the ports of each switch, as IN:SWITCH:OUT")
	cmd.Flags().IntVarP(&k, "paths", "k", 4, "at most so many paths")
	cmd.Flags().StringVar(&disjoint, "disjoint", "", "what paths must not share: link, or switch (neither)")
	return cmd
}

// pathFormat is how paths are written: between which ends, with ports or not, and by which names.
type pathFormat struct {
	src, dst string
	ports    bool
	names    names
}

// arrow joins the nodes of a path.
const arrow = " -> "

// text formats a path: "10.0.0.1 -> s1 -> s2 -> 10.0.0.2". An end that is a switch is a hop of the
// path already, and has no port on its outer side.
func (f *pathFormat) text(p *client.Path) string {
	var nodes []string
	for i, h := range p.Hops {
		if i == 0 && h.In != nil {
			nodes = append(nodes, f.src)
		}
		node := h.DPID
		if f.ports {
			node = port(h.In) + ":" + node + ":" + port(h.Out)
		}
		nodes = append(nodes, node)
		if i == len(p.Hops)-1 && h.Out != nil {
			nodes = append(nodes, f.dst)
		}
	}
	return f.names.replace(strings.Join(nodes, arrow))
}

func writePaths(w io.Writer, paths []client.Path, f pathFormat) error {
	rows := [][]string{{"RANK", "COST", "IN_USE", "INTENTS", "PATH"}}
	for i := range paths {
		p := &paths[i]
		rows = append(rows, []string{fmt.Sprint(i + 1), fmt.Sprint(p.Cost), yesNo(p.InUse), firstIDs(p.Intents), f.text(p)})
	}
	return command.WriteTable(w, rows)
}

// firstIDs lists the first ids, and how many more there are.
func firstIDs(ids []string) string {
	const shown = 3
	if len(ids) <= shown {
		return strings.Join(ids, ",")
	}
	return strings.Join(ids[:shown], ",") + fmt.Sprintf(",+%d", len(ids)-shown)
}

// port formats a hop's port; at an end that is a switch there is none.
func port(p *uint32) string {
	if p == nil {
		return "-"
	}
	return portNumber(*p)
}
