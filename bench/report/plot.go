package report

import (
	"fmt"
	"math"
	"strings"
)

// evenSpread is up to which ratio of the greatest to the least figure bars are drawn on an even
// scale.
const evenSpread = 40

// The heights of a row of bars, of the axis below them, and of the picture of curves.
const (
	barRow      = 38
	axisHeight  = 22
	curveHeight = 290
)

// bars draw one measure of several subjects: the median as a bar, each run as a dot on it. They say
// whether their scale is one of logarithms, as it is where subjects are far apart.
func (p palette) bars(name string, results []*Result) (picture string, logarithmic bool) {
	type row struct {
		x *Result
		m *Measure
	}
	var rows []row
	least, greatest := math.Inf(1), 0.0
	for _, x := range results {
		if m := x.Measure(name); m != nil && x.Refused == "" {
			rows = append(rows, row{x, m})
			least, greatest = min(least, m.Least), max(greatest, m.Greatest)
		}
	}
	if len(rows) == 0 || greatest == 0 && least == 0 {
		return "", false
	}
	s := scale{from: min(least*1.02, 0), to: greatest * 1.02, start: 2, stop: drawingWidth - 8}
	if least > 0 && greatest/least > evenSpread {
		s.log, s.from, s.to = true, math.Pow(10, math.Floor(math.Log10(least))), greatest*1.3
	}
	bottom := float64(len(rows) * barRow)
	d := newDrawing(bottom+axisHeight, name+", by subject")
	for _, v := range s.ticks() {
		d.line(s.at(v), 0, s.at(v), bottom, "grid")
		d.text(min(max(s.at(v), 10), drawingWidth-14), bottom+14, "middle", "tick", short(v))
	}
	for i, r := range rows {
		y := float64(i * barRow)
		d.text(2, y+13, "start", "name", r.x.Subject)
		d.text(drawingWidth-8, y+13, "end", "value", ThreeDigits(r.m.Median)+" "+r.m.Unit)
		none, median := s.at(0), s.at(r.m.Median)
		d.rect(min(none, median), y+18, max(none, median)-min(none, median), 14, fmt.Sprintf("bar s%d", p.of(r.x.Subject)))
		for n, v := range r.m.Runs {
			d.dot(s.at(v), y+25, 2.6, "run", fmt.Sprintf("run %d: %s %s", n+1, ThreeDigits(v), r.m.Unit))
		}
	}
	return d.String(), s.log
}

// colours is how many a page has for subjects.
const colours = 6

// palette gives every subject of a page its colour.
type palette map[string]int

func (p palette) of(subject string) int {
	c, ok := p[subject]
	if !ok {
		c = len(p) % colours
		p[subject] = c
	}
	return c
}

// curves draw the distributions of a name, of several subjects: which part of all took how long at
// most. What is rare gets as much room as what is common.
func (p palette) curves(name string, results []*Result) string {
	least, greatest, count := math.Inf(1), 0.0, 1.0
	for _, x := range results {
		if t := x.Time(name); t != nil && len(t.Curve) > 0 && x.Refused == "" {
			least, greatest = min(least, max(t.Curve[0].At, t.P50/50, 0.1)), max(greatest, t.Max)
			count = max(count, float64(t.Count))
		}
	}
	if greatest <= 0 || math.IsInf(least, 1) {
		return ""
	}
	y := scale{from: math.Pow(10, math.Floor(math.Log10(least))),
		to: math.Pow(10, math.Ceil(math.Log10(greatest)+1e-9)), start: curveHeight - axisHeight - 14, stop: 8, log: true}
	y.to = max(y.to, y.from*10)
	x := scale{from: 1, to: min(max(count, 1000), 1e7), start: 52, stop: drawingWidth - 12, log: true}
	d := newDrawing(curveHeight, name+" by percentile")
	for _, v := range y.ticks() {
		d.line(x.start, y.at(v), x.stop, y.at(v), "grid")
		d.text(x.start-6, y.at(v)+4, "end", "tick",
			strings.ReplaceAll(strings.ReplaceAll(FormatMicros(v), ".00", ""), ".0 ", " "))
	}
	for i, label := range []string{"0", "90 %", "99 %", "99.9 %", "99.99 %", "", "99.9999 %"} {
		if at := x.at(math.Pow(10, float64(i))); label != "" && at <= x.stop+1 {
			d.line(at, y.start, at, y.stop, "grid")
			d.text(min(at, x.stop-18), y.start+15, "middle", "tick", label)
		}
	}
	d.text((x.start+x.stop)/2, curveHeight-4, "middle", "tick", "percentile")
	for _, r := range results {
		if t := r.Time(name); t != nil && len(t.Curve) > 0 && r.Refused == "" {
			d.path(curve(t, x, y), fmt.Sprintf("curve l%d", p.of(r.Subject)), r.Subject)
		}
	}
	return d.String()
}

// curve is the course of one distribution.
func curve(t *Distribution, x, y scale) (out [][2]float64) {
	for _, q := range t.Curve {
		odds := min(100/max(100-q.Percent, 1e-9), max(float64(t.Count), 1)) // one in so many takes longer
		out = append(out, [2]float64{min(x.at(odds), x.stop), y.at(max(q.At, y.from))})
	}
	return out
}

// runsPlot draws the runs of one measure on a line, between none, or the least below it, and the
// greatest.
func runsPlot(m *Measure) string {
	const width, height = 120, 16
	d := newDrawing(height, "the runs of "+m.Name)
	d.width = width
	s := scale{from: min(m.Least, 0), to: max(m.Greatest, 1e-9), start: 4, stop: width - 4}
	d.line(s.start, height/2, s.stop, height/2, "grid")
	for n, v := range m.Runs {
		d.dot(s.at(v), height/2, 3, "run", fmt.Sprintf("run %d: %s %s", n+1, ThreeDigits(v), m.Unit))
	}
	d.line(s.at(m.Median), 2, s.at(m.Median), height-2, "median")
	return d.String()
}
