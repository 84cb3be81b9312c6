package intent

import "github.com/weirnet/weir/netview"

// switchPorts are the ports of all switches as of the last step. Without them it would not be known what
// has become of a port that a path uses.
type switchPorts struct {
	last map[netview.DPID]*netview.Switch
}

// removed returns the ports that were removed or replaced since the last call. Switches are compared change
// by change: the snapshot may be newer.
func (s *switchPorts) removed(f *NetworkUpdate) map[netview.Point]bool {
	var left map[netview.Point]bool
	take := func(dpid netview.DPID, now *netview.Switch) {
		for _, number := range s.replace(dpid, now) {
			if left == nil {
				left = make(map[netview.Point]bool)
			}
			left[netview.Point{DPID: dpid, Port: number}] = true
		}
	}
	if f.Resync {
		for sw := range f.Snap.Switches() {
			take(sw.DPID, sw)
		}
		for dpid := range s.last {
			if _, there := f.Snap.Switch(dpid); !there {
				take(dpid, nil)
			}
		}
		return left
	}
	for i := range f.Changes {
		if ch := &f.Changes[i]; ch.Kind == netview.KindSwitch && ch.Deleted {
			take(ch.Switch.DPID, nil)
		} else if ch.Kind == netview.KindSwitch {
			take(ch.Switch.DPID, ch.Switch)
		}
	}
	return left
}

// replace keeps a switch as it is now, nil if it is gone, and returns the ports that it has not any more.
func (s *switchPorts) replace(dpid netview.DPID, now *netview.Switch) []uint32 {
	was := s.last[dpid]
	if now == nil {
		delete(s.last, dpid)
	} else {
		s.last[dpid] = now
	}
	if was == nil {
		return nil
	}
	return netview.PortsLeft(was, now)
}
