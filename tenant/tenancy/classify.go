package tenancy

import (
	"slices"
	"sync"
	"time"

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

// retryAfter is the time after which a rule of classification is ordered again that a switch has refused.
const retryAfter = 5 * time.Second

// refusals are rules of classification that switches have refused. Until they are taken, packets of the tenant may be handled
// there as others' are.
type refusals struct {
	mu    sync.Mutex
	list  map[*ruleset.Set]bool
	since time.Time // of the first that is in the list
}

// unclassified notes which rules of classification a switch has refused, and logs it.
func (s *Tenancies) unclassified(list []ruleset.Outcome) {
	for i := range list {
		o := &list[i]
		if o.Result != ruleset.Refused || o.Rules.Len() == 0 {
			continue
		}
		number, _ := plan.TenantRow(o.Rules.Number)
		_, hop := o.Rules.At(0)
		s.cfg.Log.Error("a switch refuses a rule that tells a tenant's packets from others'; it is tried again", "tenant", number,
			"dpid", hop.DPID, "reason", o.Reason)
		s.refused.mu.Lock()
		if len(s.refused.list) == 0 {
			s.refused.list, s.refused.since = make(map[*ruleset.Set]bool), s.cfg.Now()
		}
		s.refused.list[o.Rules] = true
		s.refused.mu.Unlock()
		s.Bell.Ring()
	}
}

// take takes the refused rules when their time has come; next is when it will have, if there are some.
func (r *refusals) take(now time.Time) (list map[*ruleset.Set]bool, next time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == 0 {
		return nil, time.Time{}
	}
	if due := r.since.Add(retryAfter); now.Before(due) {
		return nil, due
	}
	list, r.list = r.list, nil
	return list, time.Time{}
}

// forget has refused rules of the tenant's be ordered anew by the next classify.
func (t *tenancy) forget(refused map[*ruleset.Set]bool) {
	for dpid, sets := range t.classified {
		t.classified[dpid] = slices.DeleteFunc(slices.Clone(sets), func(set *ruleset.Set) bool { return refused[set] })
	}
}

// sameClass reports whether two rules of classification stand in one place, and do the same.
func sameClass(a, b *ruleset.Set) bool {
	_, x := a.At(0)
	_, y := b.At(0)
	return a.Table == b.Table && a.Priority == b.Priority && a.SamePlace(0, b, 0) && x.Do.Equal(y.Do)
}
