package flowsync

import (
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// FuzzPacked has a switch list anything, in either version: what is packed of it must be what was
// said, and what is a rule must be exactly that.
func FuzzPacked(f *testing.F) {
	o := parseOrder(f, 1, "install intent=7 version=3 in=1 out=2,1 ipv4_dst=10.0.0.1")
	r := o.Rules.Rule(0, plan.DomainDefault, false)
	for _, v := range []openflow.Version{openflow.V13, openflow.V10} {
		list := &openflow.FlowStatsList{Flows: []openflow.FlowStats{{
			Table: r.Table, Priority: r.Priority, Cookie: r.Cookie, Match: r.Match, Instructions: r.Instructions,
		}}}
		body, err := (&openflow.MultipartReply{Body: list}).Append(nil, v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, v == openflow.V10)
	}
	f.Fuzz(func(t *testing.T, body []byte, old bool) {
		v := openflow.V13
		if old {
			v = openflow.V10
		}
		var each openflow.FlowStatsReader
		_, _ = each.Each(v, body, func(s *openflow.FlowStats) { packs(t, s, old) })
	})
}

func packs(t *testing.T, s *openflow.FlowStats, single bool) {
	var p Packed
	if !p.pack(s, single) {
		return
	}
	e, rest := nextPacked(p.bytes)
	if len(rest) > 0 || p.Count != 1 {
		t.Fatalf("%d bytes left of %d entries", len(rest), p.Count)
	}
	sw := newSwitchState(1)
	sw.singleTable = single
	key := entryKey{s.Table, s.Priority, s.Match.Key()}
	if at, ok := sw.placeIn(key); !ok || !at.equal(e.place) || e.cookie != s.Cookie {
		t.Fatalf("%v became %+v", key, e)
	}
	made := e.toSet(sw)
	rule := made.Rule(0, plan.Decode(s.Cookie).Domain, single)
	if rule.Cookie != s.Cookie || rule.Match.Key() != key.match {
		t.Fatalf("%+v became the rule %v", s, rule)
	}
	if is := !e.notOutputs && e.matches(made, 0); is != (!e.notOutputs && sameInstructions(rule.Instructions, s.Instructions)) ||
		!is && !e.notOutputs {
		t.Fatalf("%v: other %t, is %t, instructions of the rule %v", s.Instructions, e.notOutputs, is, rule.Instructions)
	}
}
