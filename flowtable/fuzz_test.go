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
		"[push_vlan:0x8100,push_vlan:0x88a8,pop_vlan,output:2]", "[push_mpls:0x8847,push_mpls:0x8848,copy_ttl_in,copy_ttl_out,dec_mpls_ttl,pop_mpls:0x0800,output:2]",
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
		group.Buckets = append(group.Buckets, openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny, Actions: in.Actions})
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
