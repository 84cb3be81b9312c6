package tenancy

import (
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
	"github.com/weirnet/weir/stats"
	"github.com/weirnet/weir/tenant/vswitch"
)

// Count implements connect.Physical.
func (v *virtual) Count(k vswitch.CounterKind) { v.all.cfg.Count(v.physical.dpid, kinds[k]) }

// kinds are the questions for the kinds of counters.
var kinds = [...]stats.Kind{vswitch.OfEntries: stats.KindTenants, vswitch.OfGroups: stats.KindGroups,
	vswitch.OfMeters: stats.KindMeters}

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
func (s *Tenancies) Counted(t *stats.TenantCounters) {
	all := s.at(t.DPID).virtual.Load()
	switch {
	case all == nil:
	case t.Err != nil:
		s.tell(t, *all, nil)
	case t.Kind == stats.KindTenants:
		s.tell(t, *all, ofEntries(t))
	default:
		if !s.cfg.Held(t.DPID, func(held []object.Held) { s.tell(t, *all, s.ofObjects(t, held)) }) {
			s.tell(t, *all, nil)
		}
	}
}

// tell gives virtual switches their counters, by tenants' numbers; nil if there are none.
func (s *Tenancies) tell(t *stats.TenantCounters, all map[uint16]*virtual, of map[uint16]*vswitch.Counters) {
	k, next := vswitch.CounterKind(slices.Index(kinds[:], t.Kind)), t.Next.Sub(s.began)
	for tenant, v := range all {
		c := of[tenant]
		if c == nil && of != nil {
			c = new(vswitch.Counters)
		}
		if c != nil {
			c.Kind, c.Asked, c.Answered = k, t.Asked.Sub(s.began), t.Answered.Sub(s.began)
		}
		v.sw.Counted(k, c, next)
	}
}

// ofEntries are the counters of tenants' entries.
func ofEntries(t *stats.TenantCounters) map[uint16]*vswitch.Counters {
	of := make(map[uint16]*vswitch.Counters)
	for i := range t.List {
		tenant, _ := plan.TenantRow(t.List[i].Number)
		if of[tenant] == nil {
			of[tenant] = new(vswitch.Counters)
		}
		of[tenant].List = append(of[tenant].List, t.List[i])
	}
	return of
}

// ofObjects are the counters of the groups or meters of tenants that the switch has had since it was asked, as far as is known.
func (s *Tenancies) ofObjects(t *stats.TenantCounters, held []object.Held) map[uint16]*vswitch.Counters {
	counted := make(map[uint32]vswitch.ObjectCounted, len(t.Groups)+len(t.Meters))
	take := func(number, sec, nsec uint32, packets, bytes uint64, parts []openflow.BucketCounter) {
		age := time.Duration(sec)*time.Second + time.Duration(nsec)
		counted[number] = vswitch.ObjectCounted{Listed: true, Age: age,
			Counts: flowtable.ObjectCounts{Packets: packets, Bytes: bytes, Parts: parts}}
	}
	for i := range t.Groups {
		g := &t.Groups[i]
		take(g.Group, g.DurationSec, g.DurationNsec, g.Packets, g.Bytes, g.Buckets)
	}
	for i := range t.Meters {
		m := &t.Meters[i]
		var bands []openflow.BucketCounter
		for _, b := range m.Bands {
			bands = append(bands, openflow.BucketCounter(b))
		}
		take(m.Meter, m.DurationSec, m.DurationNsec, m.PacketsIn, m.BytesIn, bands)
	}
	of := make(map[uint16]*vswitch.Counters)
	for _, h := range held {
		_, meter := h.Object.(*object.Meter)
		if meter != (t.Kind == stats.KindMeters) || h.Since.After(t.Asked) {
			continue
		}
		x, tenant := counted[h.Number], vswitch.TenantOf(h.Object)
		x.Digest = *h.Object.Digest()
		if of[tenant] == nil {
			of[tenant] = new(vswitch.Counters)
		}
		of[tenant].Objects = append(of[tenant].Objects, x)
	}
	return of
}
