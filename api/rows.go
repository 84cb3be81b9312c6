package api

import (
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// The functions of this file make the JSON item of a row. The snapshot is what a row is joined
// with.

func switchItem(_ *netview.Snapshot, s *netview.Switch) client.Switch {
	item := client.Switch{
		DPID:         s.DPID.String(),
		Name:         s.Name,
		Connected:    s.Connected,
		State:        string(s.State),
		Address:      s.Address,
		Master:       s.Master,
		Manufacturer: s.Desc.Manufacturer,
		Hardware:     s.Desc.Hardware,
		Software:     s.Desc.Software,
		Serial:       s.Desc.Serial,
		Tables:       s.Tables,
		Since:        s.Since.UTC(),
		Ports:        make([]client.Port, len(s.Ports)),
	}
	if s.Version != 0 {
		item.OpenFlow = s.Version.String()
	}
	for i := range s.Ports {
		item.Ports[i] = portItem(&s.Ports[i])
	}
	return item
}

func portItem(p *netview.Port) client.Port {
	return client.Port{
		Number:    p.Number,
		Name:      p.Name,
		MAC:       p.MAC.String(),
		Up:        p.Up,
		SpeedMbps: nonZero(p.SpeedMbps),
		Role:      p.Role.String(),
	}
}

// nonZero returns nil for 0: a value that is not known.
func nonZero(v uint64) *uint64 {
	if v == 0 {
		return nil
	}
	return &v
}

func pointItem(p netview.Point) client.Point {
	return client.Point{DPID: p.DPID.String(), Port: p.Port}
}

// linkItem returns a link with the sources of its values. Nobody reserves yet, so that value is
// null.
func linkItem(_ *netview.Snapshot, l *netview.Link) client.Link {
	item := client.Link{
		Src:          pointItem(l.Src),
		Dst:          pointItem(l.Dst),
		Up:           l.Up,
		State:        string(l.State),
		CapacityMbps: nonZero(l.CapacityMbps),
		LatencyUS:    nonZero(l.LatencyUS),
		Cost:         l.Cost,
		Source: client.Source{
			CapacityMbps: string(l.CapacitySource), LatencyUS: string(l.LatencySource), Cost: string(l.CostSource),
		},
	}
	if l.Draining && l.State == netview.LinkConfirmed {
		item.State = "draining"
	}
	return item
}

func hostItem(_ *netview.Snapshot, h *netview.Host) client.Host {
	item := client.Host{
		ID:    h.HostID.String(),
		MAC:   h.MAC.String(),
		VLAN:  h.VLAN,
		IPs:   make([]string, len(h.IPs)),
		At:    pointItem(h.At),
		Seen:  h.Seen.UTC(),
		State: string(h.State),
	}
	for i, ip := range h.IPs {
		item.IPs[i] = ip.String()
	}
	return item
}

// flowRow is a rule of either kind.
type flowRow struct {
	rule *netview.Rule
	soft bool
}

func (s *Server) flowItem(_ *netview.Snapshot, f flowRow) client.Flow {
	r := f.rule
	item := client.Flow{
		DPID:         r.DPID.String(),
		Table:        r.Table,
		Priority:     r.Priority,
		Match:        matchItem(&r.Match),
		Instructions: instructionItems(r.Instructions),
		Owner:        r.Owner,
		Cookie:       client.Hex64(r.Cookie),
		State:        string(r.State),
		Reason:       r.Reason,
		Soft:         f.soft,
	}
	if !f.soft {
		s.addCounters(&item, r)
	}
	return item
}

func entryItem(dpid netview.DPID, e *openflow.FlowStats) client.FlowEntry {
	return client.FlowEntry{
		DPID:         dpid.String(),
		Table:        e.Table,
		Priority:     e.Priority,
		Match:        matchItem(&e.Match),
		Instructions: instructionItems(e.Instructions),
		Cookie:       client.Hex64(e.Cookie),
		Packets:      client.Hex64(e.Packets),
		Bytes:        client.Hex64(e.Bytes),
		DurationSec:  e.DurationSec,
		IdleTimeout:  e.IdleTimeout,
		HardTimeout:  e.HardTimeout,
	}
}

func matchItem(m *openflow.Match) map[string]string {
	fields := make(map[string]string)
	m.Each(func(name, value string) { fields[name] = value })
	return fields
}

func instructionItems(list []openflow.Instruction) []string {
	items := make([]string, len(list))
	for i := range list {
		items[i] = list[i].String()
	}
	return items
}
