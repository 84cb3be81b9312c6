package paper

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/weirnet/weir/bench/report"
)

// titles are what points of a kind have measured.
var titles = map[Kind]string{
	Latency: "two-way path latency from H2 to H1",
	Setup:   "flow set-up from H2 to H1",
	TCP:     "throughput of TCP from H2 to H1",
	UDP:     "throughput, jitter and loss of UDP from H2 to H1",
}

// rulesText says how rules came to be.
var rulesText = map[Rules]string{
	Reactive:  "rules set up by the first packet",
	Installed: "rules installed before",
	AsTheyAre: "the switch as it is",
}

// errNotYet is of a point that is not over.
var errNotYet = errors.New("not measured yet: the same command without --report goes on")

// Reports are what was measured of some points: a report for each kind and rules, in their order.
// A point that is not over has no result.
func (c *Campaign) Reports(points []Point) (list []*report.Report) {
	var group string
	for _, p := range points {
		if p.group() != group {
			group = p.group()
			list = append(list, c.report(p))
		}
		r := list[len(list)-1]
		k := c.of(p)
		if k == nil {
			r.Add(p.Subject()).Refuse(errNotYet)
			continue
		}
		if !c.over(p) {
			r.Add(p.Subject()).Refuse(fmt.Errorf("%w; %d of %d runs are kept", errNotYet, k.Runs, c.Parameters.runs(p.Kind)))
			continue
		}
		r.Results = append(r.Results, copyOf(k.Result))
	}
	for _, r := range list {
		r.Finish()
		plain(r)
	}
	return list
}

// copyOf is a result whose measures can be changed.
func copyOf(x *report.Result) *report.Result {
	out := *x
	out.Measures = slices.Clone(x.Measures)
	for i, m := range x.Measures {
		m := *m
		out.Measures[i] = &m
	}
	return &out
}

// plain takes ratios out of a report: its points are no subjects that are compared with each other.
func plain(r *report.Report) {
	for _, x := range r.Results {
		for _, m := range x.Measures {
			m.Ratios = nil
		}
	}
}

// report is that of a point's kind and rules, without results.
func (c *Campaign) report(p Point) *report.Report {
	quick := ""
	if c.Parameters.Quick {
		quick = ", quick: not as many and as long as the paper's"
	}
	r := &report.Report{Format: report.Format, Scenario: "probe paper",
		Title:   fmt.Sprintf("%s, %s%s", titles[p.Kind], rulesText[p.Rules], quick),
		Command: c.Command, Build: c.Build, Machine: c.Machine,
		Load: report.Load{Topology: c.Switch, Switches: 1, Runs: c.Parameters.Probes}}
	if r.Load.Topology == "" {
		r.Load.Topology = "four hosts at one switch"
	}
	if p.Kind == TCP || p.Kind == UDP {
		r.Load.Runs, r.Load.Seconds = c.Parameters.Transfers, c.Parameters.Seconds
	}
	return r
}

// Groups are the names of the reports of some points, for files, in their order.
func Groups(points []Point) (names []string) {
	for _, p := range points {
		if !slices.Contains(names, p.group()) {
			names = append(names, p.group())
		}
	}
	return names
}

// WriteCSV writes each figure of each run of some points as a line, and a line for each that was
// refused.
func (c *Campaign) WriteCSV(w io.Writer, points []Point) error {
	t := csv.NewWriter(w)
	lines := [][]string{{"kind", "rules", "background_mbps_each", "size", "figure", "unit", "run", "value", "refused"}}
	for _, p := range points {
		k := c.of(p)
		if k == nil {
			continue
		}
		at := []string{string(p.Kind), string(p.Rules), strconv.Itoa(p.Background), strconv.Itoa(p.Size)}
		line := func(cells ...string) { lines = append(lines, append(slices.Clone(at), cells...)) }
		if k.Result.Refused != "" {
			line("", "", "", "", k.Result.Refused)
		}
		for _, m := range k.Result.Measures {
			for i, v := range m.Runs {
				line(m.Name, m.Unit, strconv.Itoa(i+1), strconv.FormatFloat(v, 'g', -1, 64), "")
			}
		}
	}
	return t.WriteAll(lines)
}
