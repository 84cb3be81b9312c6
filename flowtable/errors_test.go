package flowtable

import (
	"errors"
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestErrors are those that no conversation meets: bounds, and what a parser lets nobody ask for.
func TestErrors(t *testing.T) {
	b := newBed(t, Config{MaxMeters: 1})
	all := openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny}
	band := openflow.Band{Type: openflow.BandDrop, Rate: 1}
	meter := func(m openflow.MeterMod) error { return b.MeterMod(openflow.V13, &m, 0, &b.out) }
	group := func(m openflow.GroupMod) error { return b.GroupMod(openflow.V13, &m, 0, &b.out) }
	if err := meter(openflow.MeterMod{Meter: 1, Flags: openflow.MeterFlagKbps, Bands: []openflow.Band{band}}); err != nil {
		t.Fatal(err)
	}
	odd := flow(t, 1, "", "")
	odd.Command = 9
	unknown := flow(t, 1, "", "")
	unknown.Instructions = []openflow.Instruction{{Type: 7}}
	outside := flow(t, 1, "vlan_vid=any", "")
	outside.Instructions = []openflow.Instruction{openflow.Apply(openflow.SetField(openflow.FieldVLANPCP, 8))}
	tag := flow(t, 1, "", "")
	tag.Instructions = []openflow.Instruction{openflow.Apply(openflow.Action{Type: openflow.ActionSetVLANVID, ID: 4096})}
	broken := flow(t, 1, "", "")
	broken.Match.OXM = []byte{0x80, 0, 0, 9, 1}
	for _, c := range []struct {
		what string
		err  error
		code openflow.ErrorCode
	}{
		{"meter command", meter(openflow.MeterMod{Command: 3, Meter: 1}), openflow.MeterModFailedBadCommand},
		{"meters", meter(openflow.MeterMod{Meter: 2, Bands: []openflow.Band{band}}), openflow.MeterModFailedOutOfMeters},
		{"bands", meter(openflow.MeterMod{Command: openflow.MeterModify, Meter: 1,
			Bands: make([]openflow.Band, maxBands+1)}), openflow.MeterModFailedOutOfBands},
		{"meter flags", meter(openflow.MeterMod{Command: openflow.MeterModify, Meter: 1, Flags: 16}),
			openflow.MeterModFailedBadFlags},
		{"slow path", meter(openflow.MeterMod{Command: openflow.MeterAdd, Meter: openflow.MeterSlowpath}),
			openflow.MeterModFailedInvalidMeter},
		{"group command", group(openflow.GroupMod{Command: 3}), openflow.GroupModFailedBadCommand},
		{"group type", group(openflow.GroupMod{Kind: 4, Group: 1}), openflow.GroupModFailedBadType},
		{"buckets", group(openflow.GroupMod{Group: 1, Buckets: repeat(all, maxBuckets+1)}), openflow.GroupModFailedOutOfBuckets},
		{"deleted group's number", group(openflow.GroupMod{Command: openflow.GroupDelete, Group: groupMax + 1}),
			openflow.GroupModFailedInvalidGroup},
		{"flow command", b.FlowMod(openflow.V13, odd, 0, &b.out), openflow.FlowModFailedBadCommand},
		{"instruction", b.FlowMod(openflow.V13, unknown, 0, &b.out), openflow.BadInstructionUnknownInst},
		{"value of a set-field", b.FlowMod(openflow.V13, outside, 0, &b.out), openflow.BadActionBadSetArgument},
		{"vlan id", b.FlowMod(openflow.V10, tag, 0, &b.out), openflow.BadActionBadArgument},
		{"match", b.FlowMod(openflow.V13, broken, 0, &b.out), openflow.BadMatchBadLen},
	} {
		var e *Error
		if !errors.As(c.err, &e) || e.Code != c.code {
			t.Errorf("%s: %v, want %s", c.what, c.err, c.code)
		}
	}
	if b.Entries() != 0 || len(b.groups) != 0 || len(b.meters) != 1 {
		t.Error("something changed")
	}
}

