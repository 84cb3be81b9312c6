package flowsync

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/weirnet/weir/netview"
)

// Report says how far wanted, view and switches agree.
type Report struct {
	Revision netview.Revision // of the view: all switches were compared at it or later
	Switches []Findings       // in order of datapath id
}

// Comparison is a check that is under way.
type Comparison struct {
	report  Report
	found   chan Findings
	waiting map[netview.DPID]bool
}

// Check reads all switches that the view has, or that are connected, and compares them with what is wanted of them.
// Switches that do not answer before ctx ends are reported as such. False if the loop is over.
func (l *Loop) Check(ctx context.Context) (Report, bool) {
	var c *Comparison
	if !l.Ask(func(*Core) { c = l.Compare() }) {
		return Report{}, false
	}
	var ok bool
	if c.report.Switches, ok = l.collect(ctx, c.found, c.waiting); !ok {
		return c.report, false
	}
	return c.done(), true
}

// Compare begins a check. It is called by Run's goroutine, or by who steps a loop that does not run.
func (l *Loop) Compare() *Comparison {
	snapshot := l.view.Snapshot()
	asked := make(map[netview.DPID]bool)
	for sw := range snapshot.Switches() {
		asked[sw.DPID] = true
	}
	for _, dpid := range l.core.dpids() {
		asked[dpid] = asked[dpid] || l.core.ledgers[dpid].phase != phaseDown
	}
	c := &Comparison{Report{Revision: l.seen}, make(chan Findings, len(asked)), make(map[netview.DPID]bool)}
	for _, dpid := range slices.Sorted(maps.Keys(asked)) {
		if asked[dpid] {
			c.waiting[dpid] = true
			l.checks[dpid] = append(l.checks[dpid], c.found)
			l.answer(Check{dpid})
		}
	}
	return c
}

// Report is what was found, when all switches have answered.
func (c *Comparison) Report() (Report, bool) {
	for len(c.found) > 0 {
		f := <-c.found
		delete(c.waiting, f.DPID)
		c.report.Switches = append(c.report.Switches, f)
	}
	return c.done(), len(c.waiting) == 0
}

func (c *Comparison) done() Report {
	slices.SortFunc(c.report.Switches, func(a, b Findings) int { return cmp.Compare(a.DPID, b.DPID) })
	return c.report
}

// tellChecks hands findings to those who wait for them.
func (l *Loop) tellChecks(found []Findings) {
	for _, f := range found {
		if f.Err == nil {
			f.Differences = append(f.Differences, l.core.viewDiffers(l.view.Snapshot(), f.DPID)...)
		}
		for _, waits := range l.checks[f.DPID] {
			waits <- f // it has room for all
		}
		delete(l.checks, f.DPID)
	}
}
