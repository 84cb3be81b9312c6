package node

import (
	"context"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// intentFlows asks a switch for the entries of one intent: by cookie where it can tell by that
// (OpenFlow 1.3), else for all.
func (n *node) intentFlows(ctx context.Context, dpid netview.DPID, number uint32) ([]openflow.FlowStats, error) {
	cookie := plan.Cookie{Domain: uint16(n.cfg.Domain), Kind: plan.KindIntent, Owner: number}.Encode()
	flows, err := asker{n.server}.flows(ctx, dpid, cookie, plan.OwnerMask)
	return slices.DeleteFunc(flows, func(f openflow.FlowStats) bool { return f.Cookie&plan.OwnerMask != cookie }), err
}
