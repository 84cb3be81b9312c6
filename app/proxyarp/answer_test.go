package proxyarp

import (
	"bytes"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

var (
	asker  = packet.MAC{2, 0, 0, 0, 0, 1}
	holder = packet.MAC{2, 0, 0, 0, 0, 2}
)

// answered is the answer to a frame of the asker at port 1, where the holder, at port 2, has
// 10.0.0.2 and fd00::2.
func answered(t testing.TB, frame []byte) ([]byte, bool) {
	s := newScene()
	s.facts.Update(func(tx *netview.FactsTx) {
		for i, mac := range []packet.MAC{asker, holder} {
			for _, vlan := range []uint16{0, 5} {
				tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: mac, VLAN: vlan}, State: netview.HostConfirmed,
					At: netview.Point{DPID: 1, Port: uint32(i + 1)}})
			}
		}
	})
	snap := s.view.Snapshot()
	for _, ip := range []string{"10.0.0.2", "fd00::2"} {
		for _, vlan := range []uint16{0, 5} {
			s.core.Learn(claim{address{packet.AddrFrom(netip.MustParseAddr(ip)), vlan}, holder,
				netview.Point{DPID: 1, Port: 2}}, snap)
		}
	}
	var k packet.Key
	if _, fault := packet.ParseKey(frame, &k); fault != packet.FaultNone {
		return nil, false
	}
	return s.core.Answer(nil, &k, netview.Point{DPID: 1, Port: 1}, snap)
}

