package bench

import (
	"cmp"
	"fmt"

	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
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

func (c *Latency) plan(r *report.Report) (list []participant) {
	c.about(r, "intent-latency", fmt.Sprintf("intent-latency: one intent after the other over %d switches, with %s installed",
		c.Hops, report.Thousands(c.Flows)))
	for _, setup := range c.variants() {
		s := &latencyScore{subject: subject{setup.addSubject(r)}, c: c, setup: setup}
		for i, d := range latencyTimes {
			s.times[i] = report.NewHistogram()
			s.total[i] = s.result.Distribution(d.name, "from the first byte of a request for one intent to "+d.to)
		}
		list = append(list, s)
	}
	return list
}

// The times since a request's first byte: three of intents whose answer comes when they are durable,
// two of those whose answer comes when they are installed.
const (
	toLast = iota
	toFirst
	toDurable
	toLastWaited
	toInstalled
	latencyCount
)

var latencyTimes = [latencyCount]struct{ name, to string }{
	toLast:       {"last flow-mod", "the last flow-mod that a switch received for it"},
	toFirst:      {"first flow-mod", "the first flow-mod that a switch received for it"},
	toDurable:    {"durable", "the end of the answer that it is durable"},
	toLastWaited: {"last flow-mod, where the answer waits", "the last flow-mod, of requests that wait until the intent is installed"},
	toInstalled:  {"installed", "the end of the answer that it is installed"},
}

// latencyScore is what is measured: of this run, and of all of them.
type latencyScore struct {
	subject
	c            *Latency
	setup        Setup
	times, total [latencyCount]report.Histogram
	usage        target.Usage
}

// take adds the run to the result.
func (s *latencyScore) take(i int) {
	x := s.result
	at := func(time int, q float64) float64 { return float64(s.times[time].ValueAtQuantile(q)) / 1e6 }
	x.Take("request to last flow-mod received, p50", "ms", at(toLast, 50))
	x.Take("request to last flow-mod received, p99", "ms", at(toLast, 99))
	x.Take("request to first flow-mod received, p50", "ms", at(toFirst, 50))
	x.Take("request to answer: durable, p50", "ms", at(toDurable, 50))
	x.Take("request to answer: installed, p50", "ms", at(toInstalled, 50))
	x.Take("request to answer: installed, p99", "ms", at(toInstalled, 99))
	s.usage.Take(x, "instance", "switches and generator", float64(s.c.Count))
	s.c.Note("run %d of %d: %s: last flow-mod after %.2f ms (p99 %.2f ms), installed answered after %.2f ms",
		i+1, s.c.Runs, x.Subject, at(toLast, 50), at(toLast, 99), at(toInstalled, 50))
	for i := range s.total {
		s.total[i].Merge(s.times[i])
	}
}
