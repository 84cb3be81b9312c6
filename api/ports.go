package api

import (
	"context"
	"iter"
	"net/http"
	"slices"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/render"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/stats"
)

// withCounters returns a switch that a request names, and its counters as they are kept: no
// switch is asked.
func (s *switches) withCounters(ctx context.Context, in *switchListInput) (*netview.Snapshot, *netview.Switch,
	*stats.Switch, error) {
	snap, sw, err := s.findSwitch(ctx, in.DPID, in.Freshness)
	if err != nil {
		return nil, nil, nil, err
	}
	if s.counters == nil {
		return nil, nil, nil, rest.Refuse(http.StatusNotFound, "this instance keeps no counters")
	}
	c := s.counters(sw.DPID)
	if c == nil {
		c = &stats.Switch{DPID: sw.DPID}
	}
	return snap, sw, c, nil
}

// portCounters returns the ports that the view knows, with the counters of those that have some.
func (s *switches) portCounters(ctx context.Context, in *switchListInput) (*revision.Page[client.PortCounters], error) {
	_, sw, c, err := s.withCounters(ctx, in)
	if err != nil {
		return nil, err
	}
	rows := func(*netview.Snapshot) iter.Seq[client.PortCounters] { return slices.Values(countedPorts(sw, c.Ports)) }
	return list(ctx, s.reader, in.Paging, "switch-ports "+sw.DPID.String(), rows, as[client.PortCounters])
}

// countedPorts joins ports with their counters, in order of number. A port that counts and is not a
// port of the view (the switch's own, mostly) is there too.
func countedPorts(sw *netview.Switch, c *stats.Ports) []client.PortCounters {
	items := make([]client.PortCounters, 0, len(sw.Ports))
	for i := range sw.Ports {
		items = append(items, countersItem(&sw.Ports[i], c))
	}
	if c != nil {
		for i := range c.List {
			if _, known := sw.Port(c.List[i].Number); !known {
				items = append(items, countersItem(&netview.Port{Number: c.List[i].Number}, c))
			}
		}
	}
	slices.SortFunc(items, func(a, b client.PortCounters) int { return int(int64(a.Number) - int64(b.Number)) })
	return items
}

func countersItem(port *netview.Port, c *stats.Ports) client.PortCounters {
	item := client.PortCounters{Port: render.Port(port)}
	p := c.Find(port.Number)
	if p == nil {
		return item
	}
	at := c.AsOf.UTC()
	item.AsOf = &at
	for n, to := range map[stats.Counter]counterFields{
		stats.RxPackets: {&item.RxPackets, &item.RxPacketsRate}, stats.TxPackets: {&item.TxPackets, &item.TxPacketsRate},
		stats.RxBytes: {&item.RxBytes, &item.RxBytesRate}, stats.TxBytes: {&item.TxBytes, &item.TxBytesRate},
		stats.RxDropped: {&item.RxDropped, &item.RxDroppedRate}, stats.TxDropped: {&item.TxDropped, &item.TxDroppedRate},
		stats.RxErrors: {&item.RxErrors, &item.RxErrorsRate}, stats.TxErrors: {&item.TxErrors, &item.TxErrorsRate},
	} {
		*to.count = counterItem(p.Counts[n])
		if r, ok := p.Rate(n); ok {
			*to.rate = &r
		}
	}
	return item
}

// counterFields are where a counter goes.
type counterFields struct {
	count **client.Hex64
	rate  **float64
}

// counterItem returns nil for a counter that the switch does not have.
func counterItem(n uint64) *client.Hex64 {
	if n == stats.NotCounted {
		return nil
	}
	h := client.Hex64(n)
	return &h
}

// tables returns the flow tables that have entries or were looked up.
func (s *switches) tables(ctx context.Context, in *switchListInput) (*revision.Page[client.TableCounters], error) {
	_, sw, c, err := s.withCounters(ctx, in)
	if err != nil {
		return nil, err
	}
	rows := func(*netview.Snapshot) iter.Seq[client.TableCounters] {
		return func(yield func(client.TableCounters) bool) {
			if c.Tables == nil {
				return
			}
			for i := range c.Tables.List {
				if !yield(tableItem(&c.Tables.List[i], c.Tables)) {
					return
				}
			}
		}
	}
	return list(ctx, s.reader, in.Paging, "switch-tables "+sw.DPID.String(), rows, as[client.TableCounters])
}

func tableItem(t *stats.Table, of *stats.Tables) client.TableCounters {
	item := client.TableCounters{Table: t.Number, Entries: t.Entries, MaxEntries: render.NonZero(uint64(t.MaxEntries)),
		Lookups: counterItem(t.Lookups), Matched: counterItem(t.Matched), AsOf: of.AsOf.UTC()}
	if t.Rated {
		item.LookupsRate, item.MatchedRate = &t.LookupsRate, &t.MatchedRate
	}
	return item
}

type countersInput struct {
	DPIDParam
	revision.Freshness
}

// sums returns what a switch has counted in all.
func (s *switches) sums(ctx context.Context, in *countersInput) (*revision.Answer[client.SwitchCounters], error) {
	snap, sw, c, err := s.withCounters(ctx, &switchListInput{in.DPIDParam, Paging{Freshness: in.Freshness}})
	if err != nil {
		return nil, err
	}
	item := client.SwitchCounters{DPID: sw.DPID.String()}
	if t := c.Totals; t != nil {
		at := t.AsOf.UTC()
		item.FlowEntries, item.FlowPackets, item.FlowBytes, item.FlowsAsOf = &t.Entries, counterItem(t.Packets),
			counterItem(t.Bytes), &at
	}
	if c.Flows != nil {
		firm := uint32(len(c.Flows.Entries))
		item.FirmEntries = &firm
	}
	if p := c.Ports; p != nil {
		at := p.AsOf.UTC()
		item.RxPackets, item.TxPackets = client.Hex64(p.Sum[stats.RxPackets]), client.Hex64(p.Sum[stats.TxPackets])
		item.RxBytes, item.TxBytes = client.Hex64(p.Sum[stats.RxBytes]), client.Hex64(p.Sum[stats.TxBytes])
		item.PortsAsOf = &at
	}
	return revision.NewAnswer(s.Of(snap), item), nil
}
