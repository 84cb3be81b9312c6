package api

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/intents"
	"github.com/weirnet/weir/api/render"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/stats"
)

// switches are the routes that read switches: what the view has of them, what they have counted, and
// the flow entries that they answer themselves.
type switches struct {
	*reader
	asker    SwitchAsker                                         // nil: nobody asks switches
	askWait  time.Duration                                       // for an answer
	counters func(netview.DPID) *stats.Switch                    // nil: none are kept
	state    func(netview.DPID) (*client.Sync, netview.Revision) // how well it agrees; nil: not known
}

func (s *switches) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: switchesPath, ID: "switches", Handler: rest.Typed(s.all), Summary: "All switches"},
		{Method: "GET", Path: switchesPath + "/{dpid}", ID: "switch", Handler: rest.Typed(s.one), Summary: "One switch"},
		{Method: "GET", Path: switchesPath + "/{dpid}/ports", ID: "switch-ports", Handler: rest.Typed(s.portCounters),
			Summary: "A switch's ports and their counters, as it was last heard"},
		{Method: "GET", Path: switchesPath + "/{dpid}/tables", ID: "switch-tables", Handler: rest.Typed(s.tables),
			Summary: "A switch's flow tables and their counters, as it was last heard"},
		{Method: "GET", Path: switchesPath + "/{dpid}/counters", ID: "switch-counters", Handler: rest.Typed(s.sums),
			Summary: "A switch's sums over its flow entries and its ports"},
		{Method: "GET", Path: switchesPath + "/{dpid}/flows", ID: "switch-flows", Handler: rest.Typed(s.flows),
			Summary: "A switch's flow entries, as it answers now"},
	}
}

func (s *switches) all(ctx context.Context, in *listInput) (*revision.Page[client.Switch], error) {
	return list(ctx, s.reader, in.Paging, "switches", (*netview.Snapshot).Switches, render.Switch)
}

// DPIDParam is a switch in a path.
type DPIDParam struct {
	DPID string `path:"dpid" maxLength:"32" doc:"Datapath id: up to 16 hexadecimal digits, with 0x or without."`
}

type switchInput struct {
	DPIDParam
	revision.Freshness
}

func (s *switches) one(ctx context.Context, in *switchInput) (*revision.Answer[client.Switch], error) {
	snap, sw, err := s.findSwitch(ctx, in.DPID, in.Freshness)
	if err != nil {
		return nil, err
	}
	item := render.Switch(snap, sw)
	item.Sync = s.syncOf(sw.DPID)
	return revision.NewAnswer(s.Of(snap), item), nil
}

// syncOf returns how well a switch agrees with what is desired of it, nil if that is not known.
func (s *switches) syncOf(dpid netview.DPID) *client.Sync {
	if s.state == nil {
		return nil
	}
	sync, at := s.state(dpid)
	if sync != nil {
		sync.Revision = s.At(at)
	}
	return sync
}

type switchListInput struct {
	DPIDParam
	Paging
}

// flows asks the switch for the first page; the others are of that answer.
func (s *switches) flows(ctx context.Context, in *switchListInput) (*revision.Page[client.FlowEntry], error) {
	dpid, err := s.connected(ctx, in)
	if err != nil {
		return nil, err
	}
	var entries []openflow.FlowStats
	if in.Continue == "" {
		ask, cancel := context.WithTimeout(ctx, s.askWait)
		defer cancel()
		if entries, err = s.asker.Flows(ask, dpid); err != nil {
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
	render := func(_ *netview.Snapshot, e *openflow.FlowStats) client.FlowEntry { return render.Entry(dpid, e) }
	return list(ctx, s.reader, in.Paging, "switch-flows "+dpid.String(), rows, render)
}

// connected returns the switch that a request wants asked.
func (s *switches) connected(ctx context.Context, in *switchListInput) (netview.DPID, error) {
	_, sw, err := s.findSwitch(ctx, in.DPID, in.Freshness)
	if err != nil {
		return 0, err
	}
	if s.asker == nil {
		return 0, rest.Refuse(http.StatusNotFound, "this instance has no sessions with switches")
	}
	return sw.DPID, nil
}

// noAnswer returns the problem of a switch that does not answer: it is not the instance that fails.
func (s *switches) noAnswer(dpid netview.DPID, err error) error {
	switch {
	case errors.Is(err, intents.ErrNotConnected):
		return rest.Refuse(http.StatusConflict, "switch %s is not connected, so it cannot be asked", dpid)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled): // the latter: the caller has gone
		return rest.Refuse(http.StatusGatewayTimeout, "switch %s did not answer within %s", dpid, s.askWait)
	}
	return rest.Refuse(http.StatusBadGateway, "switch %s: %v", dpid, err)
}
