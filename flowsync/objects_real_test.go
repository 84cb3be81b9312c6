//go:build real

package flowsync

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/flowsync/objects"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
)

// TestOpenvSwitchHoldsObjects is groups of all types and meters of both units against a real ovs-vswitchd: made before
// the rules that use them, kept without a write over a reconnect, put back when somebody deletes or changes them, deleted
// after the last rule. In OpenFlow 1.0 a group is a bundle in the rule, and a meter is refused.
func TestOpenvSwitchHoldsObjects(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, monitor := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s monitor=%t", v, monitor), func(t *testing.T) {
				netlab.Inside(t, func(t *testing.T, l *netlab.Lab) { objectsOnOVS(t, l, v, monitor) })
			})
		}
	}
}

// ordersWithObjects are for rules with a group of each type, with meters, and with both.
func ordersWithObjects(t *testing.T, v openflow.Version, remove bool) (list []ruleset.Order) {
	for i, objects := range usesOfObjects(t, v, 0) {
		list = append(list, orderWithObjects(t, uint32(i+1), remove, objects))
	}
	return list
}

// usesOfObjects are the groups and meters of a rule each, which are others for another number below 5.
func usesOfObjects(t *testing.T, v openflow.Version, nth uint32) [][]object.Object {
	out := func(port uint32) []openflow.Action { return []openflow.Action{openflow.Output(port)} }
	meter := func(u object.Unit, rate, burst uint32) object.Object {
		m, err := object.NewMeter(u, openflow.Band{Type: openflow.BandDrop, Rate: rate, Burst: burst})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	backup := backupGroup(t, append(out(2+nth), out(3+nth)...))
	if v == openflow.V10 {
		return [][]object.Object{{backup}}
	}
	return [][]object.Object{
		{backup},
		{copiesGroup(t, append(out(1+nth), out(2+nth)...))},
		{groupOf(t, openflow.GroupTypeSelect, object.Bucket{Weight: uint16(2 + 2*nth), Actions: out(2)},
			object.Bucket{Weight: 1, Actions: out(3)})},
		{groupOf(t, openflow.GroupTypeIndirect, object.Bucket{Actions: out(3 + nth)})},
		{backup, meter(object.PacketsPerSecond, 100+nth, 10)},
		{meter(object.KilobitsPerSecond, 5000+nth, 0)},
	}
}

func objectsOnOVS(t *testing.T, l *netlab.Lab, v openflow.Version, monitor bool) {
	told := newOutcomes()
	config := Config{OnOutcomes: told.add, NoMonitor: !monitor, ReadEvery: time.Second, LieWindow: time.Nanosecond}
	r := newRealSwitchWith(t, l, v, config)
	orders := ordersWithObjects(t, v, false)
	n, own := len(orders), len(Infrastructure(1, v, 254))
	r.loop.Order(orders)
	l.Eventually(15*time.Second, "all is installed", func() bool { return told.of(ruleset.Installed) == n })
	r.agreesWithRuleSets(n + own)

	sent := r.counters()
	r.reconnect()
	if now := r.counters(); now.FlowMods != sent.FlowMods || now.GroupMods != sent.GroupMods || now.MeterMods != sent.MeterMods {
		t.Errorf("a reconnect wrote: %+v, before %+v", now, sent)
	}
	r.agreesWithRuleSets(n + own)
	if v == openflow.V10 {
		if got := r.dump("bundle("); got != 1 {
			t.Errorf("the switch lists %d bundles", got)
		}
		o := parseOrder(t, 1, "install intent=99 in=1 out=2 meter=7")
		r.shows(0)
		r.loop.Order([]ruleset.Order{o})
		l.Eventually(15*time.Second, "a meter is refused", func() bool { return told.of(ruleset.Refused) == 1 })
		return
	}
	for _, spoil := range []string{"del-groups s1", "del-meter s1 meter=1048577",
		"mod-meter s1 meter=1048576,kbps,band=type=drop,rate=77",
		"mod-group s1 group_id=1048576,type=indirect,bucket=output:7"} {
		r.ofctl(strings.Fields(spoil)...)
		l.Eventually(30*time.Second, spoil+" is repaired", func() bool { return r.objectsAgree() })
		l.Eventually(15*time.Second, "the rules are installed", func() bool {
			return told.of(ruleset.Installed)-told.of(ruleset.Lost) == n
		})
	}
	r.agreesWithRuleSets(n + own)
	r.shows(8)
	r.refusesRemark(told)
	r.loop.Order(ordersWithObjects(t, v, true))
	l.Eventually(15*time.Second, "all is removed", func() bool { return told.of(ruleset.Removed) == n })
	l.Eventually(15*time.Second, "no group or meter is left", func() bool {
		return !strings.Contains(r.ofctl("dump-groups", "s1")+r.ofctl("dump-meters", "s1"), "10485")
	})
}

// refusesRemark orders a rule with a meter that remarks, which Open vSwitch has not: nothing of it is written.
func (r *realSwitch) refusesRemark(told *outcomes) {
	m, err := object.NewMeter(object.KilobitsPerSecond, openflow.Band{Type: openflow.BandDSCPRemark, Rate: 8, PrecLevel: 1})
	if err != nil {
		r.t.Fatal(err)
	}
	sent := r.counters()
	r.loop.Order([]ruleset.Order{orderWithObjects(r.t, 99, false, []object.Object{m})})
	r.lab.Eventually(15*time.Second, "the rule is refused", func() bool { return told.of(ruleset.Refused) == 1 })
	now, last := r.counters(), told.lastOf(99)
	if want := m.String() + ": the switch has no bands of type dscp_remark; use another type"; last.Reason != want {
		r.t.Errorf("refused: %s, want %s", last.Reason, want)
	}
	if now.FlowMods != sent.FlowMods || now.MeterMods != sent.MeterMods {
		r.t.Errorf("it sent %+v, before %+v", now, sent)
	}
}

// shows verifies that so many groups and meters are shown, all of them confirmed and used.
func (r *realSwitch) shows(want int) {
	var known KnownObjects
	r.loop.Ask(func(c *Core) { known = c.Objects(1) })
	list := known.Count()
	for _, o := range list {
		if o.State != objects.Confirmed || o.Held != "" || o.Rules == 0 || o.Owners == 0 {
			r.t.Errorf("%+v", o)
		}
	}
	if len(list) != want {
		r.t.Errorf("%d groups and meters are shown, want %d", len(list), want)
	}
}

// objectsAgree reports whether the switch has the groups and meters as they were made.
func (r *realSwitch) objectsAgree() bool {
	have := r.ofctl("dump-groups", "s1") + r.ofctl("dump-meters", "s1")
	return strings.Count(have, "group_id=10485") == 6 && strings.Count(have, "meter=10485") == 2 &&
		!strings.Contains(have, "rate=77") && !strings.Contains(have, "output:7")
}
