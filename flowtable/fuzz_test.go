package flowtable

import (
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// FuzzReceive: no frame makes a switch panic, whatever is done to it, and none is changed.
func FuzzReceive(f *testing.F) {
	c := conversation{}
	for _, seed := range [][]byte{udp(0), udp(5), udp(0)[:20], udp(0)[:40], {}} {
		f.Add(seed)
	}
	k := packet.NewNDSolicit(packet.MAC{2}, packet.Addr{1}, packet.Addr{2})
	f.Add(packet.AppendND(nil, &k, 0))
	f.Add(sctpOf(packet.AppendUDP(nil, &packet.Key{EtherType: packet.TypeIPv6}, make([]byte, 8))))
	f.Add(c.mpls(udp(0), "16:7/17:6"))
	b := newBed(f, Config{Buffers: 2})
	b.SetMiss(true)
	group := &openflow.GroupMod{Kind: openflow.GroupTypeAll, Group: 1}
	for _, do := range []string{
		"[push_vlan:0x8100,push_vlan:0x88a8,pop_vlan,output:2]",
		"[push_mpls:0x8847,push_mpls:0x8848,copy_ttl_in,copy_ttl_out,dec_mpls_ttl,pop_mpls:0x0800,output:2]",
		"[pop_mpls:0x0800,dec_nw_ttl,output:2]", "[set_nw_ttl:9,set_mpls_ttl:9,output:2]", "[output:controller]",
		"[set_field:1->udp_src,set_field:1->tcp_dst,set_field:1->sctp_src,set_field:1->icmpv4_code,set_field:1->icmpv6_type,output:2]",
		"[set_field:10.0.0.1->ipv4_src,set_field:fe80::1->ipv6_dst,set_field:fe80::1->ipv6_src,set_field:1->ip_dscp,set_field:1->ip_ecn,output:2]",
		"[set_field:1->ipv6_flabel,set_field:fe80::1->ipv6_nd_target,set_field:00:00:00:00:00:01->ipv6_nd_sll,set_field:00:00:00:00:00:01->ipv6_nd_tll,output:2]",
		"[set_field:1->arp_op,set_field:10.0.0.1->arp_spa,set_field:10.0.0.1->arp_tpa,set_field:00:00:00:00:00:01->arp_sha,set_field:00:00:00:00:00:01->arp_tha,output:2]",
		"[set_field:1->vlan_vid,set_field:1->vlan_pcp,set_field:1->mpls_label,set_field:1->mpls_tc,output:2]",
	} {
		in, err := openflow.ParseInstruction("apply:" + do)
		if err != nil {
			f.Fatal(err)
		}
		group.Buckets = append(group.Buckets,
			openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny, Actions: in.Actions})
	}
	if err := b.GroupMod(openflow.V13, group, 0, &b.out); err != nil {
		f.Fatal(err)
	}
	b.must(flow(f, 1, "in_port=1", "apply:[group:1];write:[group:1];goto_table:1"))
	f.Fuzz(func(t *testing.T, frame []byte) {
		before := string(frame)
		b.Receive(1, frame, 0, &b.out)
		b.Receive(2, frame, 0, &b.out)
		if string(frame) != before {
			t.Error("the frame changed")
		}
		b.out.take()
	})
}

// FuzzMessages: no message makes a switch panic or come into disorder, and what it has then done
// stays in order under frames and time.
func FuzzMessages(f *testing.F) {
	group := &openflow.GroupMod{Group: 1,
		Buckets: []openflow.Bucket{{WatchPort: 1, WatchGroup: openflow.GroupAny, Actions: []openflow.Action{openflow.Output(1)}}}}
	group.Kind = openflow.GroupTypeFastFailover
	timed := flow(f, 1, "eth_type=0x0800,ip_proto=17,udp_dst=53", "apply:[set_field:9->udp_dst,group:1,output:2];goto_table:1")
	timed.IdleTimeout, timed.Buffer = 1, 0x10000
	gone := flow(f, 1, "vlan_vid=any", "")
	gone.Command, gone.Table = openflow.FlowDelete, openflow.TableAll
	for _, m := range []openflow.Message{
		timed, gone, group, flow(f, 3, "in_port=1,metadata=0x1/0x3", "meter:1;clear;write:[pop_vlan,push_mpls:0x8847,output:3]"),
		&openflow.MeterMod{Meter: 1, Flags: openflow.MeterFlagKbps, Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 1}}},
		&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController, Data: udp(3),
			Actions: []openflow.Action{openflow.Output(openflow.PortTable)}},
		&openflow.PortMod{Port: 1, HWAddr: [6]byte{2, 0, 0, 0, 0, 1}, Config: 1, Mask: 1}, &openflow.TableMod{Table: 1},
		&openflow.MultipartRequest{Body: &openflow.FlowRequest{
			FlowFilter: openflow.FlowFilter{Table: openflow.TableAll, OutPort: 2, OutGroup: openflow.GroupAny}}},
	} {
		wire, err := openflow.Append(nil, openflow.V13, 1, m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire, wire)
	}
	old, err := openflow.Append(nil, openflow.V10, 1, flow(f, 1, "in_port=1", "apply:[set_vlan_vid:5,enqueue:1:7,output:2]"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(old, old)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		b := newBed(t, Config{Tables: 3, MaxEntries: 3, Evict: true, Buffers: 2, Handles: true})
		for i, wire := range [][]byte{first, second, first} {
			h, m, err := openflow.Parse(wire)
			if err != nil {
				return
			}
			b.take(h.Version, m)
			b.Receive(1, udp(uint16(i)), b.now, &b.out)
			b.now += 600e6
			b.Expire(b.now, &b.out)
		}
	})
}

// take gives a message to the method that it is for.
func (b *bed) take(v openflow.Version, m openflow.Message) {
	switch m := m.(type) {
	case *openflow.FlowMod:
		_ = b.FlowMod(v, m, b.now, &b.out)
	case *openflow.GroupMod:
		_ = b.GroupMod(v, m, b.now, &b.out)
	case *openflow.MeterMod:
		_ = b.MeterMod(v, m, b.now, &b.out)
	case *openflow.PortMod:
		_ = b.PortMod(v, m, b.now, &b.out)
	case *openflow.TableMod:
		_ = b.TableMod(v, m, b.now, &b.out)
	case *openflow.PacketOut:
		_ = b.PacketOut(v, m, b.now, &b.out)
	case *openflow.MultipartRequest:
		if body, err := b.Multipart(v, m.Body, b.now); err == nil {
			if _, err := (&openflow.MultipartReply{Body: body}).Append(nil, v); err != nil {
				b.t.Errorf("an answer that cannot be written: %v", err)
			}
		}
	}
}
