package forward

import (
	"fmt"

	"github.com/weirnet/weir/app/forward/pairs"
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
		pr, ok := pairs.OfMatch(r.Match)
		if !ok {
			continue
		}
		if p := f.paths.ByCookie(r.Cookie, dpid); p != nil {
			list = f.checkPathRule(list, dpid, r, pr, p)
		} else {
			list = f.checkLocalRule(list, dpid, r, pr)
		}
	}
	return list
}

// checkPathRule checks a rule of a path.
func (f *Forward) checkPathRule(list []Mismatch, dpid netview.DPID, r *SoftRule, pr pairs.Pair, p *pairs.Path) []Mismatch {
	d := f.switches.get(p.Ingress())
	if d == nil || !d.settled(pr, p.ID) {
		return list
	}
	if hop := p.Hops[p.IndexOf(dpid)]; !sendsTo(r, hop.Out) {
		return append(list, Mismatch{r.Match, output(hop.Out), held(r)})
	}
	if dpid != d.id || f.routes.valid(pr, p) {
		return list
	}
	if to, known := f.places.At(pr.Dst()); known && p.Egress() != to {
		return append(list, Mismatch{r.Match, "a path to " + to.String(), "a path to " + p.Egress().String()})
	}
	if _, ok := f.routes.between(nil, netview.Point{DPID: d.id}, p.Egress(), pr); !ok {
		return list // there is no other path: the rules work again when the links do
	}
	return append(list,
		Mismatch{r.Match, "a path over links that are up", fmt.Sprintf("a path of which a link is down: %v", p.Hops)})
}

// checkLocalRule checks a rule of a pair within one switch.
func (f *Forward) checkLocalRule(list []Mismatch, dpid netview.DPID, r *SoftRule, pr pairs.Pair) []Mismatch {
	d := f.switches.get(dpid)
	if d == nil || !d.settled(pr, 0) {
		return list
	}
	fl, _ := d.flow(pr)
	to, known := f.places.At(pr.Dst())
	switch {
	case !f.paths.WroteIngress(fl, r.Cookie):
		return list
	case !sendsTo(r, fl.Out):
		return append(list, Mismatch{r.Match, output(fl.Out), held(r)})
	case known && to != netview.Point{DPID: dpid, Port: fl.Out}:
		return append(list, Mismatch{r.Match, "a path to " + to.String(), output(fl.Out)})
	}
	return list
}

func sendsTo(r *SoftRule, port uint32) bool { return len(r.Ports) == 1 && r.Ports[0] == port }

func output(port uint32) string { return fmt.Sprintf("output:%d", port) }

func held(r *SoftRule) string {
	if len(r.Ports) == 0 {
		return "output to no port, or to the port where the packet came in"
	}
	return fmt.Sprintf("output:%d", r.Ports)
}
