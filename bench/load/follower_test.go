package load

import (
	"testing"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/openflow"
)

// TestPacketsFindTheirRulesOrNot releases packets with all rules in place, with one missing, and
// with a wrong one.
func TestPacketsFindTheirRulesOrNot(t *testing.T) {
	topology, err := loadswitch.ParseTopology("linear:3", 1)
	if err != nil {
		t.Fatal(err)
	}
	c := &Config{Hops: 3, Hosts: 8, Version: openflow.V13, Outstanding: 4, Network: topology}
	c.withDefaults()
	l := New(c)
	f := l.followers[0]
	for i, want := range [][]int{{2}, {}, {0}} {
		if got := l.followers[i].far; len(got) != len(want) || len(got) == 1 && got[0] != want[0] {
			t.Errorf("from switch %d three hops lead to %v, want %v", i, got, want)
		}
	}
	f.window.Take(0, -1)
	f.begin(1 << 16) // the first is checked for barriers, and there are no sessions here
	release := func(rules func(key uint64, port uint32)) PathCounts {
		before := l.pathCounts()
		token, _ := f.window.Take(0, -1)
		src, dst := f.begin(token)
		rules(keyOf(src.Number, dst.Number), dst.At.Port)
		f.release(token, 1)
		f.window.Answer(token)
		return l.pathCounts().minus(before)
	}
	good := release(func(key uint64, port uint32) {
		f.rule(key, 2, port, nil)
		f.rule(key, 1, 2, nil)
	})
	missing := release(func(key uint64, port uint32) { f.rule(key, 2, port, nil) })
	wrong := release(func(key uint64, port uint32) {
		f.rule(key, 2, port+1, nil)
		f.rule(key, 1, 2, nil)
	})
	loop := release(func(key uint64, port uint32) { f.rule(key, 1, 1, nil); f.rule(key, 0, 1, nil) })
	if good != (PathCounts{}) || missing != (PathCounts{Repeated: 1}) || wrong != (PathCounts{misforwarded: 1}) ||
		loop != (PathCounts{misforwarded: 1}) {
		t.Errorf("all rules: %+v, one missing: %+v, one wrong: %+v, a loop: %+v", good, missing, wrong, loop)
	}
	seen := map[uint64]bool{}
	for n := 3; ; n++ {
		src, dst := f.begin(uint32(n) << 16)
		if src == nil {
			if len(seen)+4+1 != 64 {
				t.Errorf("%d flows between 8 and 8 hosts", len(seen)+5)
			}
			break
		}
		if k := keyOf(src.Number, dst.Number); seen[k] {
			t.Fatalf("flow %d was there before", n)
		} else {
			seen[k] = true
		}
	}
}
