package flowsync

import (
	"cmp"
	"context"
	"slices"

	"github.com/weirnet/weir/netview"
)

// Report says how far wanted, view and switches agree.
type Report struct {
	Revision netview.Revision // of the view: all switches were compared at it or later
	Switches []Findings       // in order of datapath id
}

// Check reads all switches that the view has, or that are connected, and compares them with what is wanted of them.
// Switches that do not answer before ctx ends are reported as such. False if the loop is over.
func (l *Loop) Check(ctx context.Context) (Report, bool) {
	var report Report
	waiting := make(map[netview.DPID]bool)
	var found chan Findings
	if !l.Ask(func(c *Core) {
		snapshot := l.view.Snapshot()
		report.Revision = l.seen
		for sw := range snapshot.Switches() {
			waiting[sw.DPID] = true
		}
		for _, dpid := range c.dpids() {
			waiting[dpid] = waiting[dpid] || c.ledgers[dpid].phase != phaseDown
		}
		found = make(chan Findings, len(waiting))
		for dpid, asked := range waiting {
			if !asked {
				delete(waiting, dpid)
				continue
			}
			l.checks[dpid] = append(l.checks[dpid], found)
			l.answer(Check{dpid})
		}
	}) {
		return report, false
	}
	var ok bool
	if report.Switches, ok = l.collect(ctx, found, waiting); !ok {
		return report, false
	}
	slices.SortFunc(report.Switches, func(a, b Findings) int { return cmp.Compare(a.DPID, b.DPID) })
	return report, true
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
