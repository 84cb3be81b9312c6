package cli

import (
	"context"
	"regexp"

	"github.com/weirnet/weir/api/client"
)

// names are the names of switches by datapath id, which tables show in its place. A name that several have is none.
type names map[string]string

// dpidIn finds datapath ids in cells: 16 digits, and no part of a longer word.
var dpidIn = regexp.MustCompile(`\b[0-9a-f]{16}\b`)

func namesOf(ctx context.Context, c *client.Client) (names, error) {
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

// in shows rows with names; they are changed.
func (n names) in(rows [][]string) [][]string {
	for _, row := range rows {
		for i := range row {
			row[i] = n.text(row[i])
		}
	}
	return rows
}

func (n names) text(s string) string {
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

// namesFor are the names that a table of a format shows: none where ids are wanted.
func namesFor(ctx context.Context, c *client.Client, f format) (names, error) {
	if f != formatTable {
		return nil, nil
	}
	return namesOf(ctx, c)
}
