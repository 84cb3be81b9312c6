package forward

import (
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

// SoftRules renders the pairs' rules on one switch, up to limit of them: those that came in there
// and those that pass through. It computes them from the pairs and their paths, and costs time in
// the number of all pairs.
func (f *Forward) SoftRules(dpid netview.DPID, limit int) []netview.Rule {
	at := f.switches.get(dpid)
	if at == nil {
		return nil
	}
	r := rendering{dpid: dpid, limit: limit, table: plan.TableForwarding, paths: f.paths, through: make(map[uint32]*pairs.Path)}
	if out := at.conn.Load(); out != nil {
		r.table = out.Table
	}
	for _, p := range f.paths.All() {
		if p.IndexOf(dpid) >= 0 {
			r.through[p.ID] = p
		}
	}
	for _, d := range f.switches.all() {
		r.add(d)
		if len(r.rules) >= limit {
			break
		}
	}
	return r.rules
}

// rendering is the rules of pairs on one switch.
type rendering struct {
	dpid    netview.DPID
	limit   int
	table   uint8
	paths   *pairs.Paths
	through map[uint32]*pairs.Path // the paths that pass the switch
	rules   []netview.Rule
}

// add appends the rules of the pairs that enter at a switch.
func (r *rendering) add(d *Datapath) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pairs.All(func(pr pairs.Pair, fl pairs.Flow) bool {
		if len(r.rules) >= r.limit {
			return false
		}
		hop, cookie := topology.Hop{DPID: d.id, Out: fl.Out}, r.paths.Cookie(0)
		if fl.Path != 0 {
			p := r.through[fl.Path]
			if p == nil {
				return true
			}
			i := p.IndexOf(r.dpid)
			hop, cookie = p.Hops[i], r.paths.CookieAt(p, i)
		} else if d.id != r.dpid {
			return true
		}
		r.rules = append(r.rules, netview.Rule{
			DPID: r.dpid, Owner: Owner, Table: r.table, Priority: plan.PriorityPair, Cookie: cookie,
			Match:        openflow.Match{OXM: pr.AppendMatch(nil)},
			Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(hop.Out))},
			State:        netview.RuleInstalled,
		})
		return true
	})
}
