package forward

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

// Former is a pair's rule that was found on a switch.
type Former struct {
	Match  openflow.Match
	Cookie uint64
	Ports  []uint32 // that it sends to, reserved ones left out
	Idle   uint16   // its idle time-out in seconds, which says whether the pair enters the network there
}

// FormerKept is how long, in seconds, rules of an earlier life are kept in mind that make no whole path: longer than
// those of pairs that nobody uses stay on a switch.
const FormerKept = 660

// former are the rules of an earlier life that are not taken over yet: switches are read one after the other, and a
// pair is known when all switches of its path and the links between them are.
type former struct {
	mu      sync.Mutex
	at      map[netview.DPID]map[pair]*remnant
	whole   map[netview.DPID]bool // at has all of the switch's
	changed bool                  // since takeOver looked
}

// remnant is one of them.
type remnant struct {
	cookie  uint64
	out     uint32
	ingress bool
	until   uint32 // second
	led     bool   // another switch's sends packets here
	passed  bool   // it is on the way from one that nobody sends to
}

// Read tells of the pairs' rules that a switch holds; whole says that there are no others. Those of pairs that are
// known are this life's, or taken over already; of the others, those of an earlier life are kept in mind until
// the pairs can be taken over. Pairs whose rule is not among them ran out while nobody could hear it.
func (f *Forward) Read(dpid netview.DPID, rules []Former, whole bool) {
	if whole {
		listed := make([]openflow.Match, len(rules))
		for i := range rules {
			listed[i] = rules[i].Match
		}
		f.Listed(dpid, listed)
	}
	f.unknown(dpid, rules)
	found := make(map[pair]*remnant)
	until := f.seconds.Load() + FormerKept
	for i := range rules {
		r := &rules[i]
		pr, ok := pairOfMatch(r.Match)
		if ok && len(r.Ports) == 1 && !f.life(r.Cookie) && !f.Knows(dpid, r.Match, r.Cookie) {
			found[pr] = &remnant{cookie: r.Cookie, out: r.Ports[0], ingress: r.Idle == IdleTimeout, until: until}
		}
	}
	f.former.mu.Lock()
	defer f.former.mu.Unlock()
	if f.former.at == nil {
		f.former.at, f.former.whole = make(map[netview.DPID]map[pair]*remnant), make(map[netview.DPID]bool)
	}
	f.former.at[dpid], f.former.whole[dpid] = found, whole
	f.former.changed = true
}

// unknown deletes rules of this life that no pair has any more: their switch could not be told when they were left. While they are used
// they do not run out, and they lead to where the destination was.
func (f *Forward) unknown(dpid netview.DPID, rules []Former) {
	d := f.datapath(dpid)
	if d == nil {
		return
	}
	out := d.outlet.Load()
	if out == nil {
		return
	}
	wrote := false
	for i := range rules {
		r := &rules[i]
		pr, ok := pairOfMatch(r.Match)
		if !ok || len(r.Ports) != 1 || !f.life(r.Cookie) || f.Knows(dpid, r.Match, r.Cookie) || f.expects(dpid, pr, r.Cookie) {
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

// expects reports whether a rule is of a path that a pair is about to take, may take since a move was given up, or has left so lately
// that it is not deleted yet.
func (f *Forward) expects(dpid netview.DPID, pr pair, cookie uint64) bool {
	if d := f.datapath(dpid); d != nil && d.expects(pr, nil) { // a pair within the switch, or one that enters here
		return true
	}
	p := f.paths.byCookie(cookie, true, dpid)
	if p == nil {
		return false
	}
	d := f.datapath(p.hops[0].DPID)
	return f.retired.leaves(pr, p) || d != nil && d.expects(pr, p)
}

// expects reports whether a pair that enters here is about to take a path, or may: any, if p is nil.
func (d *Datapath) expects(pr pair, p *path) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.waiting[pr]; w != nil && (p == nil || w.path == p) {
		return true
	}
	return slices.Contains(d.mixed[pr], p)
}

// look has takeOver look again: what is known of the network has changed.
func (r *former) look() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = true
}

// ranOut forgets a rule of an earlier life.
func (r *former) ranOut(dpid netview.DPID, pr pair, cookie uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.at[dpid][pr]; old != nil && old.cookie == cookie {
		delete(r.at[dpid], pr)
	}
}

// spot is the place of a rule.
type spot struct {
	dpid netview.DPID
	pr   pair
}

// all are the places of all rules, in order.
func (r *former) all() []spot {
	var all []spot
	for dpid, m := range r.at {
		for pr := range m {
			all = append(all, spot{dpid, pr})
		}
	}
	slices.SortFunc(all, func(a, b spot) int { return cmp.Or(cmp.Compare(a.dpid, b.dpid), comparePairs(a.pr, b.pr)) })
	return all
}

// takeOver takes over the pairs whose paths are known from end to end, without writing anything, and deletes the rules
// that lead in a circle, to a port that is down, or to a switch that has no rule for the pair: packets that take one of these would
// come to us in the middle of a path that we cannot begin anew. The rest runs out, or becomes whole when another switch is read.
func (f *Forward) takeOver(now uint32) {
	r := &f.former
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
		rem.led, rem.passed = false, false
		if int32(now-rem.until) > 0 {
			delete(r.at[at.dpid], at.pr)
		}
	}
	for _, at := range all {
		if rem := r.at[at.dpid][at.pr]; rem != nil {
			if next := r.at[links[netview.Point{DPID: at.dpid, Port: rem.out}].DPID][at.pr]; next != nil {
				next.led = true
			}
		}
	}
	var over []spot
	for _, at := range all {
		if rem := r.at[at.dpid][at.pr]; rem != nil && !rem.led {
			over = append(over, f.takePair(snap, links, at)...)
		}
	}
	for _, at := range all {
		rem := r.at[at.dpid][at.pr]
		if rem != nil && (rem.led && !rem.passed || !portUp(snap, at.dpid, rem.out) || f.deadEnd(links, at, rem)) && f.unwrite(at, rem) {
			over = append(over, at)
			r.changed = true // what leads there is to go too
		}
	}
	for _, at := range over {
		delete(r.at[at.dpid], at.pr)
	}
}

