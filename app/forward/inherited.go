package forward

import (
	"cmp"
	"slices"
	"sync"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

// SoftRule is a pair's rule that was found on a switch.
type SoftRule struct {
	Match  openflow.Match
	Cookie uint64
	Ports  []uint32 // outputs, without reserved ports
	Idle   uint16   // idle timeout in seconds, which shows whether the pair enters the network there
}

// InheritedSeconds is how long, in seconds, rules of an earlier run that make no complete path are
// remembered: longer than an unused pair's rules stay on a switch.
const InheritedSeconds = 660

// inherited are the rules of an earlier run that are not adopted yet: switches are read one after
// another, and a pair is known when all switches of its path and the links between them are.
type inherited struct {
	mu      sync.Mutex
	at      map[netview.DPID]map[pair]*inheritedRule
	whole   map[netview.DPID]bool // at has all of the switch's
	changed bool                  // since adoptAll looked
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

// RulesListed takes the list of the pair rules that a switch holds; whole: there are no others.
// Rules of known pairs are this run's, or adopted already; others, of an earlier run, are
// remembered until their pairs can be adopted. Known pairs whose rule is not listed have expired.
func (f *Forward) RulesListed(dpid netview.DPID, rules []SoftRule, whole bool) {
	if whole {
		listed := make([]openflow.Match, len(rules))
		for i := range rules {
			listed[i] = rules[i].Match
		}
		f.Listed(dpid, listed)
	}
	f.deleteUnknown(dpid, rules)
	found := make(map[pair]*inheritedRule)
	until := f.seconds.Load() + InheritedSeconds
	for i := range rules {
		r := &rules[i]
		pr, ok := pairOfMatch(r.Match)
		if ok && len(r.Ports) == 1 && !f.thisGeneration(r.Cookie) && !f.HasRule(dpid, r.Match, r.Cookie) {
			found[pr] = &inheritedRule{cookie: r.Cookie, out: r.Ports[0], ingress: r.Idle == IdleTimeout, until: until}
		}
	}
	f.inherited.mu.Lock()
	defer f.inherited.mu.Unlock()
	if f.inherited.at == nil {
		f.inherited.at, f.inherited.whole = make(map[netview.DPID]map[pair]*inheritedRule), make(map[netview.DPID]bool)
	}
	f.inherited.at[dpid], f.inherited.whole[dpid] = found, whole
	f.inherited.changed = true
}

// deleteUnknown deletes rules of this run that no pair uses any more: their switch had no
// connection when the pair left them. While they are used they do not time out, and they lead to
// where the destination was.
func (f *Forward) deleteUnknown(dpid netview.DPID, rules []SoftRule) {
	d, out := f.datapath(dpid), f.connOf(dpid)
	if out == nil {
		return
	}
	wrote := false
	for i := range rules {
		r := &rules[i]
		pr, ok := pairOfMatch(r.Match)
		if !ok || len(r.Ports) != 1 || !f.thisGeneration(r.Cookie) || f.HasRule(dpid, r.Match, r.Cookie) ||
			f.expects(dpid, pr, r.Cookie) {
			continue
		}
		d.mu.Lock()
		wrote = d.deleteRule(out, pr, r.Cookie, r.Ports[0]) || wrote
		d.mu.Unlock()
	}
	if wrote {
		out.Flush()
	}
}

// expects reports whether a rule is of a path that a pair is about to take, may take since an
// abandoned move, or has left so recently that it is not deleted yet.
func (f *Forward) expects(dpid netview.DPID, pr pair, cookie uint64) bool {
	if d := f.datapath(dpid); d != nil && d.expects(pr, nil) { // a pair within the switch, or one that enters here
		return true
	}
	p := f.paths.byCookie(cookie, true, dpid)
	if p == nil {
		return false
	}
	d := f.datapath(p.hops[0].DPID)
	return f.retired.has(pr, p) || d != nil && d.expects(pr, p)
}

// expects reports whether a pair that enters here is about to take a path, or may; any path if p is
// nil.
func (d *Datapath) expects(pr pair, p *path) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.installs[pr]; w != nil && (p == nil || w.path == p) {
		return true
	}
	return slices.Contains(d.halfMoved[pr], p)
}

// markChanged makes adoptAll try again: more of the network is known.
func (r *inherited) markChanged() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = true
}

// expired forgets a rule of an earlier run.
func (r *inherited) expired(dpid netview.DPID, pr pair, cookie uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.at[dpid][pr]; old != nil && old.cookie == cookie {
		delete(r.at[dpid], pr)
	}
}

// ruleLocation is the location of a rule.
type ruleLocation struct {
	dpid netview.DPID
	pr   pair
}

// all returns the locations of all rules, in order.
func (r *inherited) all() []ruleLocation {
	var all []ruleLocation
	for dpid, m := range r.at {
		for pr := range m {
			all = append(all, ruleLocation{dpid, pr})
		}
	}
	slices.SortFunc(all, func(a, b ruleLocation) int { return cmp.Or(cmp.Compare(a.dpid, b.dpid), comparePairs(a.pr, b.pr)) })
	return all
}

