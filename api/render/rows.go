package render

import (
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Switch returns the item of a switch, and those of its ports.
func Switch(_ *netview.Snapshot, s *netview.Switch) client.Switch {
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
		item.Ports[i] = Port(&s.Ports[i])
	}
	return item
}

// Port returns the item of a port.
func Port(p *netview.Port) client.Port {
	return client.Port{
		Number:    p.Number,
		Name:      p.Name,
		MAC:       p.MAC.String(),
		Up:        p.Up,
		SpeedMbps: NonZero(p.SpeedMbps),
		Role:      p.Role.String(),
	}
}

// NonZero returns nil for 0: a value that is not known.
func NonZero(v uint64) *uint64 {
	if v == 0 {
		return nil
	}
	return &v
}

// Point returns the item of a place where a port is.
func Point(p netview.Point) client.Point {
	return client.Point{DPID: p.DPID.String(), Port: p.Port}
}

// Link returns a link with the sources of its values. Nobody reserves yet, so that value is
// null.
func Link(_ *netview.Snapshot, l *netview.Link) client.Link {
	item := client.Link{
		Src:          Point(l.Src),
		Dst:          Point(l.Dst),
		Up:           l.Up,
		State:        string(l.State),
		CapacityMbps: NonZero(l.CapacityMbps),
		LatencyUS:    NonZero(l.LatencyUS),
		Width:        l.Width.String(),
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

// Host returns the item of a host.
func Host(_ *netview.Snapshot, h *netview.Host) client.Host {
	item := client.Host{
		ID:    h.HostID.String(),
		MAC:   h.MAC.String(),
		VLAN:  h.VLAN,
		IPs:   make([]string, len(h.IPs)),
		At:    Point(h.At),
		Seen:  h.Seen.UTC(),
		State: string(h.State),
	}
	for i, ip := range h.IPs {
		item.IPs[i] = ip.String()
	}
	return item
}

// Entry returns the item of a flow entry as a switch answers it.
func Entry(dpid netview.DPID, e *openflow.FlowStats) client.FlowEntry {
	return client.FlowEntry{
		DPID:         dpid.String(),
		Table:        e.Table,
		Priority:     e.Priority,
		Match:        Match(&e.Match),
		Instructions: Instructions(e.Instructions),
		Cookie:       client.Hex64(e.Cookie),
		Packets:      client.Hex64(e.Packets),
		Bytes:        client.Hex64(e.Bytes),
		DurationSec:  e.DurationSec,
		IdleTimeout:  e.IdleTimeout,
		HardTimeout:  e.HardTimeout,
	}
}

// Match returns the fields of a match by name.
func Match(m *openflow.Match) map[string]string {
	fields := make(map[string]string)
	m.Each(func(name, value string) { fields[name] = value })
	return fields
}

// Instructions returns instructions as text.
func Instructions(list []openflow.Instruction) []string {
	items := make([]string, len(list))
	for i := range list {
		items[i] = list[i].String()
	}
	return items
}
