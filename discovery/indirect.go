package discovery

import (
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

const (
	minFarStreak = 3 // far probes heard in a row without a near one that make a link indirect
	maxPortLinks = 8 // on a segment with more ports of ours the others are blocked
)

// updateStates updates the states of the links at some ports, and of those at their other ends,
// which have one neighbour more or less.
func (t *linkTable) updateStates(ports ...*inventory.Port) {
	for _, p := range ports {
		for _, e := range p.Links() {
			t.writeStates(e)
			t.updateAlarm(e)
		}
	}
}

// writeStates writes the states of the links at a link's ends.
func (t *linkTable) writeStates(e *inventory.Link) {
	for _, p := range [...]*inventory.Port{e.Dst, e.Src} {
		for _, o := range p.Links() {
			t.put(o.Key(), true, o.State())
		}
	}
}

// updateAlarm raises or clears the alarm about a link that is not a cable, or may not be
// one.
func (t *linkTable) updateAlarm(e *inventory.Link) {
	var kind netview.AlarmKind
	text := ""
	switch {
	case e.Shared():
		kind, text = netview.AlarmIndirectLink, "more than two ports of ours are on one segment: "+
			e.Src.At.String()+", "+e.Dst.At.String()+" and others"
	case !e.Near && e.FarStreak >= minFarStreak:
		kind, text = netview.AlarmIndirectLink, "something that is no switch of ours forwards between "+
			e.Src.At.String()+" and "+e.Dst.At.String()
	case e.Near && e.Unproven:
		kind, text = netview.AlarmUnprovenLink, "discovery frames pass between "+e.Src.At.String()+" and "+e.Dst.At.String()+
			", which were silent and had carrier before: nothing was plugged in, so hosts there may relay them, and the link is not used"
	}
	if kind == e.Alarm {
		return
	}
	t.clearAlarm(e)
	if e.Alarm = kind; kind != "" {
		t.Alarms.Raise(kind, e.Key().String(), "%s", text)
	}
}

// clearAlarm clears the alarm about a link.
func (t *linkTable) clearAlarm(e *inventory.Link) {
	if e.Alarm != "" {
		t.Alarms.Clear(e.Alarm, e.Key().String())
		e.Alarm = ""
	}
}
