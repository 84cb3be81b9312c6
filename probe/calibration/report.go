package calibration

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/weirnet/weir/bench/report"
)

// Report is a report of comparisons: each time with its spread, and a table of all rows. Rows that
// have to have a figure and have none are refused.
func (c *Config) Report(scenario, title string, comparisons ...*Comparison) *report.Report {
	r := &report.Report{Format: report.Format, Scenario: scenario, Title: title, Command: c.Command, Build: c.Build,
		Machine: report.ThisMachine(), Load: report.Load{Topology: c.topology(), Runs: c.Count}}
	if v := c.versions(); len(v) > 0 {
		r.Load.OpenFlow, r.Load.Switches = v[0].String(), 1
	}
	for _, x := range comparisons {
		for i := range x.Rows {
			x.Rows[i].report(r, x)
		}
		r.Tables = append(r.Tables, x.table())
	}
	r.Finish()
	for _, x := range r.Results {
		for _, m := range x.Measures {
			m.Ratios = nil // those of other quantities
		}
	}
	for _, x := range comparisons {
		if x.Failed() && r.Verdict == report.Valid {
			r.Verdict = fmt.Sprintf("beyond %.0f %%", 100*MaxOff)
		}
	}
	return r
}

// topology is what was measured, in a report.
func (c *Config) topology() string {
	if c.From.Interface == "" {
		return "an emulated switch"
	}
	return c.From.String() + " to " + c.To.String()
}

// report adds the times of a row, or why there are none.
func (r *Row) report(to *report.Report, c *Comparison) {
	if r.Want.Unit != micros || r.Want.Optional && r.Want.Refused != nil {
		return
	}
	x := to.Add(c.Seen + ": " + r.Quantity.String())
	switch {
	case r.Want.Refused != nil:
		x.Refuse(fmt.Errorf("%s: %w", c.Want, r.Want.Refused))
		return
	case r.Mark == NoSeen:
		x.Refuse(fmt.Errorf("%s: %w", c.Seen, cmp.Or(r.Seen.Refused, errNotSeen)))
		return
	}
	for _, f := range []struct {
		name string
		*Figure
	}{{c.Seen, &r.Seen}, {c.Want, &r.Want}, {"floor", &r.Floor}} {
		for _, v := range f.Runs {
			x.Take(f.name, f.Unit, v)
		}
		if len(f.Runs) == 0 && f.Value > 0 {
			x.Take(f.name, f.Unit, f.Value)
		}
	}
	if r.Mark != Within {
		x.Notes = append(x.Notes, string(r.Mark))
	}
}

var errNotSeen = errors.New("it was not measured")

// table is the comparison for people. Why rows have no figure follows in notes.
func (c *Comparison) table() *report.Table {
	t := &report.Table{Title: c.Want + " and " + c.Seen, Head: []string{"quantity", "size", "load", c.Want, c.Seen, "ratio",
		"floor", "mark"}}
	for i := range c.Rows {
		r := &c.Rows[i]
		ratio := "–"
		if r.Ratio > 0 {
			ratio = fmt.Sprintf("%.2f", r.Ratio)
			if r.Margin > 0 {
				ratio += fmt.Sprintf(" ± %.2f", r.Margin)
			}
		}
		floor := ""
		if r.Floor.Value > 0 {
			floor = r.Floor.show()
		}
		t.Rows = append(t.Rows, []string{r.Name, r.size(), r.load(), r.Want.show(), r.Seen.show(), ratio, floor, string(r.Mark)})
	}
	return t
}

// WriteCSV writes comparisons as a table, a line for each row: times in microseconds, rates a second.
func WriteCSV(w io.Writer, comparisons ...*Comparison) error {
	t := csv.NewWriter(w)
	if err := t.Write([]string{"wanted_of", "seen_of", "quantity", "size", "load_bps", "unit", "wanted", "seen", "floor",
		"ratio", "margin", "mark", "why"}); err != nil {
		return err
	}
	number := func(v float64) string {
		if v == 0 {
			return ""
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	for _, c := range comparisons {
		for i := range c.Rows {
			r := &c.Rows[i]
			why := ""
			if err := errors.Join(r.Want.Refused, r.Seen.Refused); err != nil {
				why = err.Error()
			}
			err := t.Write([]string{c.Want, c.Seen, r.Name, strconv.Itoa(r.Size), strconv.FormatUint(r.LoadBPS, 10), r.Want.Unit,
				number(r.Want.Value), number(r.Seen.Value), number(r.Floor.Value), number(r.Ratio), number(r.Margin),
				string(r.Mark), why})
			if err != nil {
				return err
			}
		}
	}
	t.Flush()
	return t.Error()
}
