package places

import "github.com/weirnet/weir/netview"

// PortsLeft returns the ports that were removed between two snapshots, or whose numbers other ports have now.
// Whole: no rows have changed but those of the changes. The snapshot before may be nil.
func PortsLeft(before, snap *netview.Snapshot, changes []netview.Change, whole bool) map[netview.Point]bool {
	if before == nil {
		return nil
	}
	left := make(map[netview.Point]bool)
	compare := func(dpid netview.DPID) {
		was, had := before.Switch(dpid)
		if !had {
			return
		}
		now, _ := snap.Switch(dpid)
		for _, number := range netview.PortsLeft(was, now) {
			left[netview.Point{DPID: dpid, Port: number}] = true
		}
	}
	if !whole {
		for sw := range before.Switches() {
			compare(sw.DPID)
		}
		return left
	}
	for i := range changes {
		if c := &changes[i]; c.Kind == netview.KindSwitch {
			compare(c.Switch.DPID)
		}
	}
	return left
}

// portGone reports whether a switch is known and has no such port.
func portGone(snap *netview.Snapshot, at netview.Point) bool {
	sw, known := snap.Switch(at.DPID)
	if !known {
		return false
	}
	_, there := sw.Port(at.Port)
	return !there
}
