package cli

import (
	"context"
	"regexp"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

// names maps datapath ids to the names that tables show in their place. A name that several
// switches have is left out.
type names map[string]string

// dpidIn finds datapath ids in cells: words of 16 hexadecimal digits.
var dpidIn = regexp.MustCompile(`\b[0-9a-f]{16}\b`)

func switchNames(ctx context.Context, c *client.Client) (names, error) {
	p, err := c.Switches(ctx)
	if err != nil {
		return nil, err
	}
	n, has := names{}, map[string]int{}
	for _, s := range p.Items {
		has[s.Name]++
	}
	for _, s := range p.Items {
		if s.Name != "" && has[s.Name] == 1 {
			n[s.DPID] = s.Name
		}
	}
	return n, nil
}

// replaceIn puts names into rows, in place.
func (n names) replaceIn(rows [][]string) [][]string {
	for _, row := range rows {
		for i := range row {
			row[i] = n.replace(row[i])
		}
	}
	return rows
}

func (n names) replace(s string) string {
	if len(n) == 0 {
		return s
	}
	return dpidIn.ReplaceAllStringFunc(s, func(dpid string) string {
		if name := n[dpid]; name != "" {
			return name
		}
		return dpid
	})
}

// namesForFormat returns the names that a format shows: none unless it is FormatTable.
func namesForFormat(ctx context.Context, c *client.Client, f command.Format) (names, error) {
	if f != command.FormatTable {
		return nil, nil
	}
	return switchNames(ctx, c)
}
