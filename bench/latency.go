package bench

import (
	"cmp"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
)

// Latency is how long a single intent takes over the REST interface until switches have it, one
// after the other. The zero value of a field means its default.
type Latency struct {
	Setup
	Flows int // paths that are installed before; default 1,000
	Count int // intents of each run: half of them wait for the answer that they are installed; default 2,000
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Latency) Check() error {
	if err := c.check(); err != nil {
		return err
	}
	c.Flows = cmp.Or(c.Flows, 1000)
	c.Count = cmp.Or(c.Count, 2000)
	if c.Flows < 1 || c.Count < 2 || c.Flows+c.Count > paths.Max {
		return fmt.Errorf("%d paths before, and %d intents given, want positive numbers, 2 intents or more, and no more than %d in all", c.Flows, c.Count, paths.Max)
	}
	return nil
}

func (c *Latency) plan(r *report.Report) ([]participant, error) {
	err := c.about(r, "intent-latency",
		fmt.Sprintf("intent-latency: one intent after the other over %d switches, with %s installed", c.Hops,
			report.Thousands(float64(c.Flows))))
	if err != nil {
		return nil, err
	}
	var list []participant
	for _, setup := range c.variants() {
		list = append(list, &latencyScore{subject: subject{setup.addSubject(r)}, c: c, setup: setup, total: newLatencies()})
	}
	return list, nil
}

// latencies are times in ns since a request's first byte.
type latencies struct {
	first, last, durable report.Histogram // of intents whose answer comes when they are durable
	// of those whose answer comes when they are installed: to the last flow-mod, and to the answer
	waited, installed report.Histogram
}

func newLatencies() latencies {
	return latencies{report.NewHistogram(), report.NewHistogram(), report.NewHistogram(), report.NewHistogram(),
		report.NewHistogram()}
}

// latencyScore is what is measured: of this run, and of all of them.
type latencyScore struct {
	subject
	c     *Latency
	setup Setup
	latencies
	total latencies

	instance, switches processUsage
}

// processUsage is what a process took.
type processUsage struct {
	cpu    time.Duration
	memory int64
}

// take adds the run to the result.
func (s *latencyScore) take(i int) {
	x := s.result
	at := func(h report.Histogram, q float64) float64 { return float64(h.ValueAtQuantile(q)) / 1e6 }
	x.Take("request to last flow-mod received, p50", "ms", at(s.last, 50))
	x.Take("request to last flow-mod received, p99", "ms", at(s.last, 99))
	x.Take("request to first flow-mod received, p50", "ms", at(s.first, 50))
	x.Take("request to answer: durable, p50", "ms", at(s.durable, 50))
	x.Take("request to answer: installed, p50", "ms", at(s.installed, 50))
	x.Take("request to answer: installed, p99", "ms", at(s.installed, 99))
	x.Use("instance", s.instance.cpu, float64(s.c.Count), s.instance.memory)
	x.Use("switches and generator", s.switches.cpu, float64(s.c.Count), s.switches.memory)
	s.c.Note("run %d of %d: %s: last flow-mod after %.2f ms (p99 %.2f ms), installed answered after %.2f ms",
		i+1, s.c.Runs, x.Subject, at(s.last, 50), at(s.last, 99),
		at(s.installed, 50))
	t := &s.total
	for _, pair := range [][2]report.Histogram{{t.first, s.first}, {t.last, s.last}, {t.durable, s.durable},
		{t.waited, s.waited}, {t.installed, s.installed}} {
		pair[0].Merge(pair[1])
	}
}

// finish adds the distributions of all runs.
func (s *latencyScore) finish() {
	x, l := s.result, &s.total
	const since = "from the first byte of a request for one intent to "
	x.Times = append(x.Times, report.DistributionOf("last flow-mod",
		since+"the last flow-mod that a switch received for it", l.last),
		report.DistributionOf("first flow-mod", since+"the first flow-mod that a switch received for it", l.first),
		report.DistributionOf("durable", since+"the end of the answer that it is durable", l.durable),
		report.DistributionOf("last flow-mod, where the answer waits",
			since+"the last flow-mod, of requests that wait until the intent is installed", l.waited),
		report.DistributionOf("installed", since+"the end of the answer that it is installed", l.installed))
}
