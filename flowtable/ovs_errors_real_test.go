//go:build real

package flowtable_test

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
)

// wrong is a message that something is wrong with. Where Open vSwitch answers it otherwise, ovs is
// its answer, "taken" if it takes it.
type wrong struct {
	name    string
	message openflow.Message
	ovs     string
}

// add13 is the addition of an entry.
func add13(match string, instructions ...openflow.Instruction) *openflow.FlowMod {
	m := &openflow.FlowMod{
		Priority: 7, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: instructions,
	}
	for _, field := range strings.Fields(match) {
		name, value, _ := strings.Cut(field, "=")
		if err := m.Match.SetText(name, value); err != nil {
			panic(err)
		}
	}
	return m
}

// does is the addition of an entry that applies actions.
func does(match string, actions ...string) *openflow.FlowMod {
	var list []openflow.Action
	for _, s := range actions {
		a, err := openflow.ParseAction(s)
		if err != nil {
			panic(err)
		}
		list = append(list, a)
	}
	return add13(match, openflow.Apply(list...))
}

// with changes a message and returns it.
func with[M any](m *M, change func(*M)) *M {
	change(m)
	return m
}

// masked is the addition of an entry that matches one bit of a field.
func masked(match string, f openflow.Field, size int) *openflow.FlowMod {
	m := add13(match)
	value, mask := make([]byte, size), make([]byte, size)
	value[size-1], mask[size-1] = 2, 2
	m.Match.Set(f, value, mask)
	return m
}

func group13(kind openflow.GroupType, id uint32, buckets ...openflow.Bucket) *openflow.GroupMod {
	return &openflow.GroupMod{Kind: kind, Group: id, Buckets: buckets}
}

func bucket13(weight uint16, watch uint32, actions ...openflow.Action) openflow.Bucket {
	return openflow.Bucket{Weight: weight, WatchPort: watch, WatchGroup: openflow.GroupAny, Actions: actions}
}

func meter13(flags openflow.MeterFlags, id uint32, bands ...openflow.Band) *openflow.MeterMod {
	return &openflow.MeterMod{Flags: flags, Meter: id, Bands: bands}
}

