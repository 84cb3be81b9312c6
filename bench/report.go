package bench

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Report is what a scenario measured. Its JSON form only ever grows.
type Report struct {
	Scenario string    `json:"scenario"`
	Command  string    `json:"command"`
	Build    string    `json:"build"` // version and commit
	Machine  Machine   `json:"machine"`
	Load     Load      `json:"load"`
	Results  []*Result `json:"results"`
}

// Machine is what the figures were taken on.
type Machine struct {
	Cores   int    `json:"cores"`
	CPU     string `json:"cpu"`
	Kernel  string `json:"kernel"`
	Go      string `json:"go"`
	LoadAvg string `json:"load_average"` // at the start: 1, 5, 15 minutes
	Date    string `json:"date"`
}

// Load is what was asked of the controllers.
type Load struct {
	OpenFlow    string  `json:"openflow"`
	Topology    string  `json:"topology"`
	Hosts       int     `json:"hosts_per_switch"`
	Outstanding int     `json:"outstanding_per_switch,omitempty"`
	Rate        int     `json:"rate,omitempty"`
	Buffered    bool    `json:"buffered"`
	Seconds     float64 `json:"seconds"`
	Runs        int     `json:"runs"`
	Hops        int     `json:"hops,omitempty"`
	Seed        uint64  `json:"seed"`
}

// Result is what one controller did. Times are in microseconds; spreads are over the runs.
type Result struct {
	Controller string  `json:"controller"`
	Refused    string  `json:"refused,omitempty"` // why there is no result
	Answered   Spread  `json:"answered_per_second"`
	Latency    Quarts  `json:"latency_us"` // of all runs together, from when a packet was meant to be sent
	Messages   Spread  `json:"messages_per_answer"`
	CPU        Spread  `json:"controller_cpu_us_per_answer"`
	Generator  Spread  `json:"generator_cpu_us_per_answer"`
	RSS        Spread  `json:"controller_mib"`
	CPUSeconds Spread  `json:"controller_cpu_seconds"`
	Second     int     `json:"second_packet_ins"`
	Unordered  int     `json:"released_before_barrier"`
	Checked    int     `json:"barriers_checked"`
	ToBare     float64 `json:"ratio_to_bare,omitempty"`
	ToOVS      float64 `json:"ratio_to_ovs_testcontroller,omitempty"`

	latency *hdrhistogram.Histogram
}

// Spread is the median, the least and the greatest of some runs.
type Spread struct {
	Median   float64 `json:"median"`
	Least    float64 `json:"least"`
	Greatest float64 `json:"greatest"`
	values   []float64
}

// Quarts are points of a distribution.
type Quarts struct {
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99.9"`
	Max  float64 `json:"max"`
}

func (s *Spread) take(v float64) {
	s.values = append(s.values, v)
	sorted := slices.Sorted(slices.Values(s.values))
	n := len(sorted)
	s.Median, s.Least, s.Greatest = (sorted[(n-1)/2]+sorted[n/2])/2, sorted[0], sorted[n-1]
}

func newReport(scenario string, c *Reactive) *Report {
	return &Report{Scenario: scenario, Command: c.Command, Build: c.Build, Machine: thisMachine(), Load: Load{
		OpenFlow: c.Version.String(), Topology: c.Topology, Hosts: c.Hosts, Outstanding: c.Outstanding, Rate: c.Rate,
		Buffered: c.Buffered, Seconds: c.Duration.Seconds(), Runs: c.Runs, Hops: c.Hops, Seed: c.Seed,
	}}
}

func (r *Report) add(controller string) *Result {
	x := &Result{Controller: controller, latency: newLatency()}
	r.Results = append(r.Results, x)
	return x
}

// refuse notes that there is no result, and why; what was measured before is forgotten.
func (x *Result) refuse(err error) {
	*x = Result{Controller: x.Controller, Refused: err.Error(), latency: newLatency()}
}

// take adds a run.
func (x *Result) take(s *sample) {
	x.Answered.take(s.rate())
	x.Messages.take(float64(s.counts.messages) / float64(max(s.counts.answered, 1)))
	x.CPU.take(microseconds(s.each(s.cpu)))
	x.CPUSeconds.take(s.cpu.Seconds())
	x.Generator.take(microseconds(s.each(s.generator)))
	x.RSS.take(float64(s.rss) / (1 << 20))
	x.Second += s.paths.second
	x.Unordered += s.paths.unordered
	x.Checked += s.paths.checked
	x.latency.Merge(s.latency)
	x.Latency = quartsOf(x.latency)
}

// quartsOf reads a histogram of nanoseconds.
func quartsOf(h *hdrhistogram.Histogram) Quarts {
	q := func(p float64) float64 { return float64(h.ValueAtQuantile(p)) / 1e3 }
	return Quarts{P50: q(50), P90: q(90), P99: q(99), P999: q(99.9), Max: float64(h.Max()) / 1e3}
}

// finish computes ratios within the run.
func (r *Report) finish() {
	of := func(name string) float64 {
		for _, x := range r.Results {
			if x.Controller == name && x.Refused == "" {
				return x.Answered.Median
			}
		}
		return 0
	}
	bare, ovs := of(Bare), of(OVSTestcontroller)
	for _, x := range r.Results {
		if bare > 0 {
			x.ToBare = x.Answered.Median / bare
		}
		if ovs > 0 {
			x.ToOVS = x.Answered.Median / ovs
		}
	}
}

// Refused says whether a controller has no result.
func (r *Report) Refused() bool {
	return slices.ContainsFunc(r.Results, func(x *Result) bool { return x.Refused != "" })
}

func microseconds(d time.Duration) float64 { return float64(d) / 1e3 }

// thisMachine describes the machine as far as Linux tells.
func thisMachine() Machine {
	m := Machine{Cores: runtime.NumCPU(), Go: runtime.Version(), Date: today(), Kernel: firstLine("/proc/sys/kernel/osrelease"), CPU: runtime.GOARCH}
	if f := strings.Fields(firstLine("/proc/loadavg")); len(f) >= 3 {
		m.LoadAvg = strings.Join(f[:3], " ")
	}
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(b)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			m.CPU = strings.Trim(name, " \t:\n")
			break
		}
	}
	return m
}

// firstLine is that of a file; "" if it cannot be read.
func firstLine(path string) string {
	b, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}

// thousands prints a number as people read it: 1,234,567.
func thousands(v float64) string {
	s := fmt.Sprintf("%.0f", v)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
