package alarm

import (
	"fmt"

	"github.com/weirnet/weir/netview"
)

// watch detects faults in the view's changes: switches that lost their control session, links that
// went down. It is pure; its owner is Board.Watch.
type watch struct {
	connected map[netview.DPID]bool
	up        map[netview.LinkKey]bool // one direction each
}

// outlet is where alarms are raised and cleared; *Board is one.
type outlet interface {
	Sink
	Forget(dpid netview.DPID)
}

// reset starts again with a snapshot: what went down unobserved before it is raised too.
func (w *watch) reset(snap *netview.Snapshot, to outlet) {
	if w.connected == nil {
		w.connected, w.up = make(map[netview.DPID]bool), make(map[netview.LinkKey]bool)
	}
	for dpid := range w.connected {
		if _, there := snap.Switch(dpid); !there {
			w.ofSwitch(&netview.Switch{DPID: dpid}, true, to)
		}
	}
	for sw := range snap.Switches() {
		w.change(&netview.Change{Kind: netview.KindSwitch, Switch: sw}, to)
	}
	for l := range snap.Links() {
		w.change(&netview.Change{Kind: netview.KindLink, Link: l}, to)
	}
}

// change processes one change. Only what was up can be lost: a switch restored after a restart that
// has not connected yet is no fault.
func (w *watch) change(c *netview.Change, to outlet) {
	switch c.Kind {
	case netview.KindSwitch:
		w.ofSwitch(c.Switch, c.Deleted, to)
	case netview.KindLink:
		w.ofLink(c.Link, c.Deleted, to)
	}
}

func (w *watch) ofSwitch(sw *netview.Switch, gone bool, to outlet) {
	was := w.connected[sw.DPID]
	switch {
	case gone:
		delete(w.connected, sw.DPID)
		to.Forget(sw.DPID)
	case sw.Connected && !was:
		w.connected[sw.DPID] = true
		to.Clear(netview.AlarmSwitchLost, sw.DPID.String())
	case !sw.Connected && was:
		w.connected[sw.DPID] = false
		to.Raise(netview.AlarmSwitchLost, sw.DPID.String(), fmt.Sprintf(
			"%s at %s has no control session any more; it goes on forwarding by the rules it holds", name(sw), sw.Address))
	}
}

func (w *watch) ofLink(l *netview.Link, gone bool, to outlet) {
	was := w.up[l.LinkKey]
	switch {
	case gone:
		delete(w.up, l.LinkKey)
	case l.Up && !was:
		w.up[l.LinkKey] = true
		if other, known := w.up[l.Reverse()]; other || !known {
			to.Clear(netview.AlarmLinkDown, linkName(l.LinkKey))
		}
	case !l.Up && was:
		w.up[l.LinkKey] = false
		if other, known := w.up[l.Reverse()]; other || !known { // raised once for both directions
			to.Raise(netview.AlarmLinkDown, linkName(l.LinkKey), "a port of it went down, or nothing is heard over it any more")
		}
	}
}

// linkName is the same for both directions.
func linkName(k netview.LinkKey) string {
	if k.Src.Compare(k.Dst) > 0 {
		k = k.Reverse()
	}
	return k.Src.String() + "<->" + k.Dst.String()
}

func name(sw *netview.Switch) string {
	if sw.Name == "" {
		return "switch " + sw.DPID.String()
	}
	return "switch " + sw.Name
}
