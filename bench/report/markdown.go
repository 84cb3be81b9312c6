package report

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Markdown writes reports as tables: one for each, with all measures, times and processes, under
// its title, command and machine.
func Markdown(w io.Writer, reports []*Report) error {
	for _, r := range reports {
		_, err := fmt.Fprintf(w, "## %s\n\n`%s`\n\n%s. %s.\n\n| | what | median | least – greatest | runs |\n|---|---|---|---|---|\n",
			escaped(r.Title), r.Command, r.Machine, r.Build)
		if err != nil {
			return err
		}
		for _, x := range r.Results {
			if err := x.markdown(w); err != nil {
				return err
			}
		}
		for _, t := range r.Tables {
			if err := t.markdown(w); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

// markdown writes the rows of a subject.
func (x *Result) markdown(w io.Writer) error {
	var b strings.Builder
	row := func(what, unit string, s *Spread) {
		fmt.Fprintf(&b, "| %s | %s | %s %s | %s – %s | %d |\n", escaped(x.Subject), escaped(what), ThreeDigits(s.Median),
			unit, ThreeDigits(s.Least), ThreeDigits(s.Greatest), len(s.Runs))
	}
	if x.Refused != "" {
		fmt.Fprintf(&b, "| %s | no result: %s | | | |\n", escaped(x.Subject), escaped(x.Refused))
	}
	for _, m := range x.Measures {
		row(m.Name, m.Unit, &m.Spread)
		for _, name := range slices.Sorted(maps.Keys(m.Ratios)) {
			fmt.Fprintf(&b, "| %s | %s ÷ %s | %s | | |\n", escaped(x.Subject), escaped(m.Name), escaped(name),
				ThreeDigits(m.Ratios[name]))
		}
	}
	for _, d := range x.Times {
		fmt.Fprintf(&b, "| %s | %s: p50, p99, max | %s, %s, %s | | %d |\n", escaped(x.Subject), escaped(d.Name),
			FormatMicros(d.P50), FormatMicros(d.P99), FormatMicros(d.Max), d.Count)
	}
	for _, p := range x.Processes {
		row("CPU of the "+p.Name+", each", "µs", &p.CPUPerWork)
		row("memory of the "+p.Name, "MiB", &p.RSS)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown writes a table under its title.
func (t *Table) markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s:\n\n", escaped(t.Title))
	for i, row := range append([][]string{t.Head}, t.Rows...) {
		for _, cell := range row {
			b.WriteString("| " + escaped(cell) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// escaped is text within a cell.
func escaped(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "|", "\\|"), "\n", " ")
}

// Merge is one report of several of the same scenario and load, as if their runs had been one
// report's: of measures and processes. Distributions are those of the first, since percentiles have
// no median.
func Merge(reports []*Report) (*Report, error) {
	if len(reports) == 0 {
		return nil, errors.New("no reports given")
	}
	first := reports[0]
	for _, r := range reports[1:] {
		if r.Scenario != first.Scenario || r.Title != first.Title {
			return nil, fmt.Errorf("%q and %q given, want reports of one scenario with equal loads", first.Title, r.Title)
		}
		first.Load.Runs += r.Load.Runs
		for _, x := range r.Results {
			mine := find(first.Results, func(y *Result) bool { return y.Subject == x.Subject })
			if mine == nil {
				mine = first.Add(x.Subject)
			}
			mine.Join(x)
		}
	}
	first.Finish()
	return first, nil
}

// Join adds the runs of another result: of measures and processes, and notes that are not there yet. One
// without a result leaves none.
func (x *Result) Join(other *Result) {
	switch {
	case x.Refused != "":
		return
	case other.Refused != "":
		x.Refuse(errors.New(other.Refused))
		return
	}
	for _, note := range other.Notes {
		if !slices.Contains(x.Notes, note) {
			x.Notes = append(x.Notes, note)
		}
	}
	for _, m := range other.Measures {
		x.Take(m.Name, m.Unit, m.Runs...)
	}
	for i, p := range other.Processes {
		if i < len(x.Processes) && x.Processes[i].Name == p.Name {
			mine := x.Processes[i]
			mine.CPUSeconds.Take(p.CPUSeconds.Runs...)
			mine.CPUPerWork.Take(p.CPUPerWork.Runs...)
			mine.RSS.Take(p.RSS.Runs...)
		}
	}
}
