package report

import (
	"slices"
	"strings"
	"time"
)

// Format is the number of the report's JSON form, which from then on only grows.
const Format = 1

// Report is what a scenario measured: of every scenario in the same shape. Where a Result is
// refused there is no figure in it, but why.
type Report struct {
	Format   int       `json:"format"`
	Scenario string    `json:"scenario"`
	Title    string    `json:"title"` // what was measured, in a line
	Command  string    `json:"command"`
	Build    string    `json:"build"` // version and commit
	Machine  Machine   `json:"machine"`
	Load     Load      `json:"load"`
	Results  []*Result `json:"results"`
	// Tables put figures beside each other that are not of the same measure.
	Tables []*Table `json:"tables,omitempty"`
	// Fidelity is how well emulated networks kept their promises, where a scenario has some of
	// package emu.
	Fidelity *Fidelity `json:"fidelity,omitempty"`
	// Verdict is Valid, or why there is no result, or not for all.
	Verdict string `json:"verdict"`
}

// Valid is the verdict over a report in which everything was measured.
const Valid = "valid"

// The subjects that are ours.
const (
	Weir         = "weir" // an instance of this binary
	NullInstance = "null" // the null instance, by which the generator checks itself
)

// Table is one with a heading; each row has as many cells as Head.
type Table struct {
	Title string     `json:"title"`
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"`
}

// Load is what was asked. What a scenario does not have is 0.
type Load struct {
	OpenFlow    string  `json:"openflow"`
	Topology    string  `json:"topology"`
	Switches    int     `json:"switches"`
	Hosts       int     `json:"hosts_per_switch,omitempty"`
	Outstanding int     `json:"outstanding_per_switch,omitempty"`
	Rate        int     `json:"rate,omitempty"`    // in all, packet-ins or other messages a second
	Tenants     int     `json:"tenants,omitempty"` // with a controller each
	Buffered    bool    `json:"buffered,omitempty"`
	Learning    bool    `json:"learning,omitempty"` // every packet-in comes from a host that was not there before
	Hops        int     `json:"hops,omitempty"`
	Seconds     float64 `json:"seconds,omitempty"`     // of one run
	Cut         float64 `json:"cut_seconds,omitempty"` // under load before and after each run that do not count
	Runs        int     `json:"runs"`
	Seed        uint64  `json:"seed"`
}

// Result is what was measured of one subject: a controller, or an emulated network.
type Result struct {
	Subject string `json:"subject"`
	Program string `json:"program,omitempty"` // what the subject says of its version
	// SelfCheck is of the null responder: what the generator and the machine can do.
	SelfCheck bool   `json:"self_check,omitempty"`
	Refused   string `json:"refused,omitempty"` // why there is no result
	Lost      *Lost  `json:"lost,omitempty"`    // of a run that was refused because answers were missing
	// Repeated are runs that were thrown away and done again, as the generator was late.
	Repeated  int             `json:"repeated_runs,omitempty"`
	Measures  []*Measure      `json:"measures,omitempty"` // the first is what the scenario is about
	Times     []*Distribution `json:"times_us,omitempty"`
	Processes []*Process      `json:"processes,omitempty"`
	Notes     []string        `json:"notes,omitempty"` // what a reader has to know besides
}

// Lost are the packet-ins of a run that had no answer.
type Lost struct {
	Sent    uint64 `json:"sent"`
	Missing uint64 `json:"missing"`
}

// Measure is a figure of each run.
type Measure struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	Spread
	// Ratios are those of the median to other subjects' in the same report, by their names.
	Ratios map[string]float64 `json:"ratios,omitempty"`
}

// Process is what one process took. Work is the unit of the first measure.
type Process struct {
	Name       string `json:"name"`
	CPUSeconds Spread `json:"cpu_seconds"`
	CPUPerWork Spread `json:"cpu_us_per_unit"`
	RSS        Spread `json:"mib"` // at the end of each run
}

