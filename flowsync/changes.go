package flowsync

import "github.com/weirnet/weir/netview"

// changes are what changed in the view, as inputs; more is true if there is more.
func (l *Loop) changes() (inputs []Input, more bool) {
	changes, upto, ok := l.view.Changes(l.seen, changesAtOnce)
	snapshot := l.view.Snapshot()
	if !ok {
		l.seen, l.settled = snapshot.Revision(), snapshot.Settled()
		return l.everything(snapshot), false
	}
	l.seen = upto
	if settled := snapshot.Settled(); settled != l.settled {
		l.settled = settled
		for sw := range snapshot.Switches() {
			inputs = append(inputs, l.facts(sw))
		}
	}
	for i := range changes {
		switch c := &changes[i]; {
		case c.Kind == netview.KindRule:
			inputs = append(inputs, Rule{c.Rule, c.Deleted})
		case c.Kind == netview.KindMeter:
			inputs = append(inputs, Meter{c.Meter, c.Deleted})
		case c.Kind == netview.KindSwitch && c.Deleted:
			inputs = append(inputs, Gone{c.Switch.DPID})
		case c.Kind == netview.KindSwitch:
			inputs = append(inputs, l.facts(c.Switch))
		}
	}
	return inputs, len(changes) > 0
}

func (l *Loop) facts(sw *netview.Switch) Facts {
	return Facts{Switch: sw, Settled: l.settled && sw.Settled}
}

// everything is the whole view as inputs: of its switches, and of those that are only known here.
func (l *Loop) everything(snapshot *netview.Snapshot) (inputs []Input) {
	for sw := range snapshot.Switches() {
		inputs = append(inputs, l.facts(sw), wantedOf(snapshot, sw.DPID))
	}
	for _, dpid := range l.core.dpids() {
		if _, ok := snapshot.Switch(dpid); !ok {
			inputs = append(inputs, Gone{dpid}, wantedOf(snapshot, dpid))
		}
	}
	return inputs
}

func wantedOf(snapshot *netview.Snapshot, dpid netview.DPID) Wanted {
	w := Wanted{DPID: dpid}
	for r := range snapshot.Rules(dpid) {
		w.Rules = append(w.Rules, r)
	}
	for m := range snapshot.Meters(dpid) {
		w.Meters = append(w.Meters, m)
	}
	return w
}
