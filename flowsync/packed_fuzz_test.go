package flowsync

import (
	"testing"
	"time"

	"github.com/weirnet/weir/flowsync/objects"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// FuzzPacked has a switch list anything, in either version: what is packed of it must be what was
// said, and what is a rule must be exactly that.
func FuzzPacked(f *testing.F) {
	o := parseOrder(f, 1, "install intent=7 version=3 in=1 out=2,1 ipv4_dst=10.0.0.1")
	r := o.Rules.Rule(0, plan.DomainDefault, false)
	for _, v := range []openflow.Version{openflow.V13, openflow.V10} {
		list := &openflow.FlowStatsList{Flows: []openflow.FlowStats{{
			Table: r.Table, Priority: r.Priority, Cookie: r.Cookie, Match: r.Match, Instructions: r.Instructions,
		}, {
			Table: r.Table, Priority: r.Priority, Cookie: r.Cookie, Match: r.Match, Instructions: r.Instructions,
			IdleTimeout: 5, HardTimeout: 60, DurationSec: 7, DurationNsec: 5e8,
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
		_, _ = each.Each(v, body, func(s *openflow.FlowStats) { packs(t, s) })
	})
}

func packs(t *testing.T, s *openflow.FlowStats) {
	var p Packed
	if !p.pack(s, nil) {
		return
	}
	e, rest := nextPacked(p.bytes)
	if len(rest) > 0 || p.Count != 1 {
		t.Fatalf("%d bytes left of %d entries", len(rest), p.Count)
	}
	key := entryKey{s.Table, s.Priority, s.Match.Key()}
	if !placeIn(key).equal(e.place) || e.cookie != s.Cookie {
		t.Fatalf("%v became %+v", key, e)
	}
	made := e.toSet(1, objects.New(objects.Config{}))
	rule := made.Rule(0, plan.Decode(s.Cookie).Domain, false)
	if rule.Cookie != s.Cookie || rule.Match.Key() != key.match {
		t.Fatalf("%+v became the rule %v", s, rule)
	}
	if made.Idle != s.IdleTimeout || made.Hard != s.HardTimeout {
		t.Fatalf("time-outs %d and %d became %d and %d", s.IdleTimeout, s.HardTimeout, made.Idle, made.Hard)
	}
	known := s.DurationSec < 1<<22 && s.DurationNsec < 1e9 // else more than an age can say, or no time
	if made.Mortal() && known && e.age().Truncate(time.Second) != time.Duration(s.DurationSec)*time.Second {
		t.Fatalf("%d s became %s", s.DurationSec, e.age())
	}
	if rule.Table != s.Table || !e.matches(made, 0) || !sameInstructions(rule.Instructions, s.Instructions) {
		t.Fatalf("%v: the instructions of the rule are %v, is %t", s.Instructions, rule.Instructions, e.matches(made, 0))
	}
	drop := *made
	drop.Legs = []ruleset.Leg{{Match: made.Legs[0].Match, Route: &ruleset.Route{Hops: []*ruleset.Hop{ruleset.HopTo(1,
		e.place.in)}}}}
	if e.matches(&drop, 0) != sameInstructions(nil, s.Instructions) {
		t.Fatalf("%v is a drop: %t", s.Instructions, e.matches(&drop, 0))
	}
}