// Fidelity is how late emulated networks were with what they had promised for a time: of several
// the worst.
type Fidelity struct {
	Promises    uint64  `json:"promises"` // frames that were to arrive at a time, and what switches were to do at one
	Late        uint64  `json:"late"`     // of them, beyond what is tolerated
	LatenessP50 float64 `json:"lateness_p50_us"`
	LatenessP99 float64 `json:"lateness_p99_us"`
	LatenessMax float64 `json:"lateness_max_us"`
	Wait        float64 `json:"wait_max_us"`   // the longest that anything waited for its turn
	Kept        bool    `json:"kept"`          // whether the network kept its promises
	Why         string  `json:"why,omitempty"` // it did not
}

// Add adds the result of a subject, without figures yet.
func (r *Report) Add(subject string) *Result {
	x := &Result{Subject: subject}
	r.Results = append(r.Results, x)
	return x
}

// Refuse notes that there is no result, and why; what was measured before is forgotten.
func (x *Result) Refuse(err error) {
	*x = Result{Subject: x.Subject, Program: x.Program, SelfCheck: x.SelfCheck, Repeated: x.Repeated, Lost: x.Lost,
		Refused: err.Error()}
}

// Measure is one by its name; nil if there is none.
func (x *Result) Measure(name string) *Measure {
	return find(x.Measures, func(m *Measure) bool { return m.Name == name })
}

// find is the first of a list that is looked for; nil if there is none.
func find[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// Take adds runs to a measure.
func (x *Result) Take(name, unit string, runs ...float64) {
	m := x.Measure(name)
	if m == nil {
		m = &Measure{Name: name, Unit: unit}
		x.Measures = append(x.Measures, m)
	}
	m.Take(runs...)
}

// Distribution adds a distribution of times, and returns the histogram that it is read from when the
// report is finished; what says from when to when.
func (x *Result) Distribution(name, what string) Histogram {
	d := &Distribution{Name: name, What: what, taken: NewHistogram()}
	x.Times = append(x.Times, d)
	return d.taken
}

// Use adds a run to what a process took: its CPU time, for so many units of work, and its memory in
// bytes. What is not known is 0.
func (x *Result) Use(name string, cpu time.Duration, work float64, rss int64) {
	p := x.process(name)
	if p == nil {
		p = &Process{Name: name}
		x.Processes = append(x.Processes, p)
	}
	p.CPUSeconds.Take(cpu.Seconds())
	p.CPUPerWork.Take(Microseconds(cpu) / max(work, 1))
	p.RSS.Take(Mebibytes(rss))
}

// Time finds a distribution by its name; nil if there is none.
func (x *Result) Time(name string) *Distribution {
	return find(x.Times, func(d *Distribution) bool { return d.Name == name })
}

// Finish reads distributions, computes ratios within the report, and its verdict.
func (r *Report) Finish() {
	var why []string
	for _, x := range r.Results {
		for _, d := range x.Times {
			d.finish()
		}
		for _, m := range x.Measures[:min(len(x.Measures), 1)] {
			m.Ratios = map[string]float64{}
			for _, o := range r.Results {
				if b := o.Measure(m.Name); o != x && b != nil && b.Median > 0 {
					m.Ratios[o.Subject] = m.Median / b.Median
				}
			}
		}
		if x.Refused != "" {
			why = append(why, x.Subject+": no result: "+x.Refused)
		}
	}
	if r.Verdict = Valid; len(why) > 0 {
		r.Verdict = strings.Join(why, "; ")
	}
}

// Refused reports whether a subject has no result.
func (r *Report) Refused() bool {
	return slices.ContainsFunc(r.Results, func(x *Result) bool { return x.Refused != "" })
}

// Microseconds is a time as figures have it.
func Microseconds(d time.Duration) float64 { return float64(d) / 1e3 }

// Milliseconds is a time as figures have it.
func Milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// Mebibytes are bytes as figures have them.
func Mebibytes(n int64) float64 { return float64(n) / (1 << 20) }
