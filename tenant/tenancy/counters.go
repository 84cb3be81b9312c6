package tenancy

import (
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/stats"
	"github.com/weirnet/weir/tenant/vswitch"
)

// Count implements connect.Physical.
func (v *virtual) Count() { v.all.cfg.Count(v.physical.dpid) }

// PortCounters implements connect.Physical.
func (v *virtual) PortCounters(p *openflow.PortStats) {
	const n = stats.NotCounted
	*p = openflow.PortStats{Port: p.Port, DurationSec: p.DurationSec, DurationNsec: p.DurationNsec, RxPackets: n, TxPackets: n,
		RxBytes: n, TxBytes: n, RxDropped: n, TxDropped: n, RxErrors: n, TxErrors: n, RxFrameErr: n, RxOverErr: n, RxCRCErr: n,
		Collisions: n}
	sw := v.all.cfg.Counters(v.physical.dpid)
	if !v.whole.Load() || sw == nil {
		return
	}
	if of := sw.Ports.Find(p.Port); of != nil {
		c := &of.Counts
		p.RxPackets, p.TxPackets = c[stats.RxPackets], c[stats.TxPackets]
		p.RxBytes, p.TxBytes = c[stats.RxBytes], c[stats.TxBytes]
		p.RxDropped, p.TxDropped = c[stats.RxDropped], c[stats.TxDropped]
		p.RxErrors, p.TxErrors = c[stats.RxErrors], c[stats.TxErrors]
	}
}

// FlowRemoved takes what the entry of a tenant's row has counted that the switch has removed, for whatever reason.
func (p *part) FlowRemoved(m *openflow.FlowRemoved) {
	c := plan.Decode(m.Cookie)
	number, row := plan.TenantRow(c.Owner)
	if c.Kind != plan.KindTenant || c.Domain != p.all.cfg.Domain || row == 0 {
		return
	}
	if v := p.physical.of(number); v != nil {
		in, match := ruleset.CutInPort(m.Match.AppendCanonical(nil))
		v.sw.Removed(&ruleset.Counted{Number: c.Owner, Version: c.Version, Place: ruleset.HashPlace(in, m.Priority, match),
			Counts: ruleset.Counts{Packets: m.Packets, Bytes: m.Bytes}})
	}
}

// RemovedFrame is FlowRemoved of a message that has not been parsed.
func (p *part) RemovedFrame(v openflow.Version, frame []byte) {
	var m openflow.FlowRemoved
	if cookie, whole := openflow.FlowRemovedCookie(v, frame); whole && plan.Decode(cookie).Kind == plan.KindTenant &&
		m.Parse(v, frame[openflow.HeaderLen:]) == nil {
		p.FlowRemoved(&m)
	}
}

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
