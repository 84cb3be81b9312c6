package node

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// failModes finds switches that empty their tables by themselves while they have no controller, as
// Open vSwitch does with fail_mode=standalone. No message of OpenFlow says so. The evidence is a
// switch that comes back without any of the tree's entries that it held, though its ports have been
// there for longer than it was away: it was not started anew. OpenFlow 1.0 does not tell how old
// ports are; there such a switch looks like one that was.
type failModes struct {
	now  func() time.Time
	mu   sync.Mutex
	away map[netview.DPID]time.Time // switches that held entries of the tree when their session ended: when that was
}

// maxAway bounds how many switches that are away are remembered.
const maxAway = 16384

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

// checkFailMode looks at a switch that has been read for the first time in a session.
func (n *switches) checkFailMode(dpid netview.DPID, holds bool) {
	away, ok := n.failModes.awayFor(dpid)
	s := n.server.Session(uint64(dpid))
	switch {
	case !ok || s == nil:
	case holds:
		n.alarms.Clear(netview.AlarmFailMode, dpid.String())
	default:
		_ = s.Multipart(&openflow.PortStatsRequest{Port: openflow.PortAny}, func(body openflow.ReplyBody, err error) {
			list, ok := body.(*openflow.PortStatsList)
			if err == nil && ok && olderThan(list.Ports, away) {
				n.alarms.Raise(netview.AlarmFailMode, dpid.String(), fmt.Sprintf(
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
