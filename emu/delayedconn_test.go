package emu

import (
	"context"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// underBoss is a network of switches with a profile, under a controller that does nothing by
// itself.
func underBoss(t *testing.T, spec, text string, v openflow.Version) (*Network, *boss) {
	ctl := newBoss()
	return joined(t, spec, ctl, v, func(c *Config) { c.Profile = profiled(t, text); c.Silent = true }), ctl
}

// TestBarrierIsAnsweredWhenRulesAreInForce sends entries faster than they come into force, and a
// packet when the barrier is answered.
func TestBarrierIsAnsweredWhenRulesAreInForce(t *testing.T) {
	n, ctl := underBoss(t, "linear:1,hosts=2", "install: {per_second: 1000, batch: 7, delay: 2ms}", openflow.V13)
	s := ctl.of(t, 1)
	begun := time.Now()
	const entries = 50
	for i := range entries {
		if _, err := s.Send(forward(uint32(i+1), uint32(2-i%2))); err != nil {
			t.Fatal(err)
		}
	}
	if got := n.Switches()[0].Entries(); got > entries/2 {
		t.Logf("%d entries were in force at once, on a slow machine", got)
	}
	ask(t, s, &openflow.BarrierRequest{})
	if got := n.Switches()[0].Entries(); got != entries {
		t.Fatalf("%d entries are in force when the barrier is answered", got)
	}
	// 1 + 7 batches of 2 ms, and a millisecond for each entry; no machine is faster than that
	if took := time.Since(begun); took < (2*8+entries)*time.Millisecond {
		t.Errorf("all was in force after %v", took)
	}
	speak(n.Hosts()[0], n.Hosts()[1], 100)
	await(t, "the packet is forwarded", func() bool { return stationOf(n.Hosts()[1]).count() == 1 })
}

// TestNothingPassesABarrier has a deletion wait behind a barrier until the entries before it are in
// force.
func TestNothingPassesABarrier(t *testing.T) {
	n, ctl := underBoss(t, "linear:1", "install: {delay: 20ms}", openflow.V10)
	s := ctl.of(t, 1)
	remove := &openflow.FlowMod{Command: openflow.FlowDelete, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny}
	if _, err := s.Send(forward(1, 2), forward(2, 1), &openflow.BarrierRequest{}, remove,
		&openflow.BarrierRequest{}, forward(3, 1)); err != nil {
		t.Fatal(err)
	}
	ask(t, s, &openflow.BarrierRequest{})
	if got := n.Switches()[0].Entries(); got != 1 {
		t.Errorf("%d entries are left, want the one after the deletion", got)
	}
	if got := n.Totals().FlowMods; got != 4 {
		t.Errorf("%d flow-mods were done", got)
	}
}

// TestPacketOutGoesBeforeSlowRules sends a packet behind rules without a barrier between: it does
// not wait for them.
func TestPacketOutGoesBeforeSlowRules(t *testing.T) {
	n, ctl := underBoss(t, "linear:1,hosts=2", "install: {delay: 50s}", openflow.V13)
	s := ctl.of(t, 1)
	out := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController,
		Data:    frameBetween(n.Hosts()[0], n.Hosts()[1], 100),
		Actions: []openflow.Action{openflow.Output(2)}}
	if _, err := s.Send(forward(1, 2), out); err != nil {
		t.Fatal(err)
	}
	await(t, "the packet has arrived", func() bool { return stationOf(n.Hosts()[1]).count() == 1 })
	if got := n.Switches()[0].Entries(); got != 0 {
		t.Errorf("%d entries are in force", got)
	}
}

