package emu

import (
	"testing"
	"time"

	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

func isDown(p openflow.PortStatus) bool { return p.Port.State&openflow.PortStateDown != 0 }

// TestCutLink has both ends tell, and what is in flight lost.
func TestCutLink(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:2", b, openflow.V13, nil)
	s1, s2 := b.of(t, 1), b.of(t, 2)
	l := n.Links()[0]
	_, p1, _, p2 := l.Ends()
	h1, h2 := n.Hosts()[0], n.Hosts()[1]
	b.tell(t, s1, forward(h1.Spec().At.Port, p1))
	b.tell(t, s2, forward(p2, h2.Spec().At.Port))
	if err := l.Set(Forward, topo.LinkSpec{Delay: time.Hour}); err == nil {
		t.Fatal("a delay of an hour is taken")
	}
	if err := l.Set(Forward, topo.LinkSpec{Delay: 5 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	speak(h1, h2, 60)
	await(t, "the frame is on its way", func() bool { return l.Stats(Forward).InFlight == 1 })
	l.SetUp(false)
	await(t, "both ends tell", func() bool { return len(b.statuses()) == 2 })
	for _, p := range b.statuses() {
		if !isDown(p) || p.Reason != openflow.PortModified {
			t.Fatalf("%+v", p)
		}
	}
	if got := n.Totals(); got.LinksUp != 0 || l.Up() || !l.Cut() {
		t.Fatalf("%+v", got)
	}
	if err := l.Set(Forward, topo.LinkSpec{}); err != nil {
		t.Fatal(err)
	}
	l.SetUp(true)
	await(t, "both ends tell again", func() bool { return len(b.statuses()) == 4 })
	if isDown(b.statuses()[2]) || isDown(b.statuses()[3]) || n.Totals().LinksUp != 1 {
		t.Fatalf("%+v", b.statuses())
	}
	speak(h1, h2, 61)
	await(t, "the next frame arrives", func() bool { return stationOf(h2).count() == 1 })
	if len(stationOf(h2).heard[0]) != 61 {
		t.Error("what was in flight when the link was cut arrives")
	}
}

func TestPower(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:2", b, openflow.V13, nil)
	s1 := b.of(t, 1)
	b.of(t, 2)
	sw := n.Switches()[0]
	b.tell(t, s1, toController())
	sw.Down()
	sw.Down()
	await(t, "its session ends", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.ended == 1
	})
	await(t, "the switch knows that too", func() bool { return n.Totals().Connected == 1 })
	await(t, "the neighbour tells", func() bool { return len(b.statuses()) == 1 })
	if got := n.Totals(); got.On != 1 || got.Connected != 1 || got.Entries != 0 || got.LinksUp != 0 || sw.On() {
		t.Fatalf("%+v", got)
	}
	sw.Up()
	sw.Up()
	await(t, "the switch is back", func() bool { return n.Totals().Connected == 2 })
	s1 = b.of(t, 1)
	if got := n.Totals(); got.On != 2 || got.Entries != 0 || got.LinksUp != 1 {
		t.Fatalf("%+v", got)
	}
	await(t, "the neighbour tells", func() bool { return len(b.statuses()) == 2 })
	if codes := b.tell(t, s1, toController()); codes != nil || sw.Entries() != 1 {
		t.Fatalf("%v, %d entries", codes, sw.Entries())
	}
}

// TestSessionCut has the switch keep its entries and connect again.
func TestSessionCut(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:1", b, openflow.V13, func(c *Config) { c.BackoffMin = time.Millisecond })
	sw := n.Switches()[0]
	b.tell(t, b.of(t, 1), toController())
	if err := sw.Control().Disconnect(AllControllers); err != nil {
		t.Fatal(err)
	}
	await(t, "the switch is back", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.ended == 1 && b.sessions[1] != nil
	})
	if sw.Entries() != 1 {
		t.Errorf("%d entries", sw.Entries())
	}
	if err := sw.Control().CutOff(0, true); err != nil {
		t.Fatal(err)
	}
	await(t, "the switch is gone", func() bool { return n.Totals().Sessions == 0 })
	time.Sleep(20 * time.Millisecond) // in which it would connect again
	if n.Totals().Sessions != 0 {
		t.Error("a switch that is cut off connects")
	}
	if err := sw.Control().CutOff(0, false); err != nil {
		t.Fatal(err)
	}
	await(t, "the switch is back", func() bool { return n.Totals().Sessions == 1 })
	if sw.Control().Disconnect(1) == nil || sw.Control().Stall(-2, true) == nil {
		t.Error("controllers that do not exist are cut")
	}
}

func TestStall(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:1", b, openflow.V13, nil)
	s, sw := b.of(t, 1), n.Switches()[0]
	if err := sw.Control().Stall(0, true); err != nil {
		t.Fatal(err)
	}
	n.Hosts()[0].Link().SetUp(false)
	await(t, "the switch still tells of its port", func() bool { return len(b.statuses()) == 1 })
	_, _ = s.Send(toController())
	time.Sleep(20 * time.Millisecond) // in which it would be read
	if sw.Entries() != 0 {
		t.Fatal("a stalled switch takes a flow-mod")
	}
	if err := sw.Control().Stall(0, false); err != nil {
		t.Fatal(err)
	}
	await(t, "all is read", func() bool { return sw.Entries() == 1 })
}

func TestSlow(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:1", b, openflow.V13, nil)
	s, sw := b.of(t, 1), n.Switches()[0]
	const delay = 50 * time.Millisecond
	if err := sw.Control().Slow(0, delay); err != nil {
		t.Fatal(err)
	}
	ask(t, s, &openflow.BarrierRequest{}) // the first may be read by what was waiting before
	begin := time.Now()
	ask(t, s, &openflow.BarrierRequest{})
	if took := time.Since(begin); took < delay {
		t.Errorf("answered after %v, want at least %v", took, delay)
	}
	if sw.Control().Slow(0, time.Hour) == nil || sw.Control().Slow(0, -1) == nil {
		t.Error("impossible delays are taken")
	}
}

func TestLies(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:1", b, openflow.V13, nil)
	s, sw := b.of(t, 1), n.Switches()[0]
	sw.Misbehave(Misbehaviour{DropFlowMods: 1})
	if codes := b.tell(t, s, toController()); codes != nil || sw.Entries() != 0 {
		t.Fatalf("%v, %d entries", codes, sw.Entries())
	}
	sw.Misbehave(Misbehaviour{ForgetFlowMods: true})
	if codes := b.tell(t, s, toController()); codes != nil || sw.Entries() != 0 {
		t.Fatalf("%v, %d entries", codes, sw.Entries())
	}
	group := &openflow.GroupMod{Kind: openflow.GroupTypeIndirect, Group: 1, Buckets: []openflow.Bucket{{
		WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny, Actions: []openflow.Action{openflow.Output(1)}}}}
	good := addFlow(1, openflow.Match{}, openflow.Apply(openflow.Action{Type: openflow.ActionGroup, ID: 1}))
	if codes := b.tell(t, s, group, good); codes != nil || sw.Entries() != 0 {
		t.Fatalf("%v, %d entries: an entry with a group is good", codes, sw.Entries())
	}
	wrong := addFlow(1, openflow.Match{}, openflow.GotoTable(0))
	if codes := b.tell(t, s, wrong); len(codes) != 1 {
		t.Fatalf("a wrong flow-mod is answered with %v", codes)
	}
	sw.Misbehave(Misbehaviour{})
	for i := range 100 {
		b.tell(t, s, forward(uint32(i+1), 1))
	}
	if got := n.Totals(); got.Entries != 100 || got.Drops[LostByMisbehaviour] != 4 {
		t.Fatalf("%+v", got)
	}
	count := func() int {
		m := ask(t, s, &openflow.MultipartRequest{Body: &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{
			Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}})
		return len(m.(*openflow.MultipartReply).Body.(*openflow.FlowStatsList).Flows)
	}
	if got := count(); got != 100 {
		t.Fatalf("%d entries in the statistics of an honest switch", got)
	}
	sw.Misbehave(Misbehaviour{HideEntries: 0.5})
	if got := count(); got < 20 || got > 80 {
		t.Errorf("%d of 100 entries in the statistics, want about half", got)
	}
}

// TestLostAtDeadNeighbour has frames that entries still send to a switch without power, or to a
// broken port, be counted: in the whole, and at the link.
func TestLostAtDeadNeighbour(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:3", b, openflow.V13, nil)
	h1, h3 := n.Hosts()[0], n.Hosts()[2]
	_, p1, _, _ := n.Links()[0].Ends()
	b.tell(t, b.of(t, 1), forward(h1.Spec().At.Port, p1))
	b.tell(t, b.of(t, 2))
	lost := func() (all, link uint64) {
		return n.Totals().Drops[LostOnDownLink], n.Links()[0].Stats(Forward).Lost[LostOnDownLink]
	}
	n.Switches()[1].Down()
	speak(h1, h3, 60)
	await(t, "the frame for the dead switch is counted", func() bool { all, link := lost(); return all == 1 && link == 1 })
	n.Switches()[1].Up()
	if err := n.Switches()[0].SetPort(p1, false); err != nil {
		t.Fatal(err)
	}
	speak(h1, h3, 60)
	await(t, "the frame for the broken port is counted", func() bool { all, link := lost(); return all == 2 && link == 2 })
	if codes := b.tell(t, b.of(t, 1), &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController,
		Actions: []openflow.Action{openflow.Output(p1)}, Data: make([]byte, 60)}); codes != nil {
		t.Fatal(codes)
	}
	if all, link := lost(); all != 3 || link != 3 {
		t.Errorf("after a packet-out %d are lost, %d at the link", all, link)
	}
}
