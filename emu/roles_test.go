package emu

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/agent"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// two runs a network whose switches have two controllers.
func two(t *testing.T, spec string, v openflow.Version) (n *Network, a, b *boss) {
	a, b = newBoss(), newBoss()
	n = joined(t, spec, a, v, func(c *Config) {
		name := c.Dial
		other := serve(t, b, session.Config{})
		c.Controllers = []string{"c", "d"}
		c.Dial = pick(map[string]dialer{"c": name, "d": dialTo(map[string]*control{"d": other})})
	})
	return n, a, b
}

func TestRolesFence(t *testing.T) {
	for _, v := range versions {
		t.Run(v.String(), func(t *testing.T) {
			n, a, b := two(t, "linear:1,hosts=2", v)
			sa, sb := a.of(t, 1), b.of(t, 1)
			role := func(s *session.Session, r openflow.Role, generation uint64) openflow.Role {
				return ask(t, s, &openflow.RoleRequest{Role: r, Generation: generation}).(*openflow.RoleReply).Role
			}
			if got := role(sa, openflow.RoleMaster, 1); got != openflow.RoleMaster {
				t.Fatalf("a is %v", got)
			}
			if got := role(sb, openflow.RoleSlave, 1); got != openflow.RoleSlave {
				t.Fatalf("b is %v", got)
			}
			slave := []openflow.ErrorCode{openflow.BadRequestIsSlave}
			if v == openflow.V10 {
				slave = []openflow.ErrorCode{openflow.BadRequestEPerm}
			}
			if codes := a.tell(t, sa, toController()); codes != nil {
				t.Fatalf("the master's flow-mod is refused: %v", codes)
			}
			out := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortAny, Data: make([]byte, 60),
				Actions: []openflow.Action{openflow.Output(1)}}
			for _, m := range []openflow.Message{toController(), out} {
				if codes := b.tell(t, sb, m); !slices.Equal(codes, slave) {
					t.Fatalf("the slave's %s is answered with %v, want %v", m.Type(), codes, slave)
				}
			}
			if e := n.Totals().Entries; e != 1 {
				t.Fatalf("%d entries", e)
			}

			speak(n.Hosts()[0], n.Hosts()[1], 60)
			await(t, "the master gets the packet", func() bool { i, _ := a.seen(); return i == 1 })
			n.Hosts()[0].Link().SetUp(false)
			await(t, "both get the port status", func() bool { return len(a.statuses()) == 1 && len(b.statuses()) == 1 })
			n.Hosts()[0].Link().SetUp(true)
			if i, _ := b.seen(); i != 0 {
				t.Errorf("the slave got %d packet-ins", i)
			}

			if got := role(sb, openflow.RoleMaster, 2); got != openflow.RoleMaster {
				t.Fatalf("b is %v", got)
			}
			if codes := a.tell(t, sa, toController()); !slices.Equal(codes, slave) {
				t.Fatalf("the deposed master's flow-mod is answered with %v", codes)
			}
			if v != openflow.V10 {
				if code := refusal(t, sa,
					&openflow.RoleRequest{Role: openflow.RoleMaster, Generation: 1}); code != openflow.RoleRequestFailedStale {
					t.Fatalf("an old generation is answered with %v", code)
				}
			}
			await(t, "the link is up again", func() bool { return len(b.statuses()) == 2 })
			speak(n.Hosts()[0], n.Hosts()[1], 60)
			await(t, "the new master gets the packet", func() bool { i, _ := b.seen(); return i == 1 })
			if i, _ := a.seen(); i != 1 {
				t.Errorf("the deposed master got %d packet-ins, want the one of its time", i)
			}
		})
	}
}

// TestAcceptedWrites: what a switch has done is told, with who asked for it, and what it refused is not.
func TestAcceptedWrites(t *testing.T) {
	type write struct {
		controller int
		kind       openflow.Type
	}
	told := make(chan write, 100)
	a, b := newBoss(), newBoss()
	joined(t, "linear:1,hosts=2", a, openflow.V13, func(c *Config) {
		name := c.Dial
		other := serve(t, b, session.Config{})
		c.Controllers = []string{"c", "d"}
		c.Dial = pick(map[string]dialer{"c": name, "d": dialTo(map[string]*control{"d": other})})
		c.Accepted = func(sw *Switch, controller int, m openflow.Message) { told <- write{controller, m.Type()} }
	})
	sa, sb := a.of(t, 1), b.of(t, 1)
	ask(t, sb, &openflow.RoleRequest{Role: openflow.RoleMaster, Generation: 1})
	ask(t, sa, &openflow.RoleRequest{Role: openflow.RoleSlave, Generation: 1})
	out := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortAny, Data: make([]byte, 60),
		Actions: []openflow.Action{openflow.Output(1)}}
	meter := &openflow.MeterMod{Command: openflow.MeterAdd, Meter: 1, Flags: openflow.MeterFlagKbps,
		Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 1}}}
	group := &openflow.GroupMod{Command: openflow.GroupAdd, Group: 1}
	for _, m := range []openflow.Message{toController(), out, meter, group, group} {
		a.tell(t, sa, m)
		b.tell(t, sb, m)
	}
	close(told)
	var got []write
	for w := range told {
		got = append(got, w)
	}
	want := []write{{1, openflow.TypeFlowMod}, {1, openflow.TypePacketOut},
		{1, openflow.TypeMeterMod}, {1, openflow.TypeGroupMod}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAsyncMasks has two equals both get packets, until one asks for other messages.
func TestAsyncMasks(t *testing.T) {
	n, a, b := two(t, "linear:1,hosts=2", openflow.V13)
	sa, sb := a.of(t, 1), b.of(t, 1)
	a.tell(t, sa, toController())
	from, to := n.Hosts()[0], n.Hosts()[1]
	speak(from, to, 60)
	await(t, "both get the packet", func() bool { i, _ := a.seen(); j, _ := b.seen(); return i == 1 && j == 1 })

	masks := ask(t, sb, &openflow.GetAsyncRequest{}).(*openflow.GetAsyncReply).AsyncMasks
	if masks != agent.DefaultAsync {
		t.Fatalf("at first %+v", masks)
	}
	masks.PacketIn[0], masks.PortStatus[0] = 0, 1<<openflow.PortAdded
	b.tell(t, sb, &openflow.SetAsync{AsyncMasks: masks})
	if got := ask(t, sb, &openflow.GetAsyncRequest{}).(*openflow.GetAsyncReply).AsyncMasks; got != masks {
		t.Fatalf("set %+v, got %+v", masks, got)
	}
	speak(from, to, 60)
	await(t, "the other gets the packet", func() bool { i, _ := a.seen(); return i == 2 })
	from.Link().SetUp(false)
	await(t, "the other gets the port status", func() bool { return len(a.statuses()) == 1 })
	ask(t, sb, &openflow.BarrierRequest{})
	if i, _ := b.seen(); i != 1 || len(b.statuses()) != 0 {
		t.Errorf("%d packet-ins and %d port statuses, though it asked for none", i, len(b.statuses()))
	}
	if got := n.Totals(); got.Drops[LostUnattended] != 0 {
		t.Errorf("%v", got.Drops)
	}
}
