package southbound

import (
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestSentRulesAreFound looks up rules before and after there are as many as are kept, across the
// end of the transaction ids.
func TestSentRulesAreFound(t *testing.T) {
	var r sentRules
	first := uint32(1<<32 - 3*sentRulesMax)
	for i := range uint32(3 * sentRulesMax) {
		var fm openflow.FlowMod
		fm.Cookie = uint64(i)
		fm.Match.SetUint(openflow.FieldEthDst, uint64(i))
		xid := first + 2*i // others have the ids in between
		r.record(xid, &fm)
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

// TestConfirmedRulesAreForgotten: whatever number of rules is sent, with barriers that are
// answered, few stay in memory; those after the last barrier are found.
func TestConfirmedRulesAreForgotten(t *testing.T) {
	var r sentRules
	first, kept := uint32(1<<32-50*sentRulesDue), 0
	for i := range uint32(100 * sentRulesDue) {
		var fm openflow.FlowMod
		fm.Cookie = uint64(i)
		r.record(first+i, &fm)
		last, ask := r.due()
		if !ask {
			continue
		}
		if _, again := r.due(); again {
			t.Fatal("a second barrier is asked while the first is on its way")
		}
		next := fm
		next.Cookie++
		r.record(last+1, &next) // is sent behind the barrier
		r.asked = false
		r.confirmed(last)
		if _, _, ok := r.find(last); ok {
			t.Fatal("a rule that was confirmed is still there")
		}
		if _, cookie, ok := r.find(last + 1); !ok || cookie != uint64(i)+1 {
			t.Fatalf("the rule behind the barrier is not found, but %d", cookie)
		}
		r.rules = r.rules[:0]
		kept = max(kept, cap(r.rules))
	}
	if kept == 0 || kept > 4*sentRulesDue {
		t.Errorf("room for %d rules is kept", kept)
	}
	for i := range uint32(sentRulesMax) {
		r.record(i, &openflow.FlowMod{})
	}
	if r.confirmed(sentRulesMax); r.rules != nil {
		t.Errorf("room for %d rules is kept after so many at once", cap(r.rules))
	}
}
