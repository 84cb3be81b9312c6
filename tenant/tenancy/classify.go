package tenancy

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant/vswitch"
)

// classes returns the rules that tell the tenant's packets from others' at a switch where it has ports, also if it has none:
// what is in its space is nobody else's there either. Where it does not have all ports that its definition stands for, since
// the other ends of links are not its, the rules name those that it has.
func (t *tenancy) classes(row *netview.Switch, ports []openflow.Port) []*ruleset.Set {
	local := *t.definition
	if _, all := local.At(row.DPID); !all || len(ports) < countOf(row) {
		local.Ports = nil
		for i := range ports {
			local.Ports = append(local.Ports, netview.Point{DPID: row.DPID, Port: ports[i].Number})
		}
		slices.SortFunc(local.Ports, netview.Point.Compare)
	}
	if plan.SingleTable(row.Version, row.Tables) {
		return vswitch.ClassifySingle(&local, t.space, row.DPID)
	}
	return vswitch.Classify(&local, row.DPID)
}

// countOf is how many ports of a switch a tenant may have.
func countOf(row *netview.Switch) (n int) {
	for i := range row.Ports {
		if row.Ports[i].Number <= openflow.PortMax {
			n++
		}
	}
	return n
}

// classify orders the rules that tell the tenant's packets from others' at a switch, and the removal of those that are not any
// more.
func (t *tenancy) classify(dpid netview.DPID, sets []*ruleset.Set) {
	was := t.classified[dpid]
	var orders []ruleset.Order
	for i, set := range sets {
		at := slices.IndexFunc(was, func(old *ruleset.Set) bool { return sameClass(old, set) })
		if at < 0 {
			orders = append(orders, ruleset.Order{Rules: set})
			continue
		}
		sets[i] = was[at]
	}
	for _, old := range was {
		if !slices.Contains(sets, old) {
			orders = append(orders, ruleset.Order{Rules: old, Remove: true})
		}
	}
	if t.classified[dpid] = sets; len(sets) == 0 {
		delete(t.classified, dpid)
	}
	if len(orders) > 0 {
		t.of.cfg.Orders(orders)
	}
}

// sameClass reports whether two rules of classification stand in one place, and do the same.
func sameClass(a, b *ruleset.Set) bool {
	_, x := a.At(0)
	_, y := b.At(0)
	return a.Table == b.Table && a.Priority == b.Priority && a.SamePlace(0, b, 0) && x.Do.Equal(y.Do)
}