// adoptAll adopts the pairs whose paths are known from end to end, without writing anything, and
// deletes the rules that lead in a circle, to a port that is down, or to a switch that has no rule
// for the pair: packets on these would reach the controller in the middle of a path that it cannot
// begin anew. The rest expires, or becomes complete when another switch is read.
func (f *Forward) adoptAll(now uint32) {
	r := &f.inherited
	r.mu.Lock()
	defer r.mu.Unlock()
	snap := f.snap.Load()
	if !r.changed || snap == nil || !snap.Settled() {
		return
	}
	r.changed = false
	all := r.all()
	links := peers(snap)
	for _, at := range all {
		rem := r.at[at.dpid][at.pr]
		rem.hasUpstream, rem.visited = false, false
		if int32(now-rem.until) > 0 {
			delete(r.at[at.dpid], at.pr)
		}
	}
	for _, at := range all {
		if rem := r.at[at.dpid][at.pr]; rem != nil {
			if next := r.at[links[netview.Point{DPID: at.dpid, Port: rem.out}].DPID][at.pr]; next != nil {
				next.hasUpstream = true
			}
		}
	}
	var over []ruleLocation
	for _, at := range all {
		if rem := r.at[at.dpid][at.pr]; rem != nil && !rem.hasUpstream {
			over = append(over, f.adoptPair(snap, links, at)...)
		}
	}
	for _, at := range all {
		rem := r.at[at.dpid][at.pr]
		if rem != nil && (rem.hasUpstream && !rem.visited || !portUp(snap, at.dpid, rem.out) || f.deadEnd(links, at, rem)) &&
			f.deleteInherited(at, rem) {
			over = append(over, at)
			r.changed = true // what leads there is to go too
		}
	}
	for _, at := range over {
		delete(r.at[at.dpid], at.pr)
	}
}

// deadEnd reports whether a rule leads over a link to a switch that has no rule for the pair, and
// where the pair does not enter either. f.inherited.mu is held.
func (f *Forward) deadEnd(links map[netview.Point]netview.Point, at ruleLocation, rem *inheritedRule) bool {
	r := &f.inherited
	next, linked := links[netview.Point{DPID: at.dpid, Port: rem.out}]
	if !linked || !r.whole[next.DPID] || r.at[next.DPID][at.pr] != nil {
		return false
	}
	d := f.datapath(next.DPID)
	if d == nil {
		return false
	}
	_, enters := d.flowOf(at.pr)
	return !enters
}

// peers returns the other ends of the links that are up.
func peers(snap *netview.Snapshot) map[netview.Point]netview.Point {
	links := make(map[netview.Point]netview.Point)
	for l := range snap.Links() {
		if l.Up {
			links[l.Src] = l.Dst
		}
	}
	return links
}

// portUp reports whether a port is up, as far as is known.
func portUp(snap *netview.Snapshot, dpid netview.DPID, port uint32) bool {
	sw, ok := snap.Switch(dpid)
	if !ok || !sw.Connected {
		return true
	}
	p, ok := sw.Port(port)
	return ok && p.Up
}

// adoptPair follows the rules of a pair from a switch without upstream, and adopts the pair if it
// enters there and the path is complete. It returns the locations of rules that are dealt with.
// r.mu is held.
func (f *Forward) adoptPair(snap *netview.Snapshot, links map[netview.Point]netview.Point,
	from ruleLocation) (over []ruleLocation) {
	r := &f.inherited
	var hops []topology.Hop
	var cookies []uint64
	hop := topology.Hop{DPID: from.dpid}
	if src, known := f.hosts.get(from.pr.srcKey()); known && src.at.DPID == from.dpid {
		hop.In = src.at.Port
	}
	for {
		rem := r.at[hop.DPID][from.pr]
		if rem == nil {
			return nil // not complete, or not yet
		}
		if i := slices.IndexFunc(hops, func(h topology.Hop) bool { return h.DPID == hop.DPID }); i >= 0 {
			return f.deleteLoop(hops[i:], from.pr)
		}
		rem.visited = true
		hop.Out = rem.out
		hops, cookies = append(hops, hop), append(cookies, rem.cookie)
		over = append(over, ruleLocation{hop.DPID, from.pr})
		next, linked := links[netview.Point{DPID: hop.DPID, Port: rem.out}]
		if !linked {
			break
		}
		hop = topology.Hop{DPID: next.DPID, In: next.Port}
	}
	first := r.at[from.dpid][from.pr]
	sw, ok := snap.Switch(hop.DPID)
	if !ok || !first.ingress || (plan.Decode(first.cookie).Owner == 0) != (len(hops) == 1) {
		return nil
	}
	if p, ok := sw.Port(hop.Out); !ok || p.Role != netview.PortEdge || !f.adopt(from.pr, hops, cookies) {
		return nil
	}
	return over
}

// adopt adopts a pair.
func (f *Forward) adopt(pr pair, hops []topology.Hop, cookies []uint64) bool {
	d := f.datapath(hops[0].DPID)
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, has := d.pairs.get(pr); has || d.installs[pr] != nil {
		return true // this run's rules are in their places
	}
	if d.pairs.Len() >= MaxPairs {
		return false
	}
	fl := flow{out: hops[0].Out, epoch: d.epoch}
	if len(hops) > 1 {
		fl.path = f.paths.adopt(hops, cookies).id
	}
	d.pairs.put(pr, fl)
	d.retryMoves = true // its path may have broken since
	f.count.Adopted.Add(1)
	return true
}

// deleteLoop deletes rules that send a pair's packets in a circle: a run that ended in the middle
// of a repair may have left them, and while a packet loops they do not time out. f.inherited.mu is
// held.
func (f *Forward) deleteLoop(hops []topology.Hop, pr pair) (over []ruleLocation) {
	for _, h := range hops {
		at := ruleLocation{h.DPID, pr}
		if f.deleteInherited(at, f.inherited.at[h.DPID][pr]) {
			over = append(over, at)
		}
	}
	return over
}

// deleteInherited deletes a rule of an earlier run; false if its switch could not be told.
func (f *Forward) deleteInherited(at ruleLocation, rem *inheritedRule) bool {
	d, out := f.datapath(at.dpid), f.connOf(at.dpid)
	if out == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	ok := d.deleteRule(out, at.pr, rem.cookie, rem.out)
	out.Flush()
	return ok
}
