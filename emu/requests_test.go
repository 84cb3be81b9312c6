package emu

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// statistics asks for statistics, and returns the answer put together.
func statistics(t *testing.T, s *session.Session, body openflow.RequestBody) openflow.ReplyBody {
	t.Helper()
	return ask(t, s, &openflow.MultipartRequest{Body: body}).(*openflow.MultipartReply).Body
}

func allFlows() *openflow.FlowRequest {
	return &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}
}

// TestDescribesItself has a switch of each version say who it is and what it has.
func TestDescribesItself(t *testing.T) {
	for _, v := range versions {
		t.Run(v.String(), func(t *testing.T) {
			b := newBoss()
			n := joined(t, "ring:3,hosts=2", b, v, nil)
			sw := n.Switches()[1]
			s := b.of(t, sw.DatapathID())
			want := openflow.Desc{Manufacturer: "Weir", Hardware: "emulated switch", Software: "Weir",
				Serial: fmt.Sprintf("%08x%016x", n.cfg.Topology.Sum(), sw.DatapathID()), Datapath: sw.Name()}
			if got := statistics(t, s, &openflow.DescRequest{}).(*openflow.Desc); *got != want {
				t.Errorf("%+v", got)
			}
			ports := s.Features().Ports
			if v != openflow.V10 {
				ports = statistics(t, s, &openflow.PortDescRequest{}).(*openflow.PortDescList).Ports
			}
			if len(ports) != 4 || len(sw.Ports()) != 4 {
				t.Fatalf("ports %+v", ports)
			}
			for i, p := range ports {
				if p.Number != sw.Ports()[i] || p.Name != fmt.Sprintf("s2-eth%d", p.Number) ||
					p.State&openflow.PortStateDown != 0 ||
					p.Curr != openflow.PortFeature10GbFD || sw.Link(p.Number) == nil {
					t.Errorf("port %+v", p)
				}
			}
			counters := statistics(t, s, &openflow.PortStatsRequest{Port: openflow.PortAny}).(*openflow.PortStatsList)
			if len(counters.Ports) != 4 {
				t.Errorf("%+v", counters)
			}
			if got := ask(t, s,
				&openflow.QueueGetConfigRequest{Port: 1}).(*openflow.QueueGetConfigReply); got.Port != 1 || len(got.Queues) != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestLocalPort has switches with a port of their own: it is down, floods go past it, and its
// configuration can be changed.
func TestLocalPort(t *testing.T) {
	for _, v := range versions {
		t.Run(v.String(), func(t *testing.T) {
			b := newBoss()
			n := joined(t, "linear:2,hosts=2", b, v, func(c *Config) { c.LocalPort = true })
			sw := n.Switches()[0]
			s := b.of(t, sw.DatapathID())
			ports := s.Features().Ports
			if v != openflow.V10 {
				ports = statistics(t, s, &openflow.PortDescRequest{}).(*openflow.PortDescList).Ports
			}
			local := ports[len(ports)-1]
			want := openflow.Port{Number: openflow.PortLocal, Name: "s1", HWAddr: sw.address(0),
				Config: openflow.PortConfigDown, State: openflow.PortStateDown}
			if len(ports) != 4 || local != want {
				t.Fatalf("ports %+v, want the last of four to be %+v", ports, want)
			}
			nowhere := openflow.PortController
			if v == openflow.V10 {
				nowhere = openflow.PortAny
			}
			b.tell(t, s, &openflow.PortMod{Port: openflow.PortLocal, HWAddr: local.HWAddr, Mask: openflow.PortConfigDown},
				&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: nowhere, Data: make([]byte, 60),
					Actions: []openflow.Action{openflow.Output(openflow.PortFlood)}})
			flooded := statistics(t, s, &openflow.PortStatsRequest{Port: 1}).(*openflow.PortStatsList)
			if flooded.Ports[0].TxPackets != 1 {
				t.Errorf("counters of port 1 %+v, want the flood", flooded.Ports[0])
			}
			counters := statistics(t, s, &openflow.PortStatsRequest{Port: openflow.PortLocal}).(*openflow.PortStatsList)
			if len(counters.Ports) != 1 || counters.Ports[0].TxPackets != 0 || counters.Ports[0].TxDropped != 1 {
				t.Errorf("counters of the local port %+v, want one packet dropped", counters)
			}
		})
	}
}

// TestLongAnswers has statistics that do not fit into one message come whole.
func TestLongAnswers(t *testing.T) {
	for _, v := range versions {
		b := newBoss()
		joined(t, "linear:1", b, v, nil)
		s := b.of(t, 1)
		const entries = 3000
		list := make([]openflow.Message, entries)
		for i := range list {
			list[i] = forward(uint32(i+1), 1)
		}
		b.tell(t, s, list...)
		got := statistics(t, s, allFlows()).(*openflow.FlowStatsList)
		seen := make(map[uint64]bool)
		for _, f := range got.Flows {
			port, _ := f.Match.Uint(openflow.FieldInPort)
			seen[port] = true
		}
		if len(got.Flows) != entries || len(seen) != entries {
			t.Errorf("OpenFlow %s: %d entries of %d ports in the answer, want %d", v, len(got.Flows), len(seen), entries)
		}
		if v != openflow.V10 {
			if tables := statistics(t, s,
				&openflow.TableFeaturesList{}).(*openflow.TableFeaturesList); len(tables.Tables) != 254 {
				t.Errorf("features of %d tables", len(tables.Tables))
			}
		}
	}
}

// TestLongPartsAreHalved has entries so long that few fit into a message.
func TestLongPartsAreHalved(t *testing.T) {
	b := newBoss()
	joined(t, "linear:1", b, openflow.V13, nil)
	s := b.of(t, 1)
	var actions []openflow.Action
	for range 1000 {
		actions = append(actions, openflow.Output(1))
	}
	const entries = 50
	for i := range entries {
		var m openflow.Match
		m.SetUint(openflow.FieldInPort, uint64(i+1))
		if codes := b.tell(t, s, addFlow(1, m, openflow.Apply(actions...))); codes != nil {
			t.Fatal(codes)
		}
	}
	if got := statistics(t, s, allFlows()).(*openflow.FlowStatsList); len(got.Flows) != entries ||
		len(got.Flows[0].Instructions[0].Actions) != 1000 {
		t.Errorf("%d entries", len(got.Flows))
	}
}

// TestRefusals has messages that a switch does not take answered with the specification's errors,
// and the session go on.
func TestRefusals(t *testing.T) {
	_, a, b := two(t, "linear:1", openflow.V13)
	s, slave := a.of(t, 1), b.of(t, 1)
	if code := refusal(t, s, &openflow.MultipartRequest{
		Body: &openflow.MultipartExperimenterBody{Experimenter: 1}}); code != openflow.BadRequestBadExperimenter {
		t.Errorf("an unknown experimenter's multipart is answered with %v", code)
	}
	if code := refusal(t, s, &openflow.Experimenter{Experimenter: 1}); code != openflow.BadRequestBadExperimenter {
		t.Errorf("an unknown experimenter is answered with %v", code)
	}
	if code := refusal(t, s, &openflow.QueueGetConfigRequest{Port: 99}); code != openflow.QueueOpFailedBadPort {
		t.Errorf("the queues of no port are answered with %v", code)
	}
	if code := refusal(t, s, &openflow.RoleRequest{Role: 7}); code != openflow.RoleRequestFailedBadRole {
		t.Errorf("role 7 is answered with %v", code)
	}
	for _, c := range []struct {
		m    openflow.Message
		want openflow.ErrorCode
	}{
		{addFlow(1, openflow.Match{}, openflow.GotoTable(0)), openflow.BadInstructionBadTableID},
		{addFlow(1, openflow.Match{}, openflow.Apply(openflow.Group(7))), openflow.BadActionBadOutGroup},
		{&openflow.PortMod{Port: 99}, openflow.PortModFailedBadPort},
		{&openflow.GroupMod{Command: openflow.GroupModify, Group: 1}, openflow.GroupModFailedUnknownGroup},
		{&openflow.MeterMod{Command: openflow.MeterModify, Meter: 1}, openflow.MeterModFailedUnknownMeter},
		{&openflow.PacketOut{Buffer: 5, InPort: openflow.PortAny}, openflow.BadRequestBufferUnknown},
		{&openflow.BarrierReply{}, openflow.BadRequestBadType},
	} {
		if codes := a.tell(t, s, c.m); !slices.Equal(codes, []openflow.ErrorCode{c.want}) {
			t.Errorf("%s is answered with %v, want %v", c.m.Type(), codes, c.want)
		}
	}
	ask(t, slave, &openflow.RoleRequest{Role: openflow.RoleSlave, Generation: 1})
	features := statistics(t, s, &openflow.TableFeaturesList{}).(*openflow.TableFeaturesList)
	set := &openflow.MultipartRequest{Body: &openflow.TableFeaturesList{Tables: features.Tables[:1]}}
	if code := refusal(t, slave, set); code != openflow.BadRequestIsSlave {
		t.Errorf("table features set by a slave are answered with %v", code)
	}
}

// TestMissSendLen has two controllers get as much of a packet as each has asked for.
func TestMissSendLen(t *testing.T) {
	a, b := newBoss(), newBoss()
	other := serve(t, b, session.Config{MissSendLen: 40})
	n := joined(t, "linear:1,hosts=2", a, openflow.V10, func(c *Config) {
		c.Switch = flowtable.Config{Buffers: 16}
		c.Controllers = []string{"c", "d"}
		c.Dial = pick(map[string]dialer{"c": c.Dial, "d": dialTo(map[string]*control{"d": other})})
	})
	a.of(t, 1)
	b.of(t, 1)
	speak(n.Hosts()[0], n.Hosts()[1], 100)
	await(t, "both get the packet", func() bool { i, _ := a.seen(); j, _ := b.seen(); return i == 1 && j == 1 })
	whole, cut := a.packetIns[0], b.packetIns[0]
	if len(whole.Data) != 100 || len(cut.Data) != 40 || cut.TotalLen != 100 || cut.Buffer == openflow.NoBuffer {
		t.Errorf("whole %+v, cut %+v", whole, cut)
	}
}

// TestPortMod has a port that a controller switches off lose the carrier at both ends of its link.
func TestPortMod(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:2", b, openflow.V13, nil)
	s := b.of(t, 1)
	b.of(t, 2)
	_, port, _, _ := n.Links()[0].Ends()
	p := statistics(t, s, &openflow.PortDescRequest{}).(*openflow.PortDescList).Ports[port-1]
	mod := func(config uint32) openflow.Message {
		return &openflow.PortMod{Port: port, HWAddr: p.HWAddr, Config: config, Mask: openflow.PortConfigDown}
	}
	if codes := b.tell(t, s, mod(openflow.PortConfigDown)); codes != nil || n.Links()[0].Up() {
		t.Fatalf("%v, the link is up: %v", codes, n.Links()[0].Up())
	}
	await(t, "its configuration, and both ends' carrier", func() bool { return len(b.statuses()) == 3 })
	if codes := b.tell(t, s, mod(0)); codes != nil || !n.Links()[0].Up() {
		t.Fatalf("%v, the link is up: %v", codes, n.Links()[0].Up())
	}
}

// TestEntriesRunOut has entries with time-outs go without anybody's asking, and tell.
func TestEntriesRunOut(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:1", b, openflow.V13, nil)
	s := b.of(t, 1)
	soft := toController().(*openflow.FlowMod)
	soft.HardTimeout, soft.Flags = 1, openflow.FlagSendFlowRemoved
	b.tell(t, s, soft, forward(1, 2))
	await(t, "the entry runs out", func() bool { return n.Totals().Entries == 1 })
	await(t, "the switch tells", func() bool {
		_, all := b.seen()
		return slices.ContainsFunc(all, func(m openflow.Message) bool {
			r, ok := m.(*openflow.FlowRemoved)
			return ok && r.Reason == openflow.RemovedHard
		})
	})
}

// TestMissesGoToOldControllersOnly has a packet that no entry matches be shown to a controller of
// OpenFlow 1.0, and not to one of 1.3 beside it; without the first it is dropped.
func TestMissesGoToOldControllersOnly(t *testing.T) {
	old, modern := newBoss(), newBoss()
	other := serve(t, old, session.Config{Versions: []openflow.Version{openflow.V10}})
	n := joined(t, "linear:1,hosts=2", modern, openflow.V13, func(c *Config) {
		c.Versions = nil
		c.Controllers = []string{"c", "d"}
		c.Dial = pick(map[string]dialer{"c": c.Dial, "d": dialTo(map[string]*control{"d": other})})
	})
	if v := modern.of(t, 1).Version(); v != openflow.V13 {
		t.Fatalf("the newer controller speaks %v", v)
	}
	old.of(t, 1)
	speak(n.Hosts()[0], n.Hosts()[1], 60)
	await(t, "the older one gets the packet", func() bool { i, _ := old.seen(); return i == 1 })
	if err := n.Switches()[0].Control().CutOff(1, true); err != nil {
		t.Fatal(err)
	}
	await(t, "the older one is gone", func() bool { return n.Totals().Sessions == 1 })
	speak(n.Hosts()[0], n.Hosts()[1], 60)
	await(t, "the packet is at the switch", func() bool { return n.Totals().PacketHops == 2 })
	ask(t, modern.of(t, 1), &openflow.BarrierRequest{})
	i, _ := modern.seen()
	if got := n.Totals(); i != 0 || got.Drops[LostUnattended] != 0 || got.PacketIns != 1 {
		t.Errorf("%d packet-ins at the newer one, %+v", i, got)
	}
}

// TestFragments has a switch drop fragments of IP packets when its controller wants that.
func TestFragments(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:1,hosts=2", b, openflow.V13, nil)
	s, from, to := b.of(t, 1), n.Hosts()[0], n.Hosts()[1]
	b.tell(t, s, flood())
	fragment := frameBetween(from, to, 60)
	copy(fragment[12:], []byte{0x08, 0, 0x45, 0, 0, 46, 0, 1, 0x20, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2})
	send := func(frame []byte) {
		from.do(func(_ stack, _ time.Duration, out host.Output) { out.Send(frame) })
	}
	send(fragment)
	await(t, "the fragment passes", func() bool { return stationOf(to).count() == 1 })
	if _, err := s.Send(&openflow.SetConfig{Flags: openflow.ConfigFragDrop, MissSendLen: openflow.ControllerNoCut}); err != nil {
		t.Fatal(err)
	}
	ask(t, s, &openflow.BarrierRequest{})
	ask(t, s, &openflow.BarrierRequest{}) // in another batch
	send(fragment)
	send(frameBetween(from, to, 61))
	await(t, "what came after the fragment passes", func() bool { return stationOf(to).count() == 2 })
	if got := ask(t, s, &openflow.GetConfigRequest{}).(*openflow.GetConfigReply); got.Flags != openflow.ConfigFragDrop {
		t.Errorf("%+v", got)
	}
	if heard := stationOf(to).heard; len(heard[1]) != 61 {
		t.Error("a second fragment passes")
	}
}