// wrongs are messages for a switch that has group 1 and meter 1.
func wrongs() []wrong {
	const none = openflow.PortAny
	drop := openflow.Band{Type: openflow.BandDrop, Rate: 1}
	ip := "eth_type=0x0800"
	return []wrong{
		{"table 255", with(add13(""), func(m *openflow.FlowMod) { m.Table = 255 }), ""},
		{"goto the same table", add13("", openflow.GotoTable(0)), ""},
		{"goto table 255", add13("", openflow.GotoTable(255)), "taken"},
		{"unknown group", does("", "group:9"), ""},
		{"unknown meter", add13("", openflow.UseMeter(9)), ""},
		{"output to port 0", does("", "output:0"), "taken"},
		{"output to any", does("", "output:any"), ""},
		{"output to a reserved number", does("", "output:0xffffff17"), ""},
		{"set in_port", add13("", openflow.Apply(openflow.SetField(openflow.FieldInPort, 1))),
			openflow.BadActionBadSetArgument.String()},
		{"set eth_type", add13("", openflow.Apply(openflow.SetField(openflow.FieldEthType, 1))),
			openflow.BadActionBadSetArgument.String()},
		{"set ip_proto", add13(ip, openflow.Apply(openflow.SetField(openflow.FieldIPProto, 1))),
			openflow.BadActionBadSetArgument.String()},
		{"set vlan_vid without the bit of presence",
			add13("vlan_vid=any", openflow.Apply(openflow.SetField(openflow.FieldVLANVID, 5))), ""},
		{"set ipv4_src of any packet", does("", "set_field:10.0.0.1->ipv4_src"), ""},
		{"set tcp_dst of any IP packet", does(ip, "set_field:80->tcp_dst"), ""},
		{"set vlan_vid of an untagged packet", does("vlan_vid=none", "set_field:5->vlan_vid"), ""},
		{"pop a tag of an untagged packet", does("vlan_vid=none", "pop_vlan"), ""},
		{"decrement the TTL of any packet", does("", "dec_nw_ttl"), ""},
		{"push a tag of type 0x1234", does("", "push_vlan:0x1234"), ""},
		{"push a label of type 0x0800", does("", "push_mpls:0x0800"), ""},
		{"pop a label of an IP packet", does(ip, "pop_mpls:0x0800"), ""},
		{"tcp_dst with a mask", masked(ip+" ip_proto=6", openflow.FieldTCPDst, 2), "taken"},
		{"udp_src with a mask", masked(ip+" ip_proto=17", openflow.FieldUDPSrc, 2), "taken"},
		{"vlan_pcp with a mask", masked("vlan_vid=any", openflow.FieldVLANPCP, 1), ""},
		{"ip_dscp with a mask", masked(ip, openflow.FieldIPDSCP, 1), ""},
		{"an unknown buffer", with(add13(""), func(m *openflow.FlowMod) { m.Buffer = 5 }), ""},
		{"group of type 9", group13(9, 7), ""},
		{"group with a reserved number", group13(openflow.GroupTypeAll, 0xffffff17), ""},
		{"group that is there", group13(openflow.GroupTypeAll, 1), ""},
		{"group that is not there",
			with(group13(openflow.GroupTypeAll, 9), func(m *openflow.GroupMod) { m.Command = openflow.GroupModify }), ""},
		{"indirect group without a bucket", group13(openflow.GroupTypeIndirect, 7), ""},
		{"bucket to itself", group13(openflow.GroupTypeAll, 7, bucket13(0, none, openflow.Group(7))), "taken"},
		{"weight in a group of type all", group13(openflow.GroupTypeAll, 7, bucket13(3, none)), ""},
		{"weight in an indirect group", group13(openflow.GroupTypeIndirect, 7, bucket13(1, none)), ""},
		{"select group without a weight", group13(openflow.GroupTypeSelect, 7, bucket13(0, none), bucket13(0, none)), ""},
		{"fast failover that watches nothing", group13(openflow.GroupTypeFastFailover, 7, bucket13(0, none)), ""},
		{"bucket to port 0", group13(openflow.GroupTypeAll, 7, bucket13(0, none, openflow.Output(0))), "taken"},
		{"meter of both units", meter13(openflow.MeterFlagKbps|openflow.MeterFlagPktps, 7, drop), ""},
		{"meter that is there", meter13(openflow.MeterFlagKbps, 1, drop), ""},
		{"meter that is not there", with(meter13(openflow.MeterFlagKbps, 9, drop),
			func(m *openflow.MeterMod) { m.Command = openflow.MeterModify }), ""},
		{"meter 0", meter13(openflow.MeterFlagKbps, 0, drop), ""},
		{"band of rate 0", meter13(openflow.MeterFlagKbps, 7, openflow.Band{Type: openflow.BandDrop}), ""},
		{"band of type 9", meter13(openflow.MeterFlagKbps, 7, openflow.Band{Type: 9, Rate: 1}), ""},
		{"port that is not there", &openflow.PortMod{Port: 9}, ""},
		{"address of another port", &openflow.PortMod{Port: 1}, ""},
		{"packet-out from a port that cannot be",
			&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: 0xffffff17, Data: make([]byte, 60)}, ""},
		{"packet-out to port 0", &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: 1, Data: make([]byte, 60),
			Actions: []openflow.Action{openflow.Output(0)}}, "taken"},
		{"packet-out of an unknown buffer", &openflow.PacketOut{Buffer: 5, InPort: 1}, ""},
		{"counters of a port that is not there", &openflow.MultipartRequest{Body: &openflow.PortStatsRequest{Port: 9}}, "taken"},
		{"counters of a group that is not there", &openflow.MultipartRequest{Body: &openflow.GroupRequest{Group: 9}}, ""},
		{"counters of a meter that is not there", &openflow.MultipartRequest{Body: &openflow.MeterRequest{Meter: 9}}, ""},
	}
}

// TestOpenvSwitchRefusesTheSame: what is wrong of a message gets the same error from a Switch and
// from Open vSwitch, but for what is listed with it.
func TestOpenvSwitchRefusesTheSame(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		oracle := ofcase.NewOVS(t, l, openflow.V13)
		mine := &subject{t: t, v: openflow.V13, ports: oracle.Ports()}
		for _, w := range wrongs() {
			a, b := refusal(t, mine, w), refusal(t, oracle, w)
			want := a
			if w.ovs != "" {
				want = w.ovs
			}
			if b != want || w.ovs == a {
				t.Errorf("%s: flowtable %q, Open vSwitch %q, listed as %q", w.name, a, b, w.ovs)
			}
		}
	})
}

// refusal is the error that a message gets; "taken" if it gets none.
func refusal(t *testing.T, sw ofcase.Switch, w wrong) string {
	sw.Reset()
	first := []openflow.Message{
		group13(openflow.GroupTypeAll, 1),
		meter13(openflow.MeterFlagKbps, 1, openflow.Band{Type: openflow.BandDrop, Rate: 1}), w.message,
	}
	answer := "taken"
	for _, m := range first {
		b, err := openflow.Append(nil, openflow.V13, 0, m)
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		answer = "taken"
		for _, m := range sw.Do(ofcase.Step{Message: b}).Messages {
			if e, ok := m.(*openflow.ErrorMsg); ok {
				answer = e.Code.String()
			}
		}
	}
	return answer
}
