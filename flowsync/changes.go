package flowsync

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// viewChanges returns the next changes of the view as inputs, and whether there are more.
func (l *Loop) viewChanges() (inputs []Input, more bool) {
	changes, upto, ok := l.view.Changes(l.viewRevision, changesAtOnce)
	snapshot := l.view.Snapshot()
	if !ok {
		l.viewRevision, l.settled = snapshot.Revision(), snapshot.Settled()
		return l.viewInputs(snapshot), false
	}
	l.viewRevision = upto
	if settled := snapshot.Settled(); settled != l.settled {
		l.settled = settled
		for sw := range snapshot.Switches() {
			inputs = append(inputs, l.factsOf(sw))
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
			inputs = append(inputs, l.factsOf(c.Switch))
		}
	}
	return inputs, len(changes) > 0
}

func (l *Loop) factsOf(sw *netview.Switch) SwitchFacts {
	return SwitchFacts{Switch: sw, Settled: l.settled && sw.Settled}
}

// viewInputs returns the whole view as inputs, with deletions of the switches that only the core
// has.
func (l *Loop) viewInputs(snapshot *netview.Snapshot) (inputs []Input) {
	for sw := range snapshot.Switches() {
		inputs = append(inputs, l.factsOf(sw), desiredOf(snapshot, sw.DPID))
	}
	for _, dpid := range l.core.dpids() {
		if _, ok := snapshot.Switch(dpid); !ok {
			inputs = append(inputs, SwitchDeleted{dpid}, desiredOf(snapshot, dpid))
		}
	}
	return inputs
}

func desiredOf(snapshot *netview.Snapshot, dpid netview.DPID) Desired {
	return Desired{dpid, slices.Collect(snapshot.Rules(dpid)), slices.Collect(snapshot.Meters(dpid))}
}
