package vswitch

import (
	"fmt"
	"testing"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
)

// wire has the last frame that a switch has sent.
type wire struct {
	port  uint32
	frame []byte
}

func (w *wire) Transmit(port, _ uint32, frame []byte) {
	w.port, w.frame = port, append([]byte(nil), frame...)
}
func (w *wire) PacketIn(*flowtable.PacketIn)                  {}
func (w *wire) FlowRemoved(*openflow.FlowRemoved)             {}
func (w *wire) PortStatus(openflow.PortReason, openflow.Port) {}
func (w *wire) Order(ruleset.Order)                           {}
func (w *wire) Refused(Origin, *flowtable.Error)              {}
func (w *wire) Confirmed(Origin)                              {}

func matching(t *testing.T, pairs ...string) (m openflow.Match) {
	for i := 0; i < len(pairs); i += 2 {
		if err := m.SetText(pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func flowMod(table uint8, m openflow.Match, do ...openflow.Instruction) *openflow.FlowMod {
	return &openflow.FlowMod{Table: table, Priority: 5, Match: m, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Instructions: do}
}

// whose returns the tenant whose space a frame is in, as a switch finds it out.
func whose(t *testing.T, tenants *tenant.Tenants, frame []byte) string {
	w := &wire{}
	s := flowtable.New(flowtable.Config{Tables: 1})
	for p := range uint32(9) {
		s.AddPort(openflow.Port{Number: p + 1, Name: fmt.Sprint(p + 1)}, 0, w)
	}
	names := map[uint32]string{}
	for i, d := range tenants.All() {
		names[uint32(i+2)] = d.Name
		for _, r := range d.Space {
			fm := flowMod(0, r.Match, openflow.Apply(openflow.Output(uint32(i+2))))
			fm.Priority = r.Priority
			if err := s.FlowMod(openflow.V13, fm, 0, w); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Receive(1, frame, 0, w)
	return names[w.port]
}

func ip4(dst byte, third byte, proto byte, frag uint16, payload ...byte) []byte {
	total := 20 + len(payload)
	return append([]byte{0x45, 0, byte(total >> 8), byte(total), 0, 1, byte(frag >> 8), byte(frag), 64, proto, 0, 0,
		10, 0, 0, 1, 10, dst, third, 1}, payload...)
}

func eth(tags []uint16, typ uint16, payload []byte) []byte {
	b := []byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}
	for _, v := range tags {
		b = append(b, 0x81, 0, byte(v>>8), byte(v))
	}
	return append(append(b, byte(typ>>8), byte(typ)), payload...)
}

// TestEscapes: entries by which a tenant would hand frames of its own to another. What they rely on is that an action on
// what a packet has not does nothing: a switch must not take them, or the frame must stay where it was.
func TestEscapes(t *testing.T) {
	m := func(p ...string) openflow.Match { return matching(t, p...) }
	in := func(priority uint16, p ...string) tenant.Region {
		return tenant.Region{Priority: priority, Match: m(p...)}
	}
	setIP := func(ip string) openflow.Action {
		x := m("eth_type", "0x0800", "ipv4_dst", ip)
		v, _, _ := x.Lookup(openflow.FieldIPv4Dst)
		return openflow.SetFieldBytes(openflow.FieldIPv4Dst, v)
	}
	vlan := func(v uint64) openflow.Action { return openflow.SetField(openflow.FieldVLANVID, 0x1000|v) }
	dst := openflow.SetField(openflow.FieldEthDst, 0x020000000009)
	popVLAN := openflow.Action{Type: openflow.ActionPopVLAN}
	tagged := m("vlan_vid", "7", "eth_type", "0x0800", "ipv4_dst", "10.2.0.0/16")
	udp := []byte{0, 9, 0, 10, 0, 8, 0, 0}
	write := func(list ...openflow.Action) openflow.Instruction {
		return openflow.Instruction{Type: openflow.InstructionWriteActions, Actions: list}
	}
	type regions = []tenant.Region
	type entry struct {
		table uint8
		match openflow.Match
		do    []openflow.Instruction
	}
	apply := func(match openflow.Match, list ...openflow.Action) []entry {
		return []entry{{0, match, []openflow.Instruction{openflow.Apply(append(list, openflow.Output(2))...)}}}
	}
	for _, c := range []struct {
		name      string
		red, blue regions
		frame     []byte
		entries   []entry
	}{
		{"written set vlan_vid, and the tag is popped in the next table",
			regions{in(5, "vlan_vid", "8", "eth_type", "0x0800", "ipv4_dst", "10.1.0.0/16"),
				in(5, "eth_type", "0x0800", "ipv4_dst", "10.2.0.0/16")},
			regions{in(6, "vlan_vid", "none", "eth_type", "0x0800", "ipv4_dst", "10.1.0.0/16")},
			eth([]uint16{7}, 0x800, ip4(2, 0, 17, 0, udp...)),
			[]entry{{0, tagged,
				[]openflow.Instruction{write(vlan(8), setIP("10.1.0.1"), openflow.Output(2)), openflow.GotoTable(1)}},
				{1, tagged, []openflow.Instruction{openflow.Apply(popVLAN)}}}},
		{"set tcp_dst of a later fragment",
			regions{in(5, "eth_type", "0x0800", "ipv4_dst", "10.2.0.0/16", "ip_proto", "6"),
				in(7, "eth_type", "0x0800", "ipv4_dst", "10.1.0.0/16", "ip_proto", "6", "tcp_dst", "80")},
			regions{in(6, "eth_type", "0x0800", "ipv4_dst", "10.1.0.0/16")},
			eth(nil, 0x800, ip4(2, 0, 6, 100, make([]byte, 40)...)),
			apply(m("eth_type", "0x0800", "ip_proto", "6"), setIP("10.1.0.1"), openflow.SetField(openflow.FieldTCPDst, 80))},
		{"set ipv4_dst of a cut IPv4 header",
			regions{in(5, "eth_dst", "02:00:00:00:00:02"),
				in(7, "eth_dst", "02:00:00:00:00:09", "eth_type", "0x0800", "ipv4_dst", "10.1.0.0/16")},
			regions{in(6, "eth_dst", "02:00:00:00:00:09")},
			eth(nil, 0x800, []byte{0x45, 0, 0, 9}), apply(m("eth_type", "0x0800"), setIP("10.1.0.1"), dst)},
		{"pop_vlan of three tags",
			regions{in(5, "eth_dst", "02:00:00:00:00:02")},
			regions{in(6, "eth_type", "0x0800", "ipv4_dst", "10.9.0.0/16")},
			eth([]uint16{7, 8, 9}, 0x800, ip4(9, 0, 17, 0, udp...)), apply(m("vlan_vid", "7"), popVLAN)},
		{"pop_mpls of a cut label",
			regions{in(5, "eth_dst", "02:00:00:00:00:02"),
				in(7, "eth_dst", "02:00:00:00:00:09", "eth_type", "0x0800")},
			regions{in(6, "eth_dst", "02:00:00:00:00:09")},
			eth(nil, 0x8847, make([]byte, 2)),
			apply(m("eth_type", "0x8847"), openflow.Action{Type: openflow.ActionPopMPLS, EtherType: 0x800}, dst)},
		{"push_mpls of a frame with a length",
			regions{in(5, "eth_dst", "02:00:00:00:00:02"),
				in(7, "eth_dst", "02:00:00:00:00:09", "eth_type", "0x8847")},
			regions{in(6, "eth_dst", "02:00:00:00:00:09")},
			eth(nil, 0x20, make([]byte, 60)), apply(m(), openflow.Action{Type: openflow.ActionPushMPLS, EtherType: 0x8847}, dst)},
	} {
		t.Run(c.name, func(t *testing.T) {
			tenants := tenant.New()
			for i, space := range []regions{c.red, c.blue} {
				d := tenant.Definition{Name: []string{"red", "blue"}[i], Number: uint16(i + 1),
					Ports: []netview.Point{{DPID: 1, Port: 1}}, Space: space}
				if err := tenants.Put(d); err != nil {
					t.Fatal(err)
				}
			}
			if got := whose(t, tenants, c.frame); got != "red" {
				t.Fatalf("the frame is %q's before", got)
			}
			for _, single := range []bool{false, true} {
				w := &wire{}
				s := New(Config{Tenant: 1, DPID: 1, Tables: 4, Space: tenants.Space("red"), Rows: &Rows{}, Single: single})
				for p := range uint32(2) {
					s.SetPort(openflow.Port{Number: p + 1, Name: fmt.Sprint(p + 1)}, 0, w)
				}
				refused := false
				for _, e := range c.entries {
					refused = refused || s.FlowMod(openflow.V13, flowMod(e.table, e.match, e.do...), Origin{}, 0, w) != nil
				}
				if refused {
					continue
				}
				s.Tables().Receive(1, c.frame, 0, w)
				if got := whose(t, tenants, w.frame); w.frame != nil && got != "red" {
					t.Errorf("the frame is %q's afterwards, with one table: %t", got, single)
				}
			}
		})
	}
}