// TestFullTableOfAProfile fills the tables of a small switch.
func TestFullTableOfAProfile(t *testing.T) {
	_, ctl := underBoss(t, "linear:1", "tables: {count: 2, entries: 3, groups: 1}", openflow.V13)
	s := ctl.of(t, 1)
	if codes := ctl.tell(t, s, forward(1, 2), forward(2, 1), forward(3, 1)); len(codes) != 0 {
		t.Fatalf("errors %v", codes)
	}
	other := forward(4, 1).(*openflow.FlowMod)
	other.Table = 2
	codes := ctl.tell(t, s, forward(4, 1), other)
	if len(codes) != 2 || codes[0] != openflow.FlowModFailedTableFull || codes[1] != openflow.FlowModFailedBadTableID {
		t.Errorf("errors %v", codes)
	}
}

// TestPacketInsAreLimited sends more packets at once than may wait for the controller.
func TestPacketInsAreLimited(t *testing.T) {
	n, ctl := underBoss(t, "linear:1", "packet_in: {per_second: 20, queue: 4}", openflow.V13)
	ctl.tell(t, ctl.of(t, 1), toController())
	var frames [][]byte
	for i := range 20 {
		frames = append(frames, frameBetween(n.Hosts()[0], n.Hosts()[0], 64+i))
	}
	send(n.Hosts()[0], frames...)
	await(t, "five packet-ins have come", func() bool { got, _ := ctl.seen(); return got == 5 })
	await(t, "the others are counted", func() bool { return n.Totals().Drops[LostToRate] == 15 })
}

// TestPacketOutsAreLimited has a controller send more packets at once than may wait.
func TestPacketOutsAreLimited(t *testing.T) {
	n, ctl := underBoss(t, "linear:1,hosts=2", "packet_out: {per_second: 1, queue: 2}", openflow.V13)
	s := ctl.of(t, 1)
	out := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController,
		Data:    frameBetween(n.Hosts()[0], n.Hosts()[1], 100),
		Actions: []openflow.Action{openflow.Output(2)}}
	list := make([]openflow.Message, 200)
	for i := range list {
		list[i] = out
	}
	if _, err := s.Send(list...); err != nil {
		t.Fatal(err)
	}
	ask(t, s, &openflow.BarrierRequest{})
	sent, dropped := n.Totals().PacketOuts, n.Totals().Drops[LostFromRate]
	if sent+dropped != 200 || sent < 3 || dropped < 100 {
		t.Errorf("%d packets sent, %d dropped", sent, dropped)
	}
}

// TestFlowSetupTakesItsTime has a packet shown to the controller, and go on, when the profile says:
// not before, by bytes and by buffer.
func TestFlowSetupTakesItsTime(t *testing.T) {
	const whole = 40 * time.Millisecond // of two flows
	for _, buffered := range []bool{false, true} {
		text := "flow_setup: {points: [{payload: 56, delay: 40ms}], controller: 1ms}\n"
		if buffered {
			text += "tables: {buffers: 16}"
		}
		n, ctl := underBoss(t, "linear:1,hosts=2", text, openflow.V13)
		s := ctl.of(t, 1)
		miss := toController()
		if buffered {
			miss = addFlow(0, openflow.Match{}, openflow.Apply(openflow.OutputController(128)))
		}
		ctl.tell(t, s, miss)
		begun := time.Now()
		speak(n.Hosts()[0], n.Hosts()[1], 100)
		await(t, "the packet-in has come", func() bool { got, _ := ctl.seen(); return got == 1 })
		if took := time.Since(begun); took < (whole/2-time.Millisecond)/2 {
			t.Errorf("shown after %v", took)
		}
		ctl.mu.Lock()
		in := ctl.packetIns[0]
		ctl.mu.Unlock()
		rule := forward(1, 2).(*openflow.FlowMod)
		list := []openflow.Message{rule}
		if rule.Buffer = in.Buffer; !buffered {
			list = append(list,
				&openflow.PacketOut{Buffer: in.Buffer, InPort: 1, Data: in.Data, Actions: []openflow.Action{openflow.Output(2)}})
		}
		if buffered == (in.Buffer == openflow.NoBuffer) {
			t.Fatalf("the packet's buffer is %#x", in.Buffer)
		}
		ctl.tell(t, s, list...)
		await(t, "the packet has arrived", func() bool { return stationOf(n.Hosts()[1]).count() == 1 })
		if took := time.Since(begun); took < whole/2 {
			t.Errorf("arrived after %v, want half of %v at least", took, whole)
		}
	}
}

