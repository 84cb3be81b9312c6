package forward

import (
	"fmt"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Mismatch is a pair's rule on a switch that does not do what the pair's path requires.
type Mismatch struct {
	Match   openflow.Match
	Desired string // what it should do, or where the path should lead
	Held    string // what it does, or where the path leads
}

// CheckRules compares the pair rules that a switch holds with their paths: they send to the port by
// which the pair's path leaves the switch, and that path leads from the source to the destination,
// over usable links. Rules of moving and unknown pairs are skipped.
func (f *Forward) CheckRules(dpid netview.DPID, rules []SoftRule) (list []Mismatch) {
	for i := range rules {
		r := &rules[i]
		pr, ok := pairOfMatch(r.Match)
		if !ok {
			continue
		}
		if p := f.paths.byCookie(r.Cookie, f.thisGeneration(r.Cookie), dpid); p != nil {
			list = f.checkPathRule(list, dpid, r, pr, p)
		} else {
			list = f.checkLocalRule(list, dpid, r, pr)
		}
	}
	return list
}

// checkPathRule checks a rule of a path.
func (f *Forward) checkPathRule(list []Mismatch, dpid netview.DPID, r *SoftRule, pr pair, p *path) []Mismatch {
	d := f.datapath(p.hops[0].DPID)
	if d == nil || !d.isSettled(pr, p.id) {
		return list
	}
	if hop := p.hops[p.indexOf(dpid)]; !sendsTo(r, hop.Out) {
		return append(list, Mismatch{r.Match, output(hop.Out), held(r)})
	}
	if dpid != d.id || f.pathValid(pr, p) {
		return list
	}
	if dst, known := f.hosts.get(pr.dstKey()); known && p.egress() != dst.at {
		return append(list, Mismatch{r.Match, "a path to " + dst.at.String(), "a path to " + p.egress().String()})
	}
	if _, ok := f.pathTo(nil, netview.Point{DPID: d.id}, p.egress(), pr); !ok {
		return list // there is no other path: the rules work again when the links do
	}
	return append(list,
		Mismatch{r.Match, "a path over links that are up", fmt.Sprintf("a path of which a link is down: %v", p.hops)})
}

// checkLocalRule checks a rule of a pair within one switch.
func (f *Forward) checkLocalRule(list []Mismatch, dpid netview.DPID, r *SoftRule, pr pair) []Mismatch {
	d := f.datapath(dpid)
	if d == nil || !d.isSettled(pr, 0) {
		return list
	}
	fl, _ := d.flowOf(pr)
	dst, known := f.hosts.get(pr.dstKey())
	switch {
	case !f.wroteIngress(fl, r.Cookie):
		return list
	case !sendsTo(r, fl.out):
		return append(list, Mismatch{r.Match, output(fl.out), held(r)})
	case known && dst.at != netview.Point{DPID: dpid, Port: fl.out}:
		return append(list, Mismatch{r.Match, "a path to " + dst.at.String(), output(fl.out)})
	}
	return list
}

// isSettled reports whether a pair enters here and has this path, and is not being moved.
func (d *Datapath) isSettled(pr pair, path uint32) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	fl, known := d.pairs.get(pr)
	return known && fl.path == path && d.installs[pr] == nil && len(d.halfMoved[pr]) == 0
}

func sendsTo(r *SoftRule, port uint32) bool { return len(r.Ports) == 1 && r.Ports[0] == port }

func output(port uint32) string { return fmt.Sprintf("output:%d", port) }

func held(r *SoftRule) string {
	if len(r.Ports) == 0 {
		return "output to no port, or to the port where the packet came in"
	}
	return fmt.Sprintf("output:%d", r.Ports)
}
