package intent

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/timerq"
	"github.com/weirnet/weir/topology"
)

// Settings are the times of a core.
type Settings struct {
	Retry    time.Duration // the first backoff after a refusal; it doubles up to RetryMax
	RetryMax time.Duration
}

// DefaultSettings are the defaults.
var DefaultSettings = Settings{Retry: 5 * time.Second, RetryMax: 5 * time.Minute}

// refusal records the switches that refused rules of an intent: its paths avoid them until due.
type refusal struct {
	avoid []netview.DPID
	code  Code
	text  string
	tries int
	due   time.Time
}

// refusals are those of all intents. A switch is avoided from its refusal until due; the number of
// refusals counts until RetryMax has passed without one.
type refusals struct {
	settings Settings
	timers   *timerq.Times[uint32]
	byNumber map[uint32]*refusal
}

// avoided returns the refusal of switches that an intent's paths avoid now; nil if there are none.
func (r *refusals) avoided(n uint32) *refusal {
	if ref := r.byNumber[n]; ref != nil && len(ref.avoid) > 0 {
		return ref
	}
	return nil
}

// around is what the paths of an intent leave out: the switches that refused its rules.
func (r *refusals) around(n uint32) topology.Filter {
	if ref := r.avoided(n); ref != nil {
		return topology.Filter{Switches: ref.avoid}
	}
	return topology.Filter{}
}

// obstacle returns why a rule set cannot be installed, if one of its switches has refused a rule.
func (r *refusals) obstacle(g *ruleset.Set) problem {
	if ref := r.avoided(g.Number); ref != nil && slices.ContainsFunc(ref.avoid, g.Passes) {
		return problem{code: ref.code, text: ref.text}
	}
	return problem{}
}

// add notes that a switch has refused a rule of an intent, and why.
func (r *refusals) add(n uint32, dpid netview.DPID, code Code, text string, now time.Time) {
	ref := r.byNumber[n]
	if ref == nil {
		ref = &refusal{}
		r.byNumber[n] = ref
	}
	if !slices.Contains(ref.avoid, dpid) {
		ref.avoid = append(ref.avoid, dpid)
		slices.Sort(ref.avoid)
	}
	ref.code, ref.text = code, text
	if !now.Before(ref.due) {
		ref.due = now.Add(min(r.settings.Retry<<min(ref.tries, 16), r.settings.RetryMax))
		ref.tries++
		r.timers.Add(ref.due, n)
	}
}

// retry has the timer ring when an intent's backoff has passed.
func (r *refusals) retry(n uint32) { r.timers.Add(r.byNumber[n].due, n) }

// expire lets paths use the switches that refused again, if the backoff has passed, and reports whether it
// has just passed.
func (r *refusals) expire(n uint32, now time.Time) bool {
	ref := r.byNumber[n]
	switch {
	case ref == nil || ref.due.After(now):
		return false
	case !now.Before(ref.due.Add(r.settings.RetryMax)):
		delete(r.byNumber, n)
	case len(ref.avoid) > 0:
		ref.avoid = nil
		r.timers.Add(ref.due.Add(r.settings.RetryMax), n)
	default:
		return false
	}
	return true
}

// forget drops what is known of an intent: its content is another now, or it is withdrawn.
func (r *refusals) forget(n uint32) { delete(r.byNumber, n) }

// any reports whether any intent has refusals.
func (r *refusals) any() bool { return len(r.byNumber) > 0 }
