package flowsync

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// viewFollower tells a core how the view changes: it has been told all up to revision.
type viewFollower struct {
	view     *netview.View
	revision netview.Revision
	settled  bool
}

// changes returns the next changes of the view as inputs, and whether there are more.
func (f *viewFollower) changes(c *Core) (inputs []Input, more bool) {
	changes, upto, ok := f.view.Changes(f.revision, changesAtOnce)
	snapshot := f.view.Snapshot()
	if !ok {
		f.revision, f.settled = snapshot.Revision(), snapshot.Settled()
		return f.whole(c, snapshot), false
	}
	f.revision = upto
	if settled := snapshot.Settled(); settled != f.settled {
		f.settled = settled
		for sw := range snapshot.Switches() {
			inputs = append(inputs, f.factsOf(sw))
		}
	}
	for i := range changes {
		switch c := &changes[i]; {
		case c.Kind == netview.KindRule:
			inputs = append(inputs, Rule{c.Rule, c.Deleted})
		case c.Kind == netview.KindMeter:
			inputs = append(inputs, Meter{c.Meter, c.Deleted})
		case c.Kind == netview.KindSwitch && c.Deleted:
			inputs = append(inputs, SwitchDeleted{c.Switch.DPID})
		case c.Kind == netview.KindSwitch:
			inputs = append(inputs, f.factsOf(c.Switch))
		}
	}
	return inputs, len(changes) > 0
}

func (f *viewFollower) factsOf(sw *netview.Switch) SwitchFacts {
	return SwitchFacts{Switch: sw, Settled: f.settled && sw.Settled}
}

// whole returns the whole view as inputs, with deletions of the switches that only the core
// has.
func (f *viewFollower) whole(c *Core, snapshot *netview.Snapshot) (inputs []Input) {
	for sw := range snapshot.Switches() {
		inputs = append(inputs, f.factsOf(sw), desiredOf(snapshot, sw.DPID))
	}
	for _, dpid := range c.dpids() {
		if _, ok := snapshot.Switch(dpid); !ok {
			inputs = append(inputs, SwitchDeleted{dpid}, desiredOf(snapshot, dpid))
		}
	}
	return inputs
}

func desiredOf(snapshot *netview.Snapshot, dpid netview.DPID) Desired {
	return Desired{dpid, slices.Collect(snapshot.Rules(dpid)), slices.Collect(snapshot.Meters(dpid))}
}
