package discovery

import (
	"github.com/weirnet/weir/netview"
)

const (
	minFarStreak = 3 // far probes heard in a row without a near one that make a link indirect
	maxPortLinks = 8 // on a segment with more ports of ours the others are blocked
)

// shared reports whether one of a link's ends hears, or is heard by, a third port of ours.
func (e *link) shared() bool {
	for _, p := range [...]*port{e.src, e.dst} {
		for _, list := range [...][]*link{p.in, p.out} {
			for _, o := range list {
				if o.near && o.heardCount == 0 { // it may have been replaced
					continue
				}
				if o.src != e.src && o.src != e.dst || o.dst != e.src && o.dst != e.dst {
					return true
				}
			}
		}
	}
	return false
}

// state returns the state of a link in the view.
func (e *link) state() netview.LinkState {
	switch {
	case e.shared():
		return netview.LinkShared
	case !e.near, e.unproven:
		return netview.LinkIndirect
	case e.bothConnected() && e.heardCount > 0:
		return netview.LinkConfirmed
	}
	return netview.LinkUnconfirmed
}

// updateStates updates the states of the links at some ports, and of those at their other ends,
// which have one neighbour more or less.
func (t *linkTable) updateStates(ports ...*port) {
	for _, p := range ports {
		for _, e := range p.links() {
			t.writeStates(e)
			t.updateAlarm(e)
		}
	}
}

// writeStates writes the states of the links at a link's ends.
func (t *linkTable) writeStates(e *link) {
	for _, p := range [...]*port{e.dst, e.src} {
		for _, o := range p.links() {
			t.put(o.key(), true, o.state())
		}
	}
}

// updateAlarm raises or clears the alarm about a link that is not a cable, or may not be
// one.
func (t *linkTable) updateAlarm(e *link) {
	var kind netview.AlarmKind
	text := ""
	switch {
	case e.shared():
		kind, text = netview.AlarmIndirectLink, "more than two ports of ours are on one segment: "+
			e.src.at.String()+", "+e.dst.at.String()+" and others"
	case !e.near && e.farStreak >= minFarStreak:
		kind, text = netview.AlarmIndirectLink, "something that is no switch of ours forwards between "+
			e.src.at.String()+" and "+e.dst.at.String()
	case e.near && e.unproven:
		kind, text = netview.AlarmUnprovenLink, "discovery frames pass between "+e.src.at.String()+" and "+e.dst.at.String()+
			", which were silent and had carrier before: nothing was plugged in, so hosts there may relay them, and the link is not used"
	}
	if kind == e.alarm {
		return
	}
	t.clearAlarm(e)
	if e.alarm = kind; kind != "" {
		t.alarms.raise(kind, e.key().String(), "%s", text)
	}
}

// clearAlarm clears the alarm about a link.
func (t *linkTable) clearAlarm(e *link) {
	if e.alarm != "" {
		t.alarms.clear(e.alarm, e.key().String())
		e.alarm = ""
	}
}