// deadEnd tells whether a rule leads over a link to a switch that has no rule for the pair, and where the pair does not enter for us
// either. f.former.mu is held.
func (f *Forward) deadEnd(links map[netview.Point]netview.Point, at spot, rem *remnant) bool {
	r := &f.former
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

// peers are the other ends of the links that are up.
func peers(snap *netview.Snapshot) map[netview.Point]netview.Point {
	links := make(map[netview.Point]netview.Point)
	for l := range snap.Links() {
		if l.Up {
			links[l.Src] = l.Dst
		}
	}
	return links
}

// portUp tells whether a port is up, as far as is known.
func portUp(snap *netview.Snapshot, dpid netview.DPID, port uint32) bool {
	sw, ok := snap.Switch(dpid)
	if !ok || !sw.Connected {
		return true
	}
	p, ok := sw.Port(port)
	return ok && p.Up
}

// takePair follows the rules of a pair from a switch that no other sends it to, and takes the pair over if it enters
// there and the way is whole. It returns the places of rules that need no more looking after. r.mu is held.
func (f *Forward) takePair(snap *netview.Snapshot, links map[netview.Point]netview.Point, from spot) (over []spot) {
	r := &f.former
	var hops []topology.Hop
	var cookies []uint64
	hop := topology.Hop{DPID: from.dpid}
	if src, known := f.hosts.get(from.pr.srcKey()); known && src.at.DPID == from.dpid {
		hop.In = src.at.Port
	}
	for {
		rem := r.at[hop.DPID][from.pr]
		if rem == nil {
			return nil // not whole, or not yet
		}
		if i := slices.IndexFunc(hops, func(h topology.Hop) bool { return h.DPID == hop.DPID }); i >= 0 {
			return f.uncircle(hops[i:], from.pr)
		}
		rem.passed = true
		hop.Out = rem.out
		hops, cookies = append(hops, hop), append(cookies, rem.cookie)
		over = append(over, spot{hop.DPID, from.pr})
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

// adopt takes a pair over.
func (f *Forward) adopt(pr pair, hops []topology.Hop, cookies []uint64) bool {
	d := f.datapath(hops[0].DPID)
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, has := d.pairs.get(pr); has || d.waiting[pr] != nil {
		return true // this life's rules are in their places
	}
	if d.pairs.len() >= MaxPairs {
		return false
	}
	fl := flow{out: hops[0].Out, epoch: d.epoch}
	if len(hops) > 1 {
		fl.path = f.paths.adopt(hops, cookies).id
	}
	d.pairs.put(pr, fl)
	d.unmoved = true // its path may be broken since
	f.count.adopted.Add(1)
	return true
}

// uncircle deletes rules that send a pair's packets in a circle: a life that ended in the middle of a repair may have
// left them, and as long as a packet goes round they do not run out. f.former.mu is held.
func (f *Forward) uncircle(hops []topology.Hop, pr pair) (over []spot) {
	for _, h := range hops {
		at := spot{h.DPID, pr}
		if f.unwrite(at, f.former.at[h.DPID][pr]) {
			over = append(over, at)
		}
	}
	return over
}

// unwrite deletes a rule of an earlier life; false if its switch could not be told.
func (f *Forward) unwrite(at spot, rem *remnant) bool {
	d := f.datapath(at.dpid)
	if d == nil {
		return false
	}
	out := d.outlet.Load()
	if out == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	ok := d.deleteRule(out, at.pr, rem.cookie, rem.out)
	out.Flush()
	return ok
}

// waiting counts the rules of an earlier life that are not taken over.
func (r *former) waiting() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for m := range maps.Values(r.at) {
		n += len(m)
	}
	return n
}
