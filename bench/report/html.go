package report

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed page.html
var pageText string

// dashes tell lines apart where colours do not: in print, and for those who see colours otherwise.
var dashes = []template.CSS{"none", "7 3", "2 3", "9 3 2 3", "4 2", "12 4"}

// page is what the template is filled with.
type page struct {
	Title    string
	Build    string
	Machine  Machine
	Dashes   []template.CSS
	Sections []section
}

// section is one report.
type section struct {
	Title, Sub, Command string
	Bars                picture
	Curves              []picture
	Refused             []*Result
	Tables              []table
	Notes               []string
}

// table is one with a heading; the first cell of a row is its name.
type table struct {
	Head []string
	Rows [][]any // of strings and pictures
}

// picture is a plot with what its lines are.
type picture struct {
	What    string
	Picture template.HTML
	Key     []keyEntry
}

// keyEntry is one line's.
type keyEntry struct {
	Name  string
	Class int
}

// WriteHTML writes reports as one page that refers to nothing outside of it.
func WriteHTML(w io.Writer, reports []*Report) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	p := page{Title: "Weir: benchmarks", Dashes: dashes}
	colour := palette{}
	for i, r := range reports {
		if i == 0 {
			p.Build, p.Machine = r.Build, r.Machine
		}
		p.Sections = append(p.Sections, r.section(colour))
	}
	return t.Execute(w, p)
}

// section is the report for the page.
func (r *Report) section(colour palette) section {
	s := section{Title: r.Title, Command: r.Command, Sub: r.subtitle()}
	var valid []*Result
	for _, x := range r.Results {
		if x.Refused != "" {
			s.Refused = append(s.Refused, x)
			continue
		}
		valid = append(valid, x)
		s.note(x)
	}
	if len(r.Results) > 1 {
		s.compare(valid, colour)
	} else if len(valid) == 1 {
		s.single(valid[0])
	}
	for _, t := range r.Tables {
		x := table{Head: append([]string{t.Title}, t.Head[min(1, len(t.Head)):]...)}
		for _, row := range t.Rows {
			var cells []any
			for _, cell := range row {
				cells = append(cells, cell)
			}
			x.Rows = append(x.Rows, cells)
		}
		s.Tables = append(s.Tables, x)
	}
	for _, name := range timesOf(valid) {
		s.Curves = append(s.Curves, colour.picture(name, valid))
	}
	if f := r.Fidelity; f != nil {
		s.Notes = append(s.Notes, "Emulated network: "+f.String()+".")
	}
	return s
}

// timesOf are the names of all distributions of some results.
func timesOf(results []*Result) (names []string) {
	for _, x := range results {
		for _, d := range x.Times {
			if !slices.Contains(names, d.Name) {
				names = append(names, d.Name)
			}
		}
	}
	return names
}

// subtitle is what stands under a title: the load, and how busy the machine was.
func (r *Report) subtitle() string {
	l := r.Load
	parts := []string{l.Topology}
	if l.Hosts > 0 {
		parts = append(parts, fmt.Sprintf("%s hosts a switch", Thousands(l.Hosts)))
	}
	runs := Plural(l.Runs, "run", "runs")
	if l.Seconds > 0 {
		runs += fmt.Sprintf(" of %g s", l.Seconds)
	}
	return strings.Join(append(parts, runs, fmt.Sprintf("seed %d", l.Seed),
		"load average at the start "+r.Machine.LoadAvg), ", ") + "."
}

// picture is the plot of all distributions of a name.
func (p palette) picture(name string, results []*Result) picture {
	out := picture{Picture: template.HTML(p.curves(name, results))} // made of escaped text
	for _, x := range results {
		if d := x.Time(name); d != nil {
			out.What = name + ": " + d.What
			out.Key = append(out.Key, keyEntry{x.Subject, p.of(x.Subject)})
		}
	}
	return out
}

// note adds what a reader has to know of a result besides.
func (s *section) note(x *Result) {
	if x.Program != "" {
		s.Notes = append(s.Notes, x.Subject+": "+x.Program)
	}
	if x.Repeated > 0 {
		s.Notes = append(s.Notes,
			fmt.Sprintf("%s: the generator was late in %s, done again", x.Subject, Plural(x.Repeated, "run", "runs")))
	}
	for _, n := range x.Notes {
		s.Notes = append(s.Notes, x.Subject+": "+n)
	}
}
