package forward

import (
	"fmt"
	"sync/atomic"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/app/forward/admission"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// refusals is which switches refuse rules of pairs, and what may be sent without any. Any goroutine may use it.
type refusals struct {
	clock    *clock
	switches *switchTable
	alarms   alarm.Sink   // may be nil
	active   atomic.Int64 // switches that refuse rules
	direct   admission.Direct
}

// admits reports whether a switch may be sent the rule of a new pair. It costs one load while no switch refuses
// anything.
func (r *refusals) admits(t *target) bool {
	return r.active.Load() == 0 || t.refusal.Admits(r.clock.second())
}

// accepts reports whether the switches of these hops may be sent the rule of a pair; those that an
// older path crosses too may always, since it replaces one. It costs one load while no switch
// refuses anything.
func (r *refusals) accepts(hops []topology.Hop, old *pairs.Path) bool {
	if r.active.Load() == 0 {
		return true
	}
	for _, h := range hops {
		if d := r.switches.get(h.DPID); d != nil && (old == nil || old.IndexOf(h.DPID) < 0) && !r.admits(&d.target) {
			return false
		}
	}
	return true
}

// refused takes a refusal by a switch.
func (r *refusals) refused(t *target, code openflow.ErrorCode) {
	if !t.refusal.Refused(r.clock.second()) {
		return
	}
	r.active.Add(1)
	if r.alarms != nil {
		r.alarms.Raise(netview.AlarmTableFull, t.id.String(), fmt.Sprintf(
			"refuses the rules of pairs (%s): their packets go by the controller, %d a second at most", code,
			admission.DirectPerSecond))
	}
}

// review notes whether a switch has stopped refusing rules. It is called once a second.
func (r *refusals) review(t *target) {
	if t.refusal.Over(r.clock.second()) {
		r.ended(t)
	}
}

// forget forgets a switch that was deleted.
func (r *refusals) forget(t *target) {
	if t.refusal.Forget() {
		r.ended(t)
	}
}

// ended notes that a switch refuses no rules any more.
func (r *refusals) ended(t *target) {
	r.active.Add(-1)
	if r.alarms != nil {
		r.alarms.Clear(netview.AlarmTableFull, t.id.String())
	}
}
