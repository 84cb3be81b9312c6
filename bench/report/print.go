package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Print writes the report as text. Of a subject without a result it tells why, and no figure.
func (r *Report) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s, %s, %s\n", r.Scenario, strings.TrimPrefix(r.Title, r.Scenario+": "), r.Load.Topology,
		Plural(r.Load.Runs, "run", "runs"))
	fmt.Fprintf(w, "%s\n%s\n%s\n\n", r.Command, r.Machine, r.Build)
	var valid []*Result
	for _, x := range r.Results {
		if x.Refused == "" {
			valid = append(valid, x)
		}
	}
	if err := printResults(w, valid); err != nil {
		return err
	}
	for _, t := range r.Tables {
		if err := t.print(w); err != nil {
			return err
		}
	}
	for _, x := range r.Results {
		if x.Refused != "" {
			fmt.Fprintf(w, "%s: no result: %s\n", x.Subject, x.Refused)
		}
		if x.Repeated > 0 {
			fmt.Fprintf(w, "%s: the generator was late in %s, done again\n", x.Subject, Plural(x.Repeated, "run", "runs"))
		}
		for _, note := range x.Notes {
			fmt.Fprintf(w, "%s: %s\n", x.Subject, note)
		}
	}
	if f := r.Fidelity; f != nil {
		fmt.Fprintf(w, "emulated network: %s\n", f)
	}
	return nil
}

// print prints a table under its title.
func (t *Table) print(w io.Writer) error {
	fmt.Fprintf(w, "\n%s\n", t.Title)
	lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		fmt.Fprintln(lines, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	if err := lines.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// printResults prints those that there are: each with its measures, its times, and what its
// processes took.
func printResults(w io.Writer, results []*Result) error {
	if len(results) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\tmeasure\tmedian\t(least - greatest)\t\n")
	for _, x := range results {
		for _, m := range x.Measures {
			fmt.Fprintf(t, "%s\t%s\t%s %s\t(%s - %s)\t%s\n", x.Subject, m.Name, ThreeDigits(m.Median), m.Unit,
				ThreeDigits(m.Least), ThreeDigits(m.Greatest), m.ratios())
		}
		for _, p := range x.Processes {
			fmt.Fprintf(t, "%s\tCPU of the %s\t%s µs each\t(%s - %s)\t%s MiB\n", x.Subject, p.Name,
				ThreeDigits(p.CPUPerWork.Median),
				ThreeDigits(p.CPUPerWork.Least), ThreeDigits(p.CPUPerWork.Greatest), ThreeDigits(p.RSS.Median))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if !slices.ContainsFunc(results, func(x *Result) bool { return len(x.Times) > 0 }) {
		return nil
	}
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\ttime\tp50\tp90\tp99\tp99.9\tmax\tof\n")
	for _, x := range results {
		for _, d := range x.Times {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", x.Subject, d.Name, FormatMicros(d.P50), FormatMicros(d.P90),
				FormatMicros(d.P99), FormatMicros(d.P999), FormatMicros(d.Max), Thousands(d.Count))
		}
	}
	return t.Flush()
}

// ratios prints a measure's ratios to those of others.
func (m *Measure) ratios() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m.Ratios)) {
		out = append(out, fmt.Sprintf("%s × %s", ThreeDigits(m.Ratios[name]), name))
	}
	return strings.Join(out, ", ")
}

// String says how well an emulated network kept its promises.
func (f *Fidelity) String() string {
	s := "nothing was promised for a time"
	if f.Promises > 0 {
		s = fmt.Sprintf("of %s promises %s were late: by %s (p50), %s (p99), %s at most",
			Thousands(f.Promises), Thousands(f.Late),
			FormatMicros(f.LatenessP50), FormatMicros(f.LatenessP99), FormatMicros(f.LatenessMax))
	}
	s += fmt.Sprintf("; a frame waited for its turn for %s at most", FormatMicros(f.Wait))
	if !f.Kept {
		s += "; times were not kept: " + f.Why
	}
	return s
}
