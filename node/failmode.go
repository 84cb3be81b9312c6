package node

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/southbound"
)

// failModes finds switches that empty their tables by themselves while they have no controller, as
// Open vSwitch does with fail_mode=standalone. No message of OpenFlow says so. The evidence is a
// switch that comes back without any of the tree's entries that it held, though its ports have been
// there for longer than it was away: it was not started anew. OpenFlow 1.0 does not tell how old
// ports are; there such a switch looks like one that was.
type failModes struct {
	now    func() time.Time
	view   *netview.View
	alarms *alarm.Board
	mu     sync.Mutex
	up     map[netview.DPID]*southbound.Switch
	away   map[netview.DPID]time.Time // switches that held entries of the tree when their session ended: when that was
}

// maxAway bounds how many switches that are away are remembered.
const maxAway = 16384

// SwitchUp implements southbound.App.
func (f *failModes) SwitchUp(sw *southbound.Switch) southbound.Part {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.up == nil {
		f.up = make(map[netview.DPID]*southbound.Switch)
	}
	f.up[sw.DPID] = sw
	return watchedMode{f, sw}
}

type watchedMode struct {
	f  *failModes
	sw *southbound.Switch
}

// SwitchDown implements southbound.Part.
func (w watchedMode) SwitchDown() {
	w.f.mu.Lock()
	delete(w.f.up, w.sw.DPID)
	w.f.mu.Unlock()
	w.f.sessionEnded(w.sw.DPID, w.f.view.Snapshot())
}

// sessionEnded records that a switch's session has ended, and whether it held entries of the tree.
func (f *failModes) sessionEnded(dpid netview.DPID, snap *netview.Snapshot) {
	for r := range snap.Rules(dpid) {
		if r.State == netview.RuleInstalled && plan.Decode(r.Cookie).Kind == plan.KindTree {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.away == nil {
				f.away = make(map[netview.DPID]time.Time)
			}
			if len(f.away) < maxAway {
				f.away[dpid] = f.now()
			}
			return
		}
	}
}

// awayFor returns for how long a switch that held entries was away; false if it did not, or was
// not.
func (f *failModes) awayFor(dpid netview.DPID) (time.Duration, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, ok := f.away[dpid]
	delete(f.away, dpid)
	return f.now().Sub(at), ok
}

// check looks at a switch that has been read for the first time in a session: whether it holds
// entries of the tree.
func (f *failModes) check(dpid netview.DPID, holds bool) {
	away, ok := f.awayFor(dpid)
	f.mu.Lock()
	sw := f.up[dpid]
	f.mu.Unlock()
	switch {
	case !ok || sw == nil:
	case holds:
		f.alarms.Clear(netview.AlarmFailMode, dpid.String())
	default:
		_ = sw.Session.Multipart(&openflow.PortStatsRequest{Port: openflow.PortAny}, func(body openflow.ReplyBody, err error) {
			list, ok := body.(*openflow.PortStatsList)
			if err == nil && ok && olderThan(list.Ports, away) {
				f.alarms.Raise(netview.AlarmFailMode, dpid.String(), fmt.Sprintf(
					"it was away for %s and came back with empty tables, without having been started anew: set it to keep them (Open vSwitch: fail_mode=secure)",
					away.Round(time.Second)))
			}
		})
	}
}

// olderThan reports whether a port has existed for clearly longer than a time. Ports' ages are
// whole seconds, all ones where they are not known.
func olderThan(ports []openflow.PortStats, d time.Duration) bool {
	for i := range ports {
		if p := &ports[i]; p.DurationSec != math.MaxUint32 && time.Duration(p.DurationSec)*time.Second > d+2*time.Second {
			return true
		}
	}
	return false
}

// forget forgets a deleted switch.
func (f *failModes) forget(dpid netview.DPID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.away, dpid)
}
