package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Limits of a report that is read.
const (
	maxReport  = 16 << 20 // bytes
	maxResults = 1000     // of a report, and measures, times and processes of a result
	maxRuns    = 4000     // of a measure
	maxFigure  = 1e15
)

// errReport is of what is no report.
var errReport = errors.New("no report of weir bench")

// Read reads a report's JSON form.
func Read(r io.Reader) (*Report, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxReport+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxReport {
		return nil, fmt.Errorf("%w: longer than %d bytes", errReport, maxReport)
	}
	x := &Report{}
	if err := json.Unmarshal(b, x); err != nil {
		return nil, fmt.Errorf("%w: %w", errReport, err)
	}
	if x.Format != Format {
		return nil, fmt.Errorf("%w: format %d given, want %d", errReport, x.Format, Format)
	}
	return x, x.check()
}

// check finds what could not be drawn: what is missing or without bounds.
func (r *Report) check() error {
	if len(r.Results) == 0 || len(r.Results) > maxResults {
		return fmt.Errorf("%w: %d results, want 1 to %d", errReport, len(r.Results), maxResults)
	}
	for _, t := range r.Tables {
		if t == nil || len(t.Rows) > maxResults ||
			slices.ContainsFunc(t.Rows, func(row []string) bool { return len(row) != len(t.Head) }) {
			return fmt.Errorf("%w: a table that is empty, has more than %d rows, or such of other lengths than its head", errReport, maxResults)
		}
	}
	for _, x := range r.Results {
		if err := x.Sound(); err != nil {
			return fmt.Errorf("%w: %w", errReport, err)
		}
	}
	return nil
}

// Sound finds what could not be drawn of a result: what is missing or without bounds.
func (x *Result) Sound() error {
	if x == nil || len(x.Measures) > maxResults || len(x.Times) > maxResults || len(x.Processes) > maxResults {
		return fmt.Errorf("a result that is empty, or has more than %d parts", maxResults)
	}
	for _, m := range x.Measures {
		if m == nil || !m.sound() {
			return fmt.Errorf("%s: a measure without runs, or out of bounds", x.Subject)
		}
	}
	for _, d := range x.Times {
		if d == nil || !d.sound() {
			return fmt.Errorf("%s: a distribution out of bounds", x.Subject)
		}
	}
	for _, p := range x.Processes {
		if p == nil || !p.CPUSeconds.sound() || !p.CPUPerWork.sound() || !p.RSS.sound() {
			return fmt.Errorf("%s: a process out of bounds", x.Subject)
		}
	}
	return nil
}

// sound reports whether values are what a spread of runs can be.
func (s *Spread) sound() bool {
	if len(s.Runs) == 0 || len(s.Runs) > maxRuns {
		return false
	}
	return s.Least <= s.Greatest && drawable(-maxFigure, s.Median, s.Least, s.Greatest) && drawable(-maxFigure, s.Runs...)
}

// drawable reports whether figures are within bounds. A difference, such as a flow set-up, may be
// below 0.
func drawable(least float64, figures ...float64) bool {
	return !slices.ContainsFunc(figures, func(v float64) bool { return math.IsNaN(v) || v < least || v > maxFigure })
}

// sound reports whether the points of a distribution are in order.
func (d *Distribution) sound() bool {
	if d.Count < 0 || len(d.Curve) > maxResults || !drawable(0, d.Mean, d.P50, d.P90, d.P99, d.P999, d.Max) {
		return false
	}
	last := Quantile{}
	for _, q := range d.Curve {
		if q.Percent < last.Percent || q.Percent > 100 || q.At < last.At || q.At > maxFigure {
			return false
		}
		last = q
	}
	return true
}
