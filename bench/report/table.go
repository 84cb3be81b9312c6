package report

import "html/template"

// compare adds the bars of the first measure of several subjects, and one table with a row for each
// of them.
func (s *section) compare(results []*Result, colour palette) {
	if len(results) == 0 || len(results[0].Measures) == 0 {
		return
	}
	first := results[0]
	name := first.Measures[0].Name
	drawn, logarithmic := colour.bars(name, results)
	s.Bars = picture{What: name + ": median, and each run", Picture: template.HTML(drawn)} // made of escaped text
	if logarithmic {
		s.Bars.What += " (logarithmic)"
	}
	t := table{Head: []string{"", name, "least – greatest", first.Subject + " ÷ this"}}
	for _, m := range first.Measures[1:] {
		t.Head = append(t.Head, m.Name)
	}
	for _, p := range first.Processes {
		t.Head = append(t.Head, p.Name+" CPU")
	}
	t.Head = append(t.Head, "memory")
	times := table{Head: timesHead}
	for _, x := range results {
		t.Rows = append(t.Rows, x.row(first))
		for _, d := range x.Times {
			times.Rows = append(times.Rows, d.row(x.Subject+", "+d.Name))
		}
	}
	s.Tables = append(s.Tables, t, times)
}

// timesHead is that of a table of distributions, and row one of its rows.
var timesHead = []string{"", "p50", "p90", "p99", "p99.9", "max", "of"}

func (d *Distribution) row(name string) []any {
	return []any{name, FormatMicros(d.P50), FormatMicros(d.P90), FormatMicros(d.P99), FormatMicros(d.P999), FormatMicros(d.Max),
		Thousands(d.Count)}
}

// row is a subject's, in the columns of the first.
func (x *Result) row(first *Result) []any {
	m := x.Measure(first.Measures[0].Name)
	if m == nil {
		return []any{x.Subject}
	}
	ratio := "–"
	if x != first && m.Median > 0 {
		ratio = ThreeDigits(first.Measures[0].Median / m.Median)
	}
	out := []any{x.Subject, ThreeDigits(m.Median) + " " + m.Unit, ThreeDigits(m.Least) + " – " + ThreeDigits(m.Greatest), ratio}
	for _, other := range first.Measures[1:] {
		cell := "–"
		if o := x.Measure(other.Name); o != nil {
			cell = ThreeDigits(o.Median) + " " + o.Unit
		}
		out = append(out, cell)
	}
	memory := "–"
	for i, p := range first.Processes {
		cpu := "–"
		if o := x.process(p.Name); o != nil {
			cpu = ThreeDigits(o.CPUPerWork.Median) + " µs"
			if i == 0 {
				memory = ThreeDigits(o.RSS.Median) + " MiB"
			}
		}
		out = append(out, cpu)
	}
	return append(out, memory)
}

// process is one by its name; nil if there is none.
func (x *Result) process(name string) *Process {
	return find(x.Processes, func(p *Process) bool { return p.Name == name })
}

// single adds the tables of the only subject: its measures, its times, and what its processes took.
func (s *section) single(x *Result) {
	measures := table{Head: []string{"", "median", "least – greatest", "each run"}}
	for _, m := range x.Measures {
		measures.Rows = append(measures.Rows,
			[]any{m.Name, ThreeDigits(m.Median) + " " + m.Unit, ThreeDigits(m.Least) + " – " + ThreeDigits(m.Greatest),
				template.HTML(runsPlot(m))}) // made of escaped text
	}
	times := table{Head: timesHead}
	for _, d := range x.Times {
		times.Rows = append(times.Rows, d.row(d.Name))
	}
	processes := table{Head: []string{"", "CPU each", "CPU of a run", "memory"}}
	for _, p := range x.Processes {
		processes.Rows = append(processes.Rows,
			[]any{p.Name, ThreeDigits(p.CPUPerWork.Median) + " µs", ThreeDigits(p.CPUSeconds.Median) + " s",
				ThreeDigits(p.RSS.Median) + " MiB"})
	}
	for _, t := range []table{measures, times, processes} {
		if len(t.Rows) > 0 {
			s.Tables = append(s.Tables, t)
		}
	}
}
