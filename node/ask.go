package node

import (
	"context"
	"fmt"
	"iter"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// asker asks switches for the API.
type asker struct{ server *session.Server }

// ask sends a multipart request and waits for the whole answer.
func (a asker) ask(ctx context.Context, dpid netview.DPID, body openflow.RequestBody) (openflow.ReplyBody, error) {
	s := a.server.Session(uint64(dpid))
	if s == nil {
		return nil, fmt.Errorf("%s: %w", dpid, api.ErrNotConnected)
	}
	m, err := s.RequestContext(ctx, &openflow.MultipartRequest{Body: body})
	if err != nil {
		return nil, err
	}
	reply, ok := m.(*openflow.MultipartReply)
	if !ok {
		return nil, fmt.Errorf("switch %s answered a multipart request with %s", dpid, m.Type())
	}
	return reply.Body, nil
}

// Flows asks for all flow entries.
func (a asker) Flows(ctx context.Context, dpid netview.DPID) ([]openflow.FlowStats, error) {
	return a.flows(ctx, dpid, 0, 0)
}

// flows asks for the flow entries with such a cookie.
func (a asker) flows(ctx context.Context, dpid netview.DPID, cookie, mask uint64) ([]openflow.FlowStats, error) {
	body, err := a.ask(ctx, dpid, &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{
		Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Cookie: cookie, CookieMask: mask,
	}})
	if err != nil {
		return nil, err
	}
	list, ok := body.(*openflow.FlowStatsList)
	if !ok {
		return nil, fmt.Errorf("switch %s answered a request for flows with %T", dpid, body)
	}
	return list.Flows, nil
}

// softRulesMax is how many soft rules of one switch the API shows.
const softRulesMax = 100_000

// softRules yields what app/forward thinks is on a switch.
func softRules(f *forward.Forward) func(netview.DPID) iter.Seq[*netview.Rule] {
	return func(dpid netview.DPID) iter.Seq[*netview.Rule] {
		return func(yield func(*netview.Rule) bool) {
			if f == nil {
				return
			}
			rules := f.SoftRules(dpid, softRulesMax)
			for i := range rules {
				if !yield(&rules[i]) {
					return
				}
			}
		}
	}
}
