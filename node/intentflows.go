package node

import (
	"context"
	"fmt"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// intentFlows asks a switch for the entries of one intent: by cookie where it can tell by that
// (OpenFlow 1.3), else for all.
func (n *node) intentFlows(ctx context.Context, dpid netview.DPID, number uint32) ([]openflow.FlowStats, error) {
	cookie := plan.Cookie{Domain: uint16(n.cfg.Domain), Kind: plan.KindIntent, Owner: number}.Encode()
	body, err := asker{n.server}.ask(ctx, dpid, &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{
		Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Cookie: cookie,
		CookieMask: plan.OwnerMask,
	}})
	if err != nil {
		return nil, err
	}
	list, ok := body.(*openflow.FlowStatsList)
	if !ok {
		return nil, fmt.Errorf("switch %s answered a request for flows with %T", dpid, body)
	}
	own := list.Flows[:0]
	for i := range list.Flows {
		if list.Flows[i].Cookie&plan.OwnerMask == cookie {
			own = append(own, list.Flows[i])
		}
	}
	return own, nil
}
