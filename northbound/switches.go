package northbound

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/weirnet/weir/api/intents"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// ask sends a multipart request and waits for the whole answer.
func (n *Answers) ask(ctx context.Context, dpid netview.DPID, body openflow.RequestBody) (openflow.ReplyBody, error) {
	s := n.Server.Session(uint64(dpid))
	if s == nil {
		return nil, fmt.Errorf("%s: %w", dpid, intents.ErrNotConnected)
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
func (n *Answers) Flows(ctx context.Context, dpid netview.DPID) ([]openflow.FlowStats, error) {
	return n.flows(ctx, dpid, 0, 0)
}

// flows asks for the flow entries with such a cookie.
func (n *Answers) flows(ctx context.Context, dpid netview.DPID, cookie, mask uint64) ([]openflow.FlowStats, error) {
	body, err := n.ask(ctx, dpid, &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{
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

// SoftRules yields what app/forward thinks is on a switch.
func (n *Answers) SoftRules(dpid netview.DPID) iter.Seq[*netview.Rule] {
	return func(yield func(*netview.Rule) bool) {
		if n.Forward == nil {
			return
		}
		rules := n.Forward.SoftRules(dpid, softRulesMax)
		for i := range rules {
			if !yield(&rules[i]) {
				return
			}
		}
	}
}

// IntentFlows asks a switch for the entries of one intent: by cookie where it can tell by that
// (OpenFlow 1.3), else for all.
func (n *Answers) IntentFlows(ctx context.Context, dpid netview.DPID, number uint32) ([]openflow.FlowStats, error) {
	cookie := plan.Cookie{Domain: n.Domain, Kind: plan.KindIntent, Owner: number}.Encode()
	flows, err := n.flows(ctx, dpid, cookie, plan.OwnerMask)
	return slices.DeleteFunc(flows, func(f openflow.FlowStats) bool { return f.Cookie&plan.OwnerMask != cookie }), err
}
