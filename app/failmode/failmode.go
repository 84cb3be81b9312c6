package failmode

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/southbound"
)

// Owner is the application's name.
const Owner = "failmode"

// Watch is the application.
type Watch struct {
	now    func() time.Time
	view   *netview.View
	alarms alarm.Sink

	mu   sync.Mutex // guards what follows
	up   map[netview.DPID]*southbound.Output
	away map[netview.DPID]time.Time // switches that held firm entries when their session ended: when that was
}

// New makes one; now is the clock.
func New(view *netview.View, alarms alarm.Sink, now func() time.Time) *Watch {
	return &Watch{now: now, view: view, alarms: alarms, up: make(map[netview.DPID]*southbound.Output),
		away: make(map[netview.DPID]time.Time)}
}

// maxAway bounds how many switches that are away are remembered.
const maxAway = 16384

// Name implements southbound.App.
func (*Watch) Name() string { return Owner }

// SwitchUp implements southbound.App.
func (w *Watch) SwitchUp(sw *southbound.Switch) southbound.Part {
	return w.begin(sw.DPID, sw.Output(Owner, nil))
}

// begin begins a session of a switch, which is asked by out.
func (w *Watch) begin(dpid netview.DPID, out *southbound.Output) *part {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.up[dpid] = out
	return &part{w, dpid}
}

type part struct {
	w    *Watch
	dpid netview.DPID
}

// SwitchDown implements southbound.Part.
func (p *part) SwitchDown() {
	p.w.mu.Lock()
	delete(p.w.up, p.dpid)
	p.w.mu.Unlock()
	p.w.sessionEnded(p.dpid, p.w.view.Snapshot())
}

// sessionEnded records that a switch's session has ended, and whether it held firm entries: whatever is
// disabled, those of the infrastructure (flowsync) are there.
func (w *Watch) sessionEnded(dpid netview.DPID, snap *netview.Snapshot) {
	for r := range snap.Rules(dpid) {
		if r.State == netview.RuleInstalled {
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.away) < maxAway {
				w.away[dpid] = w.now()
			}
			return
		}
	}
}

// awayFor returns for how long a switch that held entries was away; false if it did not, or was
// not.
func (w *Watch) awayFor(dpid netview.DPID) (time.Duration, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, ok := w.away[dpid]
	delete(w.away, dpid)
	return w.now().Sub(at), ok
}

// Listed looks at a switch that has been read for the first time in a session: whether it holds
// firm entries of ours.
func (w *Watch) Listed(dpid netview.DPID, holds bool) {
	away, ok := w.awayFor(dpid)
	w.mu.Lock()
	out := w.up[dpid]
	w.mu.Unlock()
	switch {
	case !ok || out == nil:
	case holds:
		w.alarms.Clear(netview.AlarmFailMode, dpid.String())
	default: // where it cannot be asked, or does not say, nothing is found out until it was away once more
		_ = out.Multipart(&openflow.PortStatsRequest{Port: openflow.PortAny}, func(body openflow.ReplyBody, err error) {
			list, ok := body.(*openflow.PortStatsList)
			if err == nil && ok && olderThan(list.Ports, away) {
				w.alarms.Raise(netview.AlarmFailMode, dpid.String(), fmt.Sprintf(
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

// Forget forgets a deleted switch.
func (w *Watch) Forget(dpid netview.DPID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.away, dpid)
}
