package api

import (
	"context"
	"iter"
	"slices"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
)

// switchPorts asks the switch for its counters for the first page; the others are of that answer.
func (s *Server) switchPorts(ctx context.Context, in *switchListInput) (*page[client.PortCounters], error) {
	dpid, err := s.toAsk(ctx, in)
	if err != nil {
		return nil, err
	}
	var items []client.PortCounters
	if in.Continue == "" {
		ask, cancel := context.WithTimeout(ctx, s.cfg.Limits.AskWait)
		defer cancel()
		stats, err := s.cfg.Switches.PortStats(ask, dpid)
		if err != nil {
			return nil, s.noAnswer(dpid, err)
		}
		items = s.countedPorts(s.cfg.View.Snapshot(), dpid, stats)
	}
	rows := func(*netview.Snapshot) iter.Seq[client.PortCounters] { return slices.Values(items) }
	return list(ctx, s, in.Paging, "switch-ports "+dpid.String(), rows, as[client.PortCounters])
}

// countedPorts joins counters with what the view knows of their ports, in order of number.
func (s *Server) countedPorts(snap *netview.Snapshot, dpid netview.DPID, stats []PortStats) []client.PortCounters {
	now := &sample{at: s.cfg.Now(), ports: make(map[uint32]PortStats, len(stats))}
	for _, p := range stats {
		now.ports[p.Port] = p
	}
	was := s.rates.since(dpid, now, func(d netview.DPID) bool { _, ok := snap.Switch(d); return ok })
	items := make([]client.PortCounters, 0, len(stats))
	for _, p := range stats {
		item := countersItem(snap, dpid, p)
		item.AsOf = now.at.UTC()
		if was != nil {
			if old, ok := was.ports[p.Port]; ok {
				addRates(&item, p, old, now.at.Sub(was.at))
			}
		}
		items = append(items, item)
	}
	slices.SortFunc(items, func(a, b client.PortCounters) int { return int(int64(a.Number) - int64(b.Number)) })
	return items
}

func countersItem(snap *netview.Snapshot, dpid netview.DPID, p PortStats) client.PortCounters {
	port := netview.Port{Number: p.Port}
	if sw, ok := snap.Switch(dpid); ok {
		if known, ok := sw.Port(p.Port); ok {
			port = known
		}
	}
	return client.PortCounters{
		Port:      portItem(&port),
		RxPackets: client.Hex64(p.RxPackets), TxPackets: client.Hex64(p.TxPackets),
		RxBytes: client.Hex64(p.RxBytes), TxBytes: client.Hex64(p.TxBytes),
		RxDropped: client.Hex64(p.RxDropped), TxDropped: client.Hex64(p.TxDropped),
		RxErrors: client.Hex64(p.RxErrors), TxErrors: client.Hex64(p.TxErrors),
	}
}
