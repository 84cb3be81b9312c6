package forward

import (
	"fmt"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Astray is a pair's rule on a switch that does not do what the pair's path means.
type Astray struct {
	Match  openflow.Match
	Wanted string // what it should do, or where the path should lead
	Held   string // what it does, or where the path leads
}

// Meaning compares pairs' rules that a switch holds with what they are for: they send by the port by which the pair's path leaves the
// switch, and that path leads from where the source is to where the destination is, over links that can be used. Rules of pairs that
// are moving, or are not known, are left out.
func (f *Forward) Meaning(dpid netview.DPID, rules []Former) (list []Astray) {
	for i := range rules {
		r := &rules[i]
		pr, ok := pairOfMatch(r.Match)
		if !ok {
			continue
		}
		if p := f.paths.byCookie(r.Cookie, f.life(r.Cookie), dpid); p != nil {
			list = f.pathMeaning(list, dpid, r, pr, p)
		} else {
			list = f.localMeaning(list, dpid, r, pr)
		}
	}
	return list
}

// pathMeaning compares a rule of a path.
func (f *Forward) pathMeaning(list []Astray, dpid netview.DPID, r *Former, pr pair, p *path) []Astray {
	d := f.datapath(p.hops[0].DPID)
	if d == nil || !d.rests(pr, p.id) {
		return list
	}
	if hop := p.hops[p.visit(dpid)]; !sendsTo(r, hop.Out) {
		return append(list, Astray{r.Match, output(hop.Out), held(r)})
	}
	if dpid != d.id || f.right(pr, p) {
		return list
	}
	if dst, known := f.hosts.get(pr.dstKey()); known && p.egress() != dst.at {
		return append(list, Astray{r.Match, "a path to " + dst.at.String(), "a path to " + p.egress().String()})
	}
	if _, ok := f.pathTo(nil, netview.Point{DPID: d.id}, p.egress(), pr); !ok {
		return list // there is no other: the rules work again when the links do
	}
	return append(list, Astray{r.Match, "a path over links that are up", fmt.Sprintf("a path of which a link is down: %v", p.hops)})
}

// localMeaning compares a rule of a pair within one switch.
func (f *Forward) localMeaning(list []Astray, dpid netview.DPID, r *Former, pr pair) []Astray {
	d := f.datapath(dpid)
	if d == nil || !d.rests(pr, 0) {
		return list
	}
	fl, _ := d.flowOf(pr)
	dst, known := f.hosts.get(pr.dstKey())
	switch {
	case !f.wrote(fl, r.Cookie):
		return list
	case !sendsTo(r, fl.out):
		return append(list, Astray{r.Match, output(fl.out), held(r)})
	case known && dst.at != netview.Point{DPID: dpid, Port: fl.out}:
		return append(list, Astray{r.Match, "a path to " + dst.at.String(), output(fl.out)})
	}
	return list
}

// rests reports whether a pair enters here and has this path, and no move of it is under way.
func (d *Datapath) rests(pr pair, path uint32) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	fl, known := d.pairs.get(pr)
	return known && fl.path == path && d.waiting[pr] == nil && len(d.mixed[pr]) == 0
}

func sendsTo(r *Former, port uint32) bool { return len(r.Ports) == 1 && r.Ports[0] == port }

func output(port uint32) string { return fmt.Sprintf("output:%d", port) }

func held(r *Former) string {
	if len(r.Ports) == 0 {
		return "output to no port, or to the port where the packet came in"
	}
	return fmt.Sprintf("output:%d", r.Ports)
}