func repeat(b openflow.Bucket, n int) []openflow.Bucket {
	list := make([]openflow.Bucket, n)
	for i := range list {
		list[i] = b
	}
	return list
}

// TestBucketBudget: groups that multiply a packet without end come to one.
func TestBucketBudget(t *testing.T) {
	b := newBed(t, Config{})
	var out sink
	for id := uint32(1); id <= 30; id++ {
		send := openflow.Group(id - 1)
		if id == 1 {
			send = openflow.Output(2)
		}
		bucket := openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny, Actions: []openflow.Action{send}}
		if err := b.GroupMod(openflow.V13, &openflow.GroupMod{Group: id, Buckets: repeat(bucket, 2)}, 0, &out); err != nil {
			t.Fatal(err)
		}
	}
	b.must(flow(t, 1, "", "apply:[group:30]"))
	b.Receive(1, udp(0), 0, &out)
	if out.sent == 0 || out.sent > maxBuckets {
		t.Errorf("%d frames", out.sent)
	}
	first := out.sent
	b.Receive(1, udp(0), 0, &out)
	if out.sent != 2*first {
		t.Error("the next packet has another budget")
	}
	// A packet-out that goes through the tables again and again has one budget, too.
	po := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController, Data: udp(0)}
	for range 10 {
		po.Actions = append(po.Actions, openflow.Output(openflow.PortTable))
	}
	out.sent = 0
	if err := b.PacketOut(openflow.V13, po, 0, &out); err != nil || out.sent == 0 || out.sent > maxBuckets {
		t.Errorf("%d frames, %v", out.sent, err)
	}
}

// TestFieldsWithoutMasks: a field that has no masks (OpenFlow 1.3.5, 7.2.3.7, table 12) is refused
// with one, whatever other switches do.
func TestFieldsWithoutMasks(t *testing.T) {
	for _, c := range []struct{ needs, field string }{
		{"", "in_port"}, {"", "eth_type"}, {"vlan_vid=any", "vlan_pcp"}, {"eth_type=0x0800", "ip_dscp"},
		{"eth_type=0x86dd", "ip_ecn"},
		{"eth_type=0x0800", "ip_proto"}, {"eth_type=0x0800,ip_proto=6", "tcp_src"}, {"eth_type=0x86dd,ip_proto=6", "tcp_dst"},
		{"eth_type=0x0800,ip_proto=17", "udp_src"}, {"eth_type=0x86dd,ip_proto=17", "udp_dst"},
		{"eth_type=0x0800,ip_proto=132", "sctp_src"},
		{"eth_type=0x0800,ip_proto=132", "sctp_dst"}, {"eth_type=0x0800,ip_proto=1", "icmpv4_type"},
		{"eth_type=0x0800,ip_proto=1", "icmpv4_code"},
		{"eth_type=0x86dd,ip_proto=58", "icmpv6_type"}, {"eth_type=0x86dd,ip_proto=58", "icmpv6_code"},
		{"eth_type=0x0806", "arp_op"},
	} {
		b := newBed(t, Config{})
		m := flow(t, 1, c.needs, "apply:[output:2]")
		f, ok := openflow.FieldByName(c.field)
		if !ok {
			t.Fatal(c.field)
		}
		size := int(places[f].bits+7) / 8
		value, mask := make([]byte, size), make([]byte, size)
		value[size-1], mask[size-1] = 2, 2
		m.Match.Set(f, value, mask)
		var e *Error
		if err := b.FlowMod(openflow.V13, m, 0, &b.out); !errors.As(err, &e) ||
			e.Code != openflow.BadMatchBadMask || b.Entries() != 0 {
			t.Errorf("%s with a mask: %v, %d entries", c.field, err, b.Entries())
		}
	}
}