func serialize(t testing.TB, list ...gopacket.SerializableLayer) []byte {
	b := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
		list...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The answers are byte for byte what gopacket builds, untagged and tagged.
func TestAnswersAreAsGopacketBuildsThem(t *testing.T) {
	for _, vlan := range []uint16{0, 5} {
		k := packet.NewARPRequest(asker, [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2})
		k.VLAN = tag(vlan)
		got, ok := answered(t, packet.AppendARP(nil, &k))
		head := func(kind layers.EthernetType) []gopacket.SerializableLayer {
			eth := &layers.Ethernet{SrcMAC: holder[:], DstMAC: asker[:], EthernetType: kind}
			if vlan == 0 {
				return []gopacket.SerializableLayer{eth}
			}
			eth.EthernetType = layers.EthernetTypeDot1Q
			return []gopacket.SerializableLayer{eth, &layers.Dot1Q{VLANIdentifier: vlan, Type: kind}}
		}
		want := serialize(t, append(head(layers.EthernetTypeARP), &layers.ARP{AddrType: layers.LinkTypeEthernet,
			Protocol: layers.EthernetTypeIPv4, HwAddressSize: 6, ProtAddressSize: 4, Operation: layers.ARPReply,
			SourceHwAddress: holder[:], SourceProtAddress: []byte{10, 0, 0, 2}, DstHwAddress: asker[:],
			DstProtAddress: []byte{10, 0, 0, 1}})...)
		if !ok || !bytes.Equal(got, want[:len(got)]) { // gopacket pads to 60 bytes
			t.Errorf("vlan %d: ARP\ngot  %x\nwant %x", vlan, got, want)
		}
		k = packet.NewNDSolicit(asker, packet.AddrFrom(netip.MustParseAddr("fd00::1")),
			packet.AddrFrom(netip.MustParseAddr("fd00::2")))
		k.VLAN = tag(vlan)
		got, ok = answered(t, packet.AppendND(nil, &k, 0))
		ip := &layers.IPv6{Version: 6, NextHeader: layers.IPProtocolICMPv6, HopLimit: 255,
			SrcIP: net.ParseIP("fd00::2"), DstIP: net.ParseIP("fd00::1")}
		icmp := &layers.ICMPv6{TypeCode: layers.CreateICMPv6TypeCode(layers.ICMPv6TypeNeighborAdvertisement, 0)}
		_ = icmp.SetNetworkLayerForChecksum(ip)
		want = serialize(t, append(head(layers.EthernetTypeIPv6), ip, icmp, &layers.ICMPv6NeighborAdvertisement{Flags: 0x40,
			TargetAddress: net.ParseIP("fd00::2"),
			Options:       layers.ICMPv6Options{{Type: layers.ICMPv6OptTargetAddress, Data: holder[:]}}})...)
		if !ok || !bytes.Equal(got, want) {
			t.Errorf("vlan %d: ND\ngot  %x\nwant %x", vlan, got, want)
		}
	}
}

// Whatever comes in, there is an answer only to a question for the holder's addresses, to its
// asker, with the truth in it.
func FuzzAnswer(f *testing.F) {
	arp := packet.NewARPRequest(asker, [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2})
	nd := packet.NewNDSolicit(asker, packet.AddrFrom(netip.MustParseAddr("fd00::1")),
		packet.AddrFrom(netip.MustParseAddr("fd00::2")))
	for _, vlan := range []uint16{0, 5} {
		arp.VLAN, nd.VLAN = tag(vlan), tag(vlan)
		f.Add(packet.AppendARP(nil, &arp))
		f.Add(packet.AppendND(nil, &nd, 0))
	}
	probe := packet.NewARPRequest(asker, [4]byte{}, [4]byte{10, 0, 0, 2})
	f.Add(packet.AppendARP(nil, &probe))
	f.Fuzz(func(t *testing.T, frame []byte) {
		got, ok := answered(t, frame)
		if !ok {
			return
		}
		var q, a packet.Key
		packet.ParseKey(frame, &q)
		if _, fault := packet.ParseKey(got, &a); fault != packet.FaultNone {
			t.Fatalf("%x was answered by a malformed frame: %x", frame, got)
		}
		if a.EthDst != q.EthSrc || a.EthSrc != holder || a.VLAN != q.VLAN || q.EthSrc == holder || !q.EthDst.IsMulticast() {
			t.Fatalf("%s was answered by %s", &q, &a)
		}
		if q.Layers.Has(packet.LayerARP) {
			if q.ARPOp != 1 || q.ARPSPA == [4]byte{} || q.ARPTPA != [4]byte{10, 0, 0, 2} || a.ARPSHA != holder ||
				a.ARPSPA != q.ARPTPA || a.ARPTPA != q.ARPSPA {
				t.Fatalf("%s was answered by %s", &q, &a)
			}
		} else if q.ICMPType != packet.NDSolicit || q.IPSrc.IsZero() || q.NDTarget.String() != "fd00::2" ||
			a.NDTarget != q.NDTarget || a.NDTLL != holder || a.IPDst != q.IPSrc {
			t.Fatalf("%s was answered by %s", &q, &a)
		}
		if packet.NewNDAdvert(holder, a.NDTarget, a.EthDst, a.IPDst).IPSrc != a.IPSrc && q.Layers.Has(packet.LayerND) {
			t.Fatalf("the answer comes from %s", a.IPSrc)
		}
	})
}

// Other packets cost a comparison; a question with its answer allocates nothing.
func TestAnswerAllocatesNothing(t *testing.T) {
	s := newScene()
	s.core.cfg.Limits.Answers = 1 << 30
	s.facts.Update(func(tx *netview.FactsTx) {
		tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: holder}, State: netview.HostConfirmed,
			At: netview.Point{DPID: 1, Port: 2}})
	})
	snap := s.view.Snapshot()
	s.core.Learn(claim{address{packet.AddrFrom4([4]byte{10, 0, 0, 2}), 0}, holder, netview.Point{DPID: 1, Port: 2}}, snap)
	k := packet.NewARPRequest(asker, [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2})
	buf := make([]byte, 0, 128)
	if n := testing.AllocsPerRun(100, func() {
		if _, ok := s.core.Answer(buf, &k, netview.Point{DPID: 1, Port: 1}, snap); !ok {
			t.Fatal("no answer")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFrameOfData(b *testing.B) {
	p := New(Config{}, netview.New(netview.Limits{}))
	k := packet.Key{Layers: packet.LayerEthernet | packet.LayerIPv4 | packet.LayerUDP, SrcPort: 4000, DstPort: 4000}
	var r Port
	pin := pinOf(1, make([]byte, 64))
	for b.Loop() {
		p.Frame(&r, nil, 1, pin, &k, 42)
	}
}

func BenchmarkQuestion(b *testing.B) {
	c := NewCore(Config{}, time.Unix(0, 0))
	snap := netview.New(netview.Limits{}).Snapshot()
	k := packet.NewARPRequest(asker, [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2})
	for b.Loop() {
		c.Answer(nil, &k, netview.Point{DPID: 1, Port: 1}, snap)
	}
}
