package flowsync

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/weirnet/weir/netview"
)

// Report is how far desired rules, view and switches agree.
type Report struct {
	Revision netview.Revision // of the view: all switches were compared at it or later
	Switches []Findings       // by datapath id
}

// RunningCheck is a check in progress.
type RunningCheck struct {
	report  Report
	found   chan Findings
	waiting map[netview.DPID]bool
}

// Check reads all switches that are in the view or connected, and compares them with what is
// desired of them. A switch that does not answer before ctx ends is reported with an error. It
// returns false if the loop has ended.
func (l *Loop) Check(ctx context.Context) (Report, bool) {
	var c *RunningCheck
	if !l.Ask(func(*Core) { c = l.StartCheck() }) {
		return Report{}, false
	}
	ok := l.await(ctx, c)
	return c.done(), ok
}

// StartCheck begins a check. It is called by who has the turn.
func (l *Loop) StartCheck() *RunningCheck {
	snapshot := l.view.Snapshot()
	asked := make(map[netview.DPID]bool)
	for sw := range snapshot.Switches() {
		asked[sw.DPID] = true
	}
	for _, dpid := range l.core.dpids() {
		asked[dpid] = asked[dpid] || l.core.switches[dpid].phase != phaseDown
	}
	c := &RunningCheck{Report{Revision: l.followed.revision}, make(chan Findings, len(asked)), make(map[netview.DPID]bool)}
	for _, dpid := range slices.Sorted(maps.Keys(asked)) {
		if asked[dpid] {
			c.waiting[dpid] = true
			l.checks[dpid] = append(l.checks[dpid], c.found)
			l.inbox.post(Check{dpid})
		}
	}
	return c
}

// Report returns the findings so far, and whether all switches have answered.
func (c *RunningCheck) Report() (Report, bool) {
	for len(c.found) > 0 {
		c.take(<-c.found)
	}
	return c.done(), len(c.waiting) == 0
}

func (c *RunningCheck) take(f Findings) {
	delete(c.waiting, f.DPID)
	c.report.Switches = append(c.report.Switches, f)
}

func (c *RunningCheck) done() Report {
	slices.SortFunc(c.report.Switches, func(a, b Findings) int { return cmp.Compare(a.DPID, b.DPID) })
	return c.report
}

// deliverFindings hands findings to the checks that wait for them.
func (l *Loop) deliverFindings(found []Findings) {
	for _, f := range found {
		if sw := l.core.switches[f.DPID]; f.Err == nil && sw != nil {
			f.compareView(l.view.Snapshot(), sw)
		}
		for _, waits := range l.checks[f.DPID] {
			waits <- f // never blocks: the channel has room for all
		}
		delete(l.checks, f.DPID)
	}
}
