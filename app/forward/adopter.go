package forward

import (
	"slices"

	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// SoftRule is a pair's rule that was found on a switch.
type SoftRule struct {
	Match  openflow.Match
	Cookie uint64
	Ports  []uint32 // outputs, without reserved ports
	Idle   uint16   // idle timeout in seconds, which shows whether the pair enters the network there
}

// adopter takes over the pairs of an earlier run from the rules that switches hold, and deletes rules that no pair
// has. Second and Step adopt; any goroutine says what a switch holds.
type adopter struct{ *shared }

// listed takes the list of the pair rules that a switch holds; whole: there are no others. Rules of known pairs are
// this run's, or adopted already; others, of an earlier run, are remembered until their pairs can be adopted.
func (a *adopter) listed(dpid netview.DPID, rules []SoftRule, whole bool) {
	a.deleteUnknown(dpid, rules)
	found := make(map[pairs.Pair]*inheritedRule)
	until := a.clock.second() + InheritedSeconds
	for i := range rules {
		r := &rules[i]
		pr, ok := pairs.OfMatch(r.Match)
		if ok && len(r.Ports) == 1 && !a.paths.ThisRun(r.Cookie) && !a.isOfPair(dpid, pr, r.Cookie) {
			found[pr] = &inheritedRule{cookie: r.Cookie, out: r.Ports[0], ingress: r.Idle == outlet.IdleTimeout, until: until}
		}
	}
	a.inherited.put(dpid, found, whole)
}

// deleteUnknown deletes rules of this run that no pair uses any more: their switch had no
// connection when the pair left them. While they are used they do not time out, and they lead to
// where the destination was.
func (a *adopter) deleteUnknown(dpid netview.DPID, rules []SoftRule) {
	d, out := a.switches.get(dpid), a.switches.conn(dpid)
	if out == nil {
		return
	}
	wrote := false
	for i := range rules {
		r := &rules[i]
		pr, ok := pairs.OfMatch(r.Match)
		if !ok || len(r.Ports) != 1 || !a.paths.ThisRun(r.Cookie) || a.isOfPair(dpid, pr, r.Cookie) ||
			a.expects(dpid, pr, r.Cookie) {
			continue
		}
		wrote = d.deleteRule(out, pr, r.Cookie, r.Ports[0]) || wrote
	}
	if wrote {
		out.Flush()
	}
}

// isOfPair reports whether a rule of a switch belongs to a pair that is forwarded now.
func (a *adopter) isOfPair(dpid netview.DPID, pr pairs.Pair, cookie uint64) bool {
	if d := a.switches.get(dpid); d != nil {
		if fl, ok := d.flow(pr); ok && a.paths.WroteIngress(fl, cookie) {
			return true
		}
	}
	p := a.paths.ByCookie(cookie, dpid)
	if p == nil {
		return false
	}
	d := a.switches.get(p.Ingress())
	if d == nil {
		return false
	}
	fl, ok := d.flow(pr)
	return ok && fl.Path == p.ID
}

// expects reports whether a rule is of a path that a pair is about to take, may take since an
// abandoned move, or has left so recently that it is not deleted yet.
func (a *adopter) expects(dpid netview.DPID, pr pairs.Pair, cookie uint64) bool {
	if d := a.switches.get(dpid); d != nil && d.expects(pr, nil) { // a pair within the switch, or one that enters here
		return true
	}
	p := a.paths.ByCookie(cookie, dpid)
	if p == nil {
		return false
	}
	d := a.switches.get(p.Ingress())
	return a.retired.has(pr, p) || d != nil && d.expects(pr, p)
}

// second adopts the pairs whose paths are known from end to end, without writing anything, and
// deletes the rules that are wrong. The rest expires, or becomes complete when another switch is read.
func (a *adopter) second() {
	r, snap, now := &a.inherited, a.routes.snap.Load(), a.clock.second()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.changed || snap == nil || !snap.Settled() {
		return
	}
	r.changed = false
	all := r.all()
	if len(all) == 0 {
		return
	}
	g := adoption{adopter: a, snap: snap, peers: peers(snap)}
	for _, at := range all {
		rule := r.get(at)
		rule.hasUpstream, rule.visited = false, false
		if int32(now-rule.until) > 0 {
			r.remove(at)
		}
	}
	for _, at := range all {
		if rule := r.get(at); rule != nil {
			if next := r.get(ruleLocation{g.peer(at.dpid, rule.out).DPID, at.pr}); next != nil {
				next.hasUpstream = true
			}
		}
	}
	for _, at := range all {
		if rule := r.get(at); rule != nil && !rule.hasUpstream {
			g.follow(at)
		}
	}
	for _, at := range all {
		if rule := r.get(at); rule != nil && g.isWrong(at, rule) && a.delete(at) {
			g.over = append(g.over, at)
			r.changed = true // what leads there is to go too
		}
	}
	for _, at := range g.over {
		r.remove(at)
	}
}

// delete deletes a rule of an earlier run from its switch; false if that could not be told.
func (a *adopter) delete(at ruleLocation) bool {
	d, out := a.switches.get(at.dpid), a.switches.conn(at.dpid)
	if out == nil {
		return false
	}
	rule := a.inherited.get(at)
	ok := d.deleteRule(out, at.pr, rule.cookie, rule.out)
	out.Flush()
	return ok
}

// portsGone deletes the rules of an earlier run that send to these ports, which are gone.
func (a *adopter) portsGone(left map[netview.Point]bool) {
	r := &a.inherited
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range r.all() {
		if left[netview.Point{DPID: at.dpid, Port: r.get(at).out}] && a.delete(at) {
			r.remove(at)
			r.changed = true
		}
	}
}

// adoption is one look at the rules of an earlier run, whose lock is held.
type adoption struct {
	*adopter
	snap  *netview.Snapshot
	peers map[netview.Point]netview.Point // the other ends of the links that are up
	over  []ruleLocation                  // of rules that are dealt with
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

// peer returns the other end of the link at a port; the zero Point without one.
func (g *adoption) peer(dpid netview.DPID, port uint32) netview.Point {
	return g.peers[netview.Point{DPID: dpid, Port: port}]
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

// isWrong reports whether a rule leads in a circle, to a port that is down, or to a switch that has no rule for the
// pair: packets on it would reach the controller in the middle of a path that it cannot begin anew. Or whether it is
// that of a later hop, where the pair's source is by now: such a rule of an ended pair stays at a switch that could not
// be told. Packets that enter there would keep it, and it is no pair's, so that it would not follow the destination.
func (g *adoption) isWrong(at ruleLocation, rule *inheritedRule) bool {
	return rule.hasUpstream && !rule.visited || !portUp(g.snap, at.dpid, rule.out) || g.deadEnd(at, rule) ||
		!rule.ingress && g.routes.entersAt(at.pr, at.dpid)
}

// deadEnd reports whether a rule leads over a link to a switch that has no rule for the pair, and
// where the pair does not enter either.
func (g *adoption) deadEnd(at ruleLocation, rule *inheritedRule) bool {
	next, linked := g.peers[netview.Point{DPID: at.dpid, Port: rule.out}]
	if !linked || !g.inherited.whole[next.DPID] || g.inherited.get(ruleLocation{next.DPID, at.pr}) != nil {
		return false
	}
	d := g.switches.get(next.DPID)
	if d == nil {
		return false
	}
	_, enters := d.flow(at.pr)
	return !enters
}

// follow follows the rules of a pair from a switch without upstream, and adopts the pair if it
// enters there and the path is complete.
func (g *adoption) follow(from ruleLocation) {
	var hops []topology.Hop
	var cookies []uint64
	var over []ruleLocation
	hop := topology.Hop{DPID: from.dpid}
	if at, known := g.places.At(from.pr.Src()); known && at.DPID == from.dpid {
		hop.In = at.Port
	}
	for {
		here := ruleLocation{hop.DPID, from.pr}
		rule := g.inherited.get(here)
		if rule == nil {
			return // not complete, or not yet
		}
		if i := slices.IndexFunc(hops, func(h topology.Hop) bool { return h.DPID == hop.DPID }); i >= 0 {
			g.deleteLoop(hops[i:], from.pr)
			return
		}
		rule.visited = true
		hop.Out = rule.out
		hops, cookies, over = append(hops, hop), append(cookies, rule.cookie), append(over, here)
		next, linked := g.peers[netview.Point{DPID: hop.DPID, Port: rule.out}]
		if !linked {
			break
		}
		hop = topology.Hop{DPID: next.DPID, In: next.Port}
	}
	first := g.inherited.get(from)
	sw, ok := g.snap.Switch(hop.DPID)
	if !ok || !first.ingress || pairs.WithinSwitch(first.cookie) != (len(hops) == 1) {
		return
	}
	if p, ok := sw.Port(hop.Out); ok && p.Role == netview.PortEdge {
		if d := g.switches.get(from.dpid); d != nil && d.adopt(from.pr, hops, cookies) {
			g.over = append(g.over, over...)
		}
	}
}

// deleteLoop deletes rules that send a pair's packets in a circle: a run that ended in the middle
// of a repair may have left them, and while a packet loops they do not time out.
func (g *adoption) deleteLoop(hops []topology.Hop, pr pairs.Pair) {
	for _, h := range hops {
		if at := (ruleLocation{h.DPID, pr}); g.delete(at) {
			g.over = append(g.over, at)
		}
	}
}
