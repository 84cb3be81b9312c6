package forward

import (
	"cmp"
	"slices"
	"sync"

	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
)

// InheritedSeconds is how long, in seconds, rules of an earlier run that make no complete path are
// remembered: longer than an unused pair's rules stay on a switch.
const InheritedSeconds = 660

// inherited are the rules of an earlier run that are not adopted yet: switches are read one after
// another, and a pair is known when all switches of its path and the links between them are. Any goroutine adds to
// them, and takes out what has ended; the adopter has the rest.
type inherited struct {
	mu      sync.Mutex
	at      map[netview.DPID]map[pairs.Pair]*inheritedRule
	whole   map[netview.DPID]bool // at has all of the switch's
	changed bool                  // since the adopter looked
}

// inheritedRule is one of them.
type inheritedRule struct {
	cookie      uint64
	out         uint32
	ingress     bool
	until       uint32 // second
	hasUpstream bool   // a rule of another switch sends packets here
	visited     bool   // it is on a path that begins at a rule without upstream
}

// ruleLocation is the location of a rule.
type ruleLocation struct {
	dpid netview.DPID
	pr   pairs.Pair
}

// put takes those of a switch, in place of what was known of it; whole: there are no others.
func (r *inherited) put(dpid netview.DPID, found map[pairs.Pair]*inheritedRule, whole bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at == nil {
		r.at, r.whole = make(map[netview.DPID]map[pairs.Pair]*inheritedRule), make(map[netview.DPID]bool)
	}
	r.at[dpid], r.whole[dpid] = found, whole
	r.changed = true
}

// markChanged has the adopter try again: more of the network is known.
func (r *inherited) markChanged() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = true
}

// expired forgets a rule that is gone.
func (r *inherited) expired(dpid netview.DPID, pr pairs.Pair, cookie uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.at[dpid][pr]; old != nil && old.cookie == cookie {
		delete(r.at[dpid], pr)
	}
}

// forget forgets those of a switch that was deleted.
func (r *inherited) forget(dpid netview.DPID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.at, dpid)
	delete(r.whole, dpid)
}

// get returns the rule at a location; nil if there is none. r.mu is held.
func (r *inherited) get(at ruleLocation) *inheritedRule { return r.at[at.dpid][at.pr] }

// remove takes the rule at a location out. r.mu is held.
func (r *inherited) remove(at ruleLocation) { delete(r.at[at.dpid], at.pr) }

// all returns the locations of all rules, in order. r.mu is held.
func (r *inherited) all() []ruleLocation {
	var all []ruleLocation
	for dpid, m := range r.at {
		for pr := range m {
			all = append(all, ruleLocation{dpid, pr})
		}
	}
	slices.SortFunc(all, func(a, b ruleLocation) int { return cmp.Or(cmp.Compare(a.dpid, b.dpid), a.pr.Compare(b.pr)) })
	return all
}
