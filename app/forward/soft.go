package forward

import (
	"cmp"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

// SoftRules renders the pairs' rules on one switch, up to limit of them: those that came in there
// and those that pass through. It computes them from the pairs and their paths, and costs time in
// the number of all pairs.
func (f *Forward) SoftRules(dpid netview.DPID, limit int) []netview.Rule {
	to, ok := f.switches.get(uint64(dpid))
	if !ok {
		return nil
	}
	table := plan.TableForwarding
	if o := to.conn.Load(); o != nil {
		table = o.table
	}
	through := f.paths.find(func(p *path) bool { return p.indexOf(dpid) >= 0 })
	var rules []netview.Rule
	for _, d := range f.datapaths() {
		rules = d.appendRules(rules, dpid, table, through, limit)
		if len(rules) >= limit {
			break
		}
	}
	return rules
}

// appendRules appends the rules that this ingress switch's pairs have on the switch dpid.
func (d *Datapath) appendRules(rules []netview.Rule, dpid netview.DPID, table uint8, through map[uint32]*path,
	limit int) []netview.Rule {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pairs.All(func(pr pair, fl flow) bool {
		if len(rules) >= limit {
			return false
		}
		hop, cookie := topology.Hop{DPID: d.id, Out: fl.out}, d.f.cookie(0)
		if fl.path != 0 {
			p := through[fl.path]
			if p == nil {
				return true
			}
			i := p.indexOf(dpid)
			hop, cookie = p.hops[i], d.f.cookieAt(p, i)
		} else if d.id != dpid {
			return true
		}
		rules = append(rules, netview.Rule{
			DPID: dpid, Owner: Owner, Table: table, Priority: plan.PriorityPair, Cookie: cookie,
			Match:        openflow.Match{OXM: pr.appendMatch(nil)},
			Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(hop.Out))},
			State:        netview.RuleInstalled,
		})
		return true
	})
	return rules
}

// datapaths returns all switches that were ever attached, by datapath id.
func (f *Forward) datapaths() []*Datapath {
	var all []*Datapath
	f.switches.each(func(d *Datapath) { all = append(all, d) })
	slices.SortFunc(all, func(a, b *Datapath) int { return cmp.Compare(a.id, b.id) })
	return all
}
