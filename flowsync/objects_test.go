package flowsync

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// objectOrders are for rules that use meters and groups of several types, some of them shared.
func objectOrders(t tester, n int) (list []ruleset.Order) {
	uses := []string{"meter=1", "meter=2 backup=2,3", "copies=1,2", "copies=2,3 meter=1", "out=1", "backup=2,3"}
	for i := range n {
		line := fmt.Sprintf("install intent=%d in=1 ipv4_dst=10.0.%d.1 %s", i+1, i, uses[i%len(uses)])
		list = append(list, parseOrder(t, 1, line))
	}
	return list
}

// TestRestartWritesNothing has a second core take over a switch that the first has filled: groups and meters are known
// by content, and rules by what their numbers mean. Neither a group-mod nor a meter-mod nor a flow-mod is sent.
func TestRestartWritesNothing(t *testing.T) {
	first := newWorld(t, Config{BatchMax: 5})
	first.add(1, openflow.V13, 254, 1, 2, 3)
	first.connect(1)
	first.loop.Order(objectOrders(t, 30))
	first.talk()
	m := first.models[1]
	if len(m.groups) != 6 || len(m.meters) != 2 {
		t.Fatalf("the switch has %d groups and %d meters:\n%s", len(m.groups), len(m.meters), m)
	}
	wrote, standing := m.writes, m.String()

	second := newWorld(t, Config{BatchMax: 5})
	second.add(1, openflow.V13, 254, 1, 2, 3)
	second.models[1] = m
	second.loop.Order(objectOrders(t, 30))
	second.connect(1)
	second.talk()
	second.settle(1)
	for range 3 {
		second.now = second.now.Add(time.Minute)
		second.talk()
	}
	if m.writes != wrote || m.String() != standing {
		t.Errorf("%d writes after a restart:\n%s\nbefore:\n%s", m.writes-wrote, m, standing)
	}
	status, _ := second.loop.core.Status(1)
	if status.Installed != 33 || status.Groups != 6 || status.Meters != 2 || status.Lacking != 0 {
		t.Errorf("%+v", status)
	}
}

// TestForgottenObjectsArePruned has a second core want nothing: rules go, and after them groups and meters; what others
// have stays.
func TestForgottenObjectsArePruned(t *testing.T) {
	first := newWorld(t, Config{})
	first.add(1, openflow.V13, 254, 1, 2, 3)
	first.connect(1)
	first.loop.Order(objectOrders(t, 6))
	first.talk()
	m := first.models[1]
	m.groups[7] = &openflow.GroupDesc{Group: 7, Buckets: []openflow.Bucket{{Actions: []openflow.Action{openflow.Output(1)}}}}
	m.groups[2<<20] = &openflow.GroupDesc{Group: 2 << 20}
	m.groups[1<<20+99] = &openflow.GroupDesc{Group: 1<<20 + 99}
	m.meters[2<<20] = &openflow.MeterConfig{Meter: 2 << 20, Bands: []openflow.Band{{Rate: 1}}}

	second := newWorld(t, Config{})
	second.add(1, openflow.V13, 254, 1, 2, 3)
	second.models[1] = m
	second.connect(1)
	second.talk()
	if len(m.groups) != 9 || len(m.meters) != 3 {
		t.Fatalf("before discovery has settled %d groups and %d meters are left", len(m.groups), len(m.meters))
	}
	second.settle(1)
	for range 3 {
		second.now = second.now.Add(time.Minute)
		second.talk()
	}
	if len(m.groups) != 2 || len(m.meters) != 1 || m.groups[7] == nil || m.groups[2<<20] == nil || m.meters[2<<20] == nil {
		t.Errorf("left:\n%s", m)
	}
	if n := len(second.loop.core.switches[1].objects.String()); n > 0 {
		t.Errorf("still known:\n%s", second.loop.core.switches[1].objects)
	}
}

