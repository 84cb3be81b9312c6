package api

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

type flowsInput struct {
	Paging
	DPID string `query:"dpid" maxLength:"32" doc:"Only the rules of this switch: up to 16 hexadecimal digits. Rules of intents, of which there may be millions, are listed only with it."`
}

func (s *Server) flows(ctx context.Context, in *flowsInput) (*page[client.Flow], error) {
	query := "flows"
	rows := s.allRules
	if in.DPID != "" {
		dpid, err := client.ParseDPID(in.DPID)
		if err != nil {
			return nil, refuse(http.StatusBadRequest, "%v", err)
		}
		query += " " + client.FormatDPID(dpid)
		rows = func(snap *netview.Snapshot) iter.Seq[flowRow] { return s.rulesOfSwitch(snap, netview.DPID(dpid)) }
	}
	return list(ctx, s, in.Paging, query, rows, s.flowItem)
}

func (s *Server) allRules(snap *netview.Snapshot) iter.Seq[flowRow] {
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
func (s *Server) rulesOfSwitch(snap *netview.Snapshot, dpid netview.DPID) iter.Seq[flowRow] {
	return func(yield func(flowRow) bool) {
		for r := range s.rules(snap, dpid) {
			if !yield(r) {
				return
			}
		}
		for _, r := range s.cfg.IntentRules(dpid) {
			if !yield(flowRow{r, false}) {
				return
			}
		}
	}
}

// rules yields the firm rules of a switch, those refused because of another's, and the soft ones.
func (s *Server) rules(snap *netview.Snapshot, dpid netview.DPID) iter.Seq[flowRow] {
	return func(yield func(flowRow) bool) {
		for _, part := range []struct {
			rules iter.Seq[*netview.Rule]
			soft  bool
		}{{snap.Rules(dpid), false}, {snap.Conflicts(dpid), false}, {s.cfg.SoftRules(dpid), true}} {
			for r := range part.rules {
				if !yield(flowRow{r, part.soft}) {
					return
				}
			}
		}
	}
}

type switchListInput struct {
	DPIDParam
	Paging
}

// switchFlows asks the switch for the first page; the others are of that answer.
func (s *Server) switchFlows(ctx context.Context, in *switchListInput) (*page[client.FlowEntry], error) {
	dpid, err := s.connectedSwitch(ctx, in)
	if err != nil {
		return nil, err
	}
	var entries []openflow.FlowStats
	if in.Continue == "" {
		ask, cancel := context.WithTimeout(ctx, s.cfg.Limits.AskWait)
		defer cancel()
		if entries, err = s.cfg.Switches.Flows(ask, dpid); err != nil {
			return nil, s.noAnswer(dpid, err)
		}
	}
	rows := func(*netview.Snapshot) iter.Seq[*openflow.FlowStats] {
		return func(yield func(*openflow.FlowStats) bool) {
			for i := range entries {
				if !yield(&entries[i]) {
					return
				}
			}
		}
	}
	render := func(_ *netview.Snapshot, e *openflow.FlowStats) client.FlowEntry { return entryItem(dpid, e) }
	return list(ctx, s, in.Paging, "switch-flows "+dpid.String(), rows, render)
}

// connectedSwitch returns the switch that a request wants asked.
func (s *Server) connectedSwitch(ctx context.Context, in *switchListInput) (netview.DPID, error) {
	_, sw, err := s.findSwitch(ctx, in.DPID, in.Freshness)
	if err != nil {
		return 0, err
	}
	if s.cfg.Switches == nil {
		return 0, refuse(http.StatusNotFound, "this instance has no sessions with switches")
	}
	return sw.DPID, nil
}

// noAnswer returns the problem of a switch that does not answer: it is not the instance that fails.
func (s *Server) noAnswer(dpid netview.DPID, err error) error {
	switch {
	case errors.Is(err, ErrNotConnected):
		return refuse(http.StatusConflict, "switch %s is not connected, so it cannot be asked", dpid)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled): // the latter: the caller has gone
		return refuse(http.StatusGatewayTimeout, "switch %s did not answer within %s", dpid, s.cfg.Limits.AskWait)
	}
	return refuse(http.StatusBadGateway, "switch %s: %v", dpid, err)
}
