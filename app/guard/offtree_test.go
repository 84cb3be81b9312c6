package guard

import (
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// TestOffTreeStaysOffTree: at a link outside the tree, in the single-table form, no row that holds
// a flood back stands above the row that drops broadcasts: it would forward them, and close a loop.
func TestOffTreeStaysOffTree(t *testing.T) {
	s := newScene()
	at := netview.Point{DPID: 1, Port: 2}
	var all, from openflow.Match
	all.SetUint(openflow.FieldEthType, 0x0806)
	from.SetUint(openflow.FieldInPort, uint64(at.Port))
	from.SetUint(openflow.FieldEthType, 0x0806)
	cookie := plan.Cookie{Domain: 1, Kind: plan.KindTree}.Encode()
	copied := openflow.Apply(openflow.Output(1), openflow.OutputController(openflow.ControllerNoCut))
	s.wanted.Update(func(tx *netview.DesiredTx) {
		tx.Set(1, []netview.Rule{
			{DPID: 1, Owner: "forward", Priority: plan.PriorityARP, Match: all, Cookie: cookie,
				Instructions: []openflow.Instruction{copied}},
			{DPID: 1, Owner: "forward", Priority: plan.PriorityARP + plan.PriorityOffTree, Match: from, Cookie: cookie},
		})
	})
	d := &device{form: form{openflow.V10, true}}
	rows := s.core.rows(&port{at: at, held: ClassData, means: byDrop, link: true}, d, netview.PortLink, s.view.Snapshot())
	for _, r := range rows {
		if r.Priority >= plan.PriorityARP+plan.PriorityOffTree && len(r.Instructions) > 0 {
			t.Errorf("priority %d forwards what comes along a link off the tree", r.Priority)
		}
	}
}
