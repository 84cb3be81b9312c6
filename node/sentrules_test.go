package node

import (
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestSentRulesAreFound looks up rules before and after the ring is full, across the end of the transaction ids.
func TestSentRulesAreFound(t *testing.T) {
	var r sentRules
	first := uint32(1<<32 - 3*sentRulesMax)
	for i := range uint32(3 * sentRulesMax) {
		var fm openflow.FlowMod
		fm.Cookie = uint64(i)
		fm.Match.SetUint(openflow.FieldEthDst, uint64(i))
		xid := first + 2*i // others have the ids in between
		r.note(xid, &fm)
		for _, back := range []uint32{0, 1, 100, sentRulesMax - 1} {
			if back > i {
				continue
			}
			m, cookie, ok := r.find(xid - 2*back)
			if dst, _ := m.Uint(openflow.FieldEthDst); !ok || cookie != uint64(i-back) || dst != uint64(i-back) {
				t.Fatalf("rule %d: %v %d", i-back, ok, cookie)
			}
		}
		if _, _, ok := r.find(xid + 1); ok {
			t.Fatal("a rule that was not sent is found")
		}
	}
	if _, _, ok := r.find(first); ok {
		t.Error("the oldest is still found")
	}
}
