package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
)

func newPath() *cobra.Command {
	var r remote
	f := formatTable
	var k int
	var disjoint string
	cmd := &cobra.Command{
		Use:   "path A B",
		Short: "Show the path that the system takes from A to B, and alternatives",
		Long: `Show the path that the system takes from A to B, and alternatives. A and B are hosts by id (MAC, or MAC/vlan) or IP address,
or switches by datapath id or name. A hop is a switch, written IN:DPID:OUT with the ports that traffic comes in and goes out by. A path
is in use if the system has made rules by which what the two hosts send takes it now; without any, the first is the one that would be taken. INTENTS are those whose
packets take it; between two hosts, a path that only intents take is among those shown.`,
		Example: `  weir path 00:00:00:00:00:01 00:00:00:00:00:02
  weir path 10.0.0.1 spine-1
  weir path 1 4 -k 8 --disjoint link`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if disjoint != "" && disjoint != "link" && disjoint != "switch" {
				return fmt.Errorf("--disjoint=%s given, want link or switch", disjoint)
			}
			c, err := r.client()
			if err != nil {
				return err
			}
			defer c.Close()
			p, err := c.Paths(cmd.Context(), args[0], args[1], k, disjoint)
			switch {
			case err != nil:
				return hint(err)
			case !f.table():
				return atRun(writeValue(cmd.OutOrStdout(), f, p))
			case len(p.Items) == 0:
				return atRun(fmt.Errorf("there is no path from %s to %s: weir get links shows what is up", args[0], args[1]))
			}
			shown, err := namesFor(cmd.Context(), c, f)
			if err != nil {
				return hint(err)
			}
			return atRun(writePaths(&table{w: cmd.OutOrStdout()}, p.Items, shown))
		},
	}
	r.addFlags(cmd)
	cmd.Flags().VarP(&f, "output", "o", "how to write the answer")
	cmd.Flags().IntVarP(&k, "paths", "k", 4, "at most so many paths")
	cmd.Flags().StringVar(&disjoint, "disjoint", "", "what paths must not share: link, or switch (neither)")
	return cmd
}

func writePaths(t *table, paths []client.Path, shown names) error {
	rows := [][]string{{"PATH", "COST", "IN_USE", "INTENTS", "HOPS"}}
	for i, p := range paths {
		hops := make([]string, len(p.Hops))
		for j, h := range p.Hops {
			hops[j] = port(h.In) + ":" + h.DPID + ":" + port(h.Out)
		}
		rows = append(rows, []string{fmt.Sprint(i + 1), fmt.Sprint(p.Cost), yes(p.InUse), few(p.Intents), strings.Join(hops, " ")})
	}
	shown.in(rows[1:])
	t.fit(rows...)
	return t.write(rows...)
}

// few are the first of some ids, and how many more there are.
func few(ids []string) string {
	const shown = 3
	if len(ids) <= shown {
		return strings.Join(ids, ",")
	}
	return strings.Join(ids[:shown], ",") + fmt.Sprintf(",+%d", len(ids)-shown)
}

// port is a hop's port; at an end that is a switch there is none.
func port(p *uint32) string {
	if p == nil {
		return "-"
	}
	return portNumber(*p)
}
