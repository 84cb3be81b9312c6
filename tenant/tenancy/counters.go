package tenancy

import (
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/stats"
	"github.com/weirnet/weir/tenant/vswitch"
)

// Count implements connect.Physical.
func (v *virtual) Count() { v.all.cfg.Count(v.physical.dpid) }

// Counted gives the counters of a physical switch to the virtual ones on it, whoever has asked for them.
func (s *Tenancies) Counted(t *stats.TenantFlows) {
	all := s.at(t.DPID).virtual.Load()
	if all == nil {
		return
	}
	next := t.Next.Sub(s.began)
	if t.Err != nil {
		for _, v := range *all {
			v.sw.Counted(nil, next)
		}
		return
	}
	lists := make(map[uint16][]ruleset.Counted, len(*all))
	for i := range t.List {
		tenant, _ := plan.TenantRow(t.List[i].Number)
		lists[tenant] = append(lists[tenant], t.List[i])
	}
	for tenant, v := range *all {
		v.sw.Counted(&vswitch.Counters{Asked: t.Asked.Sub(s.began), List: lists[tenant]}, next)
	}
}
