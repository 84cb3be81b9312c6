package flowsync

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// shownText is what is shown of a switch's groups and meters, a line each: its rules and their owners, state and content.
func (w *world) shownText(dpid netview.DPID) string {
	known := w.loop.core.Objects(dpid)
	var lines []string
	for _, o := range known.Count() {
		line := "meter"
		if !o.Meter {
			line = "group " + o.Type.String()
		}
		line += fmt.Sprintf(" %d: %d of %d: %s", o.Number, o.Rules, o.Owners, o.State)
		if o.Reason != "" {
			line += ": " + o.Reason
		}
		if o.Held != "" {
			line += "; has " + o.Held
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestGroupsAndMetersAreShown follows those of a switch that is not connected, is read, has them, and finds one changed;
// those of OpenFlow 1.0 are none.
func TestGroupsAndMetersAreShown(t *testing.T) {
	w := newWorld(t, Config{ReadEvery: 5 * time.Second})
	w.add(1, openflow.V13, 254, 1, 2, 3)
	w.add(2, openflow.V10, 1, 1, 2, 3)
	expect := func(when string, dpid netview.DPID, want ...string) {
		t.Helper()
		if got := w.shownText(dpid); got != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", when, got, strings.Join(want, "\n"))
		}
	}
	w.want(1, "guard", parseRule(t, "table=1 priority=5002 eth_type=0x0806 meter=9 apply=1"))
	w.meters(1, "guard", netview.Meter{ID: 9, Rate: 100}, netview.Meter{ID: 10, Rate: 100})
	w.loop.Order([]ruleset.Order{
		parseOrder(t, 1, "install intent=1 in=1 ipv4_dst=10.0.0.1 backup=2,3"),
		parseOrder(t, 1, "install intent=1 in=1 ipv4_dst=10.0.0.2 backup=2,3"),
		parseOrder(t, 1, "install intent=2 in=1 ipv4_dst=10.0.0.3 backup=2,3 meter=5"),
		parseOrder(t, 2, "install intent=3 in=1 ipv4_dst=10.0.0.1 backup=2,3"),
	})
	w.turn()
	list := func(state string) []string {
		return []string{"meter 9: 1 of 1: " + state, "meter 10: 0 of 0: " + state, "meter 0: 1 of 1: " + state,
			"group ff 0: 3 of 2: " + state}
	}
	expect("not connected", 1, list("waiting: the switch is not connected")...)
	w.connect(1)
	w.connect(2)
	w.turn()
	expect("being read", 1, list("waiting: the switch is being read")...)
	w.talk()
	list = func(state string) []string {
		return []string{"meter 9: 1 of 1: confirmed", "meter 10: 0 of 0: confirmed", "meter 1048576: 1 of 1: " + state,
			"group ff 1048576: 3 of 2: " + state}
	}
	expect("connected", 1, list("confirmed")...)
	expect("of OpenFlow 1.0", 2, "")
	expect("unknown", 3, "")

	w.models[1].meters[1<<20].Bands[0].Rate = 99
	w.now = w.now.Add(6 * time.Second)
	for range 1000 {
		if w.turn(); strings.Contains(w.shownText(1), "; has ") {
			break
		}
		if c := w.wires[1]; len(c.queue) > 0 {
			c.take(1, false)
		}
	}
	changed := list("confirmed")
	changed[2] = "meter 1048576: 1 of 1: sending; has meter pktps {drop,rate=99}"
	expect("changed by somebody", 1, changed...)
	w.talk()
	expect("put back", 1, list("confirmed")...)

	w.cut(1, 0)
	w.talk()
	lost := list("waiting: the switch is not connected")
	for i := range 2 {
		lost[i] = strings.Replace(lost[i], "confirmed", "waiting: the switch is not connected", 1)
	}
	expect("not connected any more", 1, lost...)
}
