package bench

import (
	"cmp"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// Paths is how fast paths that are asked for over the API are in the switches: bursts of them,
// while others are installed. The zero value of a field means its default.
type Paths struct {
	Setup
	Forms  []paths.Form // each is measured, alternately; default all
	Flows  int          // paths that are installed before; default 15,000
	Burst  int          // paths that are asked for at once, in one request; default 1,000
	Bursts int          // of each form in each run; default 5
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Paths) Check() error {
	if err := c.check(); err != nil {
		return err
	}
	if len(c.Forms) == 0 {
		c.Forms = paths.AllForms
	}
	c.Flows = cmp.Or(c.Flows, 15_000)
	c.Burst = cmp.Or(c.Burst, 1000)
	c.Bursts = cmp.Or(c.Bursts, 5)
	if c.Flows < 1 || c.Burst < 1 || c.Bursts < 1 || c.Flows+c.Burst*c.Bursts*(len(c.Forms)+1) > paths.Max {
		return fmt.Errorf("%d paths before, and %d bursts of %d given, want positive numbers, and no more than %d paths in all", c.Flows, c.Bursts, c.Burst, paths.Max)
	}
	return nil
}

func (c *Paths) plan(r *report.Report) (list []participant) {
	c.about(r, "paths", fmt.Sprintf("paths: %s installed, %s more over %d switches each asked for at once",
		report.Thousands(c.Flows), report.Thousands(c.Burst), c.Hops))
	for _, setup := range c.variants() {
		list = append(list, c.score(r, setup))
	}
	return list
}

// score is one of an instance: with a result for each form.
func (c *Paths) score(r *report.Report, setup Setup) *pathsScore {
	const since = "from the first byte of the request for a burst of paths to "
	s := &pathsScore{c: c, setup: setup}
	for _, f := range c.Forms {
		x := r.Add(setup.named(string(f)))
		x.SelfCheck = setup.Null
		s.forms = append(s.forms, &formScore{form: f, result: x,
			all:      x.Distribution("last flow-mod", since+"the last flow-mod that a switch received for them"),
			first:    x.Distribution("first flow-mod", since+"the first flow-mod that a switch received for them"),
			answered: x.Distribution("answered", since+"the end of the answer, when all are durable")})
	}
	return s
}

// pathsScore is what is measured of all runs.
type pathsScore struct {
	subject // of the first form
	c       *Paths
	setup   Setup
	forms   []*formScore
}

func (s *pathsScore) results() (list []*report.Result) {
	for _, f := range s.forms {
		list = append(list, f.result)
	}
	return list
}

// formScore is what is measured of one form.
type formScore struct {
	form                 paths.Form
	result               *report.Result
	first, all, answered report.Histogram // of all bursts, in ns since the request's first byte
	bursts               []burst          // of this run
}

// burst is one burst: times since the first byte of its request.
type burst struct {
	first, all, answered time.Duration
	flowMods             uint64 // received, as many as the paths need and others
	usage                target.Usage
}

// take adds the run to the results: of each figure the median of its bursts.
func (s *pathsScore) take(i int) {
	for _, f := range s.forms {
		var all, first, answered, mods report.Spread
		var usage []target.Usage
		for _, b := range f.bursts {
			all.Take(report.Milliseconds(b.all))
			first.Take(report.Milliseconds(b.first))
			answered.Take(report.Milliseconds(b.answered))
			mods.Take(float64(b.flowMods) / float64(s.c.Burst))
			usage = append(usage, b.usage)
			f.first.Record(int64(b.first))
			f.all.Record(int64(b.all))
			f.answered.Record(int64(b.answered))
		}
		x := f.result
		x.Take("last flow-mod received", "ms", all.Median)
		x.Take("first flow-mod received", "ms", first.Median)
		x.Take("all answered: durable", "ms", answered.Median)
		x.Take("flow-mods a path", "", mods.Median)
		mean := target.MeanUsage(usage)
		mean.Take(x, "instance", "switches and generator", float64(s.c.Burst))
		s.c.Note("run %d of %d: %s: first flow-mod after %.2f ms, last after %.2f ms, all answered after %.2f ms",
			i+1, s.c.Runs, x.Subject, first.Median, all.Median, answered.Median)
		f.bursts = f.bursts[:0]
	}
}