// TestCountersTakeTheirTime asks for counters twice: one answer comes after the other.
func TestCountersTakeTheirTime(t *testing.T) {
	_, ctl := underBoss(t, "linear:1,hosts=4", "statistics: {delay: 10ms, entry: 5ms}", openflow.V10)
	s := ctl.of(t, 1)
	begun := time.Now()
	request := &openflow.MultipartRequest{Body: &openflow.PortStatsRequest{Port: openflow.PortAny}}
	if _, err := s.Send(request, request); err != nil {
		t.Fatal(err)
	}
	ask(t, s, &openflow.BarrierRequest{})
	if took := time.Since(begun); took < 2*(10+4*5)*time.Millisecond {
		t.Errorf("answered after %v", took)
	}
	desc := ask(t, s, &openflow.MultipartRequest{Body: &openflow.DescRequest{}}).(*openflow.MultipartReply)
	if desc.Body.(*openflow.Desc).Manufacturer != "Weir" {
		t.Errorf("%+v", desc.Body)
	}
}

// TestPowerGoesWhileASwitchWorks takes the power away while rules, packets and answers wait, and
// gives it back.
func TestPowerGoesWhileASwitchWorks(t *testing.T) {
	n, ctl := underBoss(t, "linear:1,hosts=2",
		"install: {per_second: 100}\nflow_setup: {points: [{payload: 1, delay: 1s}]}\nstatistics: {delay: 200ms}", openflow.V13)
	sw := n.Switches()[0]
	for i := range 3 {
		await(t, "the session before has ended", func() bool { ctl.mu.Lock(); defer ctl.mu.Unlock(); return ctl.ended == i })
		s := ctl.of(t, 1)
		_, _ = s.Send(toController(), forward(2, 1), forward(1, 2), &openflow.BarrierRequest{}, forward(3, 2),
			&openflow.MultipartRequest{Body: &openflow.PortStatsRequest{Port: openflow.PortAny}})
		await(t, "the first rule is in force", func() bool { return sw.Entries() > 0 })
		speak(n.Hosts()[0], n.Hosts()[1], 100)
		sw.Down()
		await(t, "the connection has ended", func() bool { return sw.Connected() == 0 })
		sw.Up()
		if err := n.AwaitConnected(patient(t)); err != nil {
			t.Fatal(err)
		}
		if got := sw.Entries(); got != 0 {
			t.Fatalf("%d entries after the power was off", got)
		}
	}
	await(t, "all sessions but the last have ended", func() bool { ctl.mu.Lock(); defer ctl.mu.Unlock(); return ctl.ended == 3 })
	ctl.tell(t, ctl.of(t, 1), forward(1, 2))
	if got := sw.Entries(); got != 1 {
		t.Errorf("%d entries", got)
	}
}

// TestANetworkEndsWithFullAgents ends one while a switch has more to do than it may have waiting.
func TestANetworkEndsWithFullAgents(t *testing.T) {
	n, ctl := underBoss(t, "linear:1,hosts=2", "install: {delay: 1m}", openflow.V13)
	list := make([]openflow.Message, maxTasks+100)
	for i := range list {
		list[i] = forward(1, 2)
	}
	if _, err := ctl.of(t, 1).Send(list...); err != nil {
		t.Fatal(err)
	}
	sw := n.switches[0]
	await(t, "as much waits as may", func() bool {
		sw.mu.Lock()
		defer sw.mu.Unlock()
		return sw.behaviour.installer.waiting.len() >= maxTasks-1
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := n.Close(ctx); err != nil {
		t.Error(err)
	}
}