// TestMonitoredSwitchIsAskedForObjects has somebody change a meter of a switch whose flow monitor tells of entries only.
func TestMonitoredSwitchIsAskedForObjects(t *testing.T) {
	w := newWorld(t, Config{ReadEvery: 5 * time.Second})
	w.add(1, openflow.V13, 254, 1, 2, 3)
	m := w.models[1]
	m.monitor.offered = true
	w.connect(1)
	w.loop.Order([]ruleset.Order{parseOrder(t, 1, "install intent=1 in=1 meter=5 backup=2,3")})
	w.talk()
	wrote := m.writes
	for range 5 {
		w.now = w.now.Add(6 * time.Second)
		w.talk()
	}
	if m.writes != wrote {
		t.Fatalf("%d writes though nothing has changed", m.writes-wrote)
	}
	m.meters[1<<20].Bands[0].Rate = 99
	w.now = w.now.Add(6 * time.Second)
	w.talk()
	if rate := m.meters[1<<20].Bands[0].Rate; rate != 5 || m.writes != wrote+1 {
		t.Errorf("the meter lets %d packets a second pass after %d writes", rate, m.writes-wrote)
	}
}

// TestSessionEndsDuringAudit: questions for groups and meters that the end of a session answers say nothing of what the
// switch has.
func TestSessionEndsDuringAudit(t *testing.T) {
	w := newWorld(t, Config{})
	w.add(1, openflow.V13, 254, 1, 2, 3)
	w.connect(1)
	w.loop.Order(objectOrders(t, 6))
	w.talk()
	w.loop.inbox.post(Check{1})
	w.turn()
	if n := len(w.wires[1].queue); n == 0 {
		t.Fatal("no question is in flight")
	}
	w.cut(1, 0)
	w.talk()
	if c := w.loop.core.Counters(); c.Repairs != 0 {
		t.Errorf("%d groups, meters and rules were taken to be lost", c.Repairs)
	}
}

// TestQuestionsForObjectsLeftOpenLater: a switch that does not answer any more what groups and meters it has is not taken
// to have lost them, nor the rules that use them.
func TestQuestionsForObjectsLeftOpenLater(t *testing.T) {
	w := newWorld(t, Config{ReadEvery: 5 * time.Second})
	w.add(1, openflow.V13, 254, 1, 2, 3)
	w.connect(1)
	w.loop.Order(objectOrders(t, 6))
	w.talk()
	m := w.models[1]
	w.wires[1].unlisted = true
	wrote, asked := m.writes, w.loop.core.Counters().Readings
	for range 20 {
		w.now = w.now.Add(6 * time.Second)
		w.talk()
	}
	c := w.loop.core.Counters()
	if audits := c.Readings - asked; audits < 10 || m.writes != wrote || c.Repairs != 0 {
		t.Errorf("%d readings, %d writes and %d repairs though nothing has changed", audits, m.writes-wrote, c.Repairs)
	}
}

// TestSwitchLeavesQuestionsForObjectsOpen: a switch that neither lists groups and meters nor refuses to has its rules
// as soon as it has confirmed that no answer comes, and is not asked again.
func TestSwitchLeavesQuestionsForObjectsOpen(t *testing.T) {
	w := newWorld(t, Config{ReadEvery: 5 * time.Second})
	w.add(1, openflow.V13, 254, 1, 2, 3)
	w.connect(1)
	w.wires[1].unlisted = true
	w.loop.Order([]ruleset.Order{parseOrder(t, 1, "install intent=1 in=1 out=2")})
	w.talk()
	w.now = w.now.Add(2 * time.Second)
	w.talk()
	m := w.models[1]
	if m.writes == 0 {
		t.Fatal("after two seconds nothing is written")
	}
	wrote, asked := m.writes, w.loop.core.Counters().Readings
	for range 20 {
		w.now = w.now.Add(6 * time.Second)
		w.talk()
	}
	c := w.loop.core.Counters()
	if audits := c.Readings - asked; audits < 10 || m.writes != wrote || c.Repairs != 0 {
		t.Errorf("%d readings, %d writes and %d repairs though nothing has changed", audits, m.writes-wrote, c.Repairs)
	}
}
