package api

import (
	"context"
	"iter"
	"net/http"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/render"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/stats"
)

// flows are the routes that read the rules that are wanted.
type flows struct {
	*reader
	counters  func(netview.DPID) *stats.Switch // nil: none are kept
	ofIntents func(netview.DPID) []*netview.Rule
	soft      func(netview.DPID) iter.Seq[*netview.Rule]
	tenantOf  func(cookie uint64) string
}

func (s *flows) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: "/v1/flows", ID: "flows", Handler: rest.Typed(s.all),
			Summary: "The rules that are wanted, and their state"},
	}
}

type flowsInput struct {
	Paging
	DPID string `query:"dpid" maxLength:"32" doc:"Only the rules of this switch: up to 16 hexadecimal digits. Rules of intents, of which there may be millions, are listed only with it."`
}

func (s *flows) all(ctx context.Context, in *flowsInput) (*revision.Page[client.Flow], error) {
	query := "flows"
	rows := s.allRules
	if in.DPID != "" {
		dpid, err := client.ParseDPID(in.DPID)
		if err != nil {
			return nil, rest.Refuse(http.StatusBadRequest, "%v", err)
		}
		query += " " + client.FormatDPID(dpid)
		rows = func(snap *netview.Snapshot) iter.Seq[flowRow] { return s.rulesOfSwitch(snap, netview.DPID(dpid)) }
	}
	return list(ctx, s.reader, in.Paging, query, rows, s.item)
}

func (s *flows) allRules(snap *netview.Snapshot) iter.Seq[flowRow] {
	return func(yield func(flowRow) bool) {
		for sw := range snap.Switches() {
			for r := range s.rules(snap, sw.DPID) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// rulesOfSwitch yields those of rules, and those of intents.
func (s *flows) rulesOfSwitch(snap *netview.Snapshot, dpid netview.DPID) iter.Seq[flowRow] {
	return func(yield func(flowRow) bool) {
		for r := range s.rules(snap, dpid) {
			if !yield(r) {
				return
			}
		}
		for _, r := range s.ofIntents(dpid) {
			if !yield(flowRow{r, false}) {
				return
			}
		}
	}
}

// rules yields the firm rules of a switch, those refused because of another's, and the soft ones.
func (s *flows) rules(snap *netview.Snapshot, dpid netview.DPID) iter.Seq[flowRow] {
	return func(yield func(flowRow) bool) {
		for _, part := range []struct {
			rules iter.Seq[*netview.Rule]
			soft  bool
		}{{snap.Rules(dpid), false}, {snap.Conflicts(dpid), false}, {s.soft(dpid), true}} {
			for r := range part.rules {
				if !yield(flowRow{r, part.soft}) {
					return
				}
			}
		}
	}
}

// flowRow is a rule of either kind.
type flowRow struct {
	rule *netview.Rule
	soft bool
}

func (s *flows) item(_ *netview.Snapshot, f flowRow) client.Flow {
	r := f.rule
	item := client.Flow{
		DPID:         r.DPID.String(),
		Table:        r.Table,
		Priority:     r.Priority,
		Match:        render.Match(&r.Match),
		Instructions: render.Instructions(r.Instructions),
		Owner:        r.Owner,
		Cookie:       client.Hex64(r.Cookie),
		State:        string(r.State),
		Reason:       r.Reason,
		Soft:         f.soft,
	}
	if name := s.tenantOf(r.Cookie); name != "" {
		item.Owner = "tenant " + name
	}
	if !f.soft {
		s.addCounters(&item, r)
	}
	return item
}

// addCounters adds to an item of /v1/flows what the switch was last heard to have counted.
func (s *flows) addCounters(item *client.Flow, r *netview.Rule) {
	if s.counters == nil {
		return
	}
	c := s.counters(r.DPID)
	if c == nil {
		return
	}
	if f, ok := c.Flows.Find(r); ok {
		at := c.Flows.AsOf.UTC()
		item.Packets, item.Bytes, item.AsOf = counterItem(f.Packets), counterItem(f.Bytes), &at
		if f.Rated && f.Packets != stats.NotCounted {
			item.PacketsRate = &f.PacketsRate
		}
		if f.Rated && f.Bytes != stats.NotCounted {
			item.BytesRate = &f.BytesRate
		}
	}
}
