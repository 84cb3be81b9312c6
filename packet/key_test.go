package packet

import (
	"net/netip"
	"testing"
)

var (
	mac1 = MAC{0, 0, 0, 0, 0, 1}
	mac2 = MAC{2, 0, 0, 0, 0, 2}
	v4a  = AddrFrom(netip.MustParseAddr("10.0.0.1"))
	v4b  = AddrFrom(netip.MustParseAddr("10.0.0.2"))
	v6a  = AddrFrom(netip.MustParseAddr("fe80::1"))
	v6b  = AddrFrom(netip.MustParseAddr("2001:db8::2"))
)

func base(v6 bool, vlan uint16) Key {
	k := Key{EthDst: mac2, EthSrc: mac1, EtherType: TypeIPv4, VLAN: vlan, IPSrc: v4a, IPDst: v4b, DSCP: 46, ECN: 1, TTL: 17,
		Layers: LayerEthernet | LayerIPv4}
	if v6 {
		k.EtherType, k.IPSrc, k.IPDst, k.FlowLabel = TypeIPv6, v6a, v6b, 0xabcde
		k.Layers = LayerEthernet | LayerIPv6
	}
	if vlan != 0 {
		k.PCP = 5
		k.Layers |= LayerVLAN
	}
	return k
}

// built is a frame and the key that it was built from.
type built struct {
	name  string
	key   Key
	frame []byte
}

// frames builds one frame of each kind that has a builder.
func frames() []built {
	var all []built
	add := func(name string, k Key, f []byte) { all = append(all, built{name, k, f}) }
	for _, vlan := range []uint16{0, VLANPresent, VLANPresent | 100} {
		for _, v6 := range []bool{false, true} {
			k := base(v6, vlan)
			k.IPProto, k.SrcPort, k.DstPort, k.Layers = ProtoUDP, 4001, 2345, k.Layers|LayerUDP
			add("udp", k, AppendUDP(nil, &k, []byte("odd")))
			k = base(v6, vlan)
			k.IPProto, k.SrcPort, k.DstPort, k.TCPFlags, k.Layers = ProtoTCP, 40000, 80, TCPSyn|TCPAck, k.Layers|LayerTCP
			add("tcp", k, AppendTCP(nil, &k, 1, 2, 3, []byte("hello")))
			k = base(v6, vlan)
			k.IPProto, k.ICMPType, k.Layers = ProtoICMPv4, ICMPv4EchoRequest, k.Layers|LayerICMPv4
			if v6 {
				k.IPProto, k.ICMPType, k.Layers = ProtoICMPv6, ICMPv6EchoRequest, k.Layers&^LayerICMPv4|LayerICMPv6
			}
			add("echo", k, AppendICMPEcho(nil, &k, 7, 8, []byte("ping")))
		}
		arp := NewARPRequest(mac1, v4a.As4(), v4b.As4())
		reply := NewARPReply(mac2, v4b.As4(), mac1, v4a.As4())
		ns := NewNDSolicit(mac1, v6a, v6b)
		na := NewNDAdvert(mac2, v6b, mac1, v6a)
		for _, k := range []*Key{&arp, &reply, &ns, &na} {
			if k.VLAN = vlan; vlan != 0 {
				k.Layers |= LayerVLAN
			}
		}
		add("arp-request", arp, AppendARP(nil, &arp))
		add("arp-reply", reply, AppendARP(nil, &reply))
		add("nd-solicit", ns, AppendND(nil, &ns, 0))
		add("nd-advert", na, AppendND(nil, &na, NDSolicited|NDOverride))
	}
	return all
}

func TestParseKeyYieldsTheTemplate(t *testing.T) {
	for _, b := range frames() {
		var k Key
		if _, fault := ParseKey(b.frame, &k); fault != FaultNone || k != b.key {
			t.Errorf("%s: fault %v\n got %v\nwant %v", b.name, fault, &k, &b.key)
		}
	}
}

// TestTruncation parses every prefix of every frame: nothing panics, the end is within the frame,
// and fields of whole headers stay.
func TestTruncation(t *testing.T) {
	for _, b := range frames() {
		var whole Key
		wholeEnd, _ := ParseKey(b.frame, &whole)
		for n := range b.frame {
			var k Key
			end, fault := ParseKey(b.frame[:n:n], &k)
			if end > n {
				t.Fatalf("%s cut at %d: end %d", b.name, n, end)
			}
			if n < wholeEnd && fault == FaultNone && !k.Layers.Has(LayerTruncated) { // between two options only the length tells
				t.Errorf("%s cut at %d of %d: no fault", b.name, n, wholeEnd)
			}
			if k.Layers&^LayerTruncated&^whole.Layers != 0 {
				t.Errorf("%s cut at %d: layers %b of %b", b.name, n, k.Layers, whole.Layers)
			}
			if k.Layers.Has(LayerEthernet) && k.EthSrc != whole.EthSrc {
				t.Errorf("%s cut at %d: eth_src %v", b.name, n, k.EthSrc)
			}
			_, _, _, _, payload, ok := ParseEthernet(b.frame[:n:n])
			if payload > n || ok != (k.Layers.Has(LayerEthernet) && fault != FaultVLAN) {
				t.Errorf("%s cut at %d: ParseEthernet ok %v, fault %v", b.name, n, ok, fault)
			}
			_ = Ethernet(b.frame[:n:n]).String()
		}
	}
}

// TestPaddingIsNoPayload: bytes after the IP packet, as of a padded 60-byte frame, are never read
// as its transport header.
func TestPaddingIsNoPayload(t *testing.T) {
	k := base(false, 0)
	frame := appendIP(nil, &k, ProtoUDP, 0)
	frame = append(frame, make([]byte, 26)...)
	var got Key
	if end, fault := ParseKey(frame, &got); fault != FaultTransport || end != 34 || got.Layers.Has(LayerUDP) {
		t.Errorf("end %d fault %v layers %b", end, fault, got.Layers)
	}
}

func TestParseEthernetAgreesWithKey(t *testing.T) {
	for _, b := range frames() {
		dst, src, vlan, etherType, payload, ok := ParseEthernet(b.frame)
		if !ok || MACFromUint64(dst) != b.key.EthDst || MACFromUint64(src) != b.key.EthSrc || vlan != b.key.VLAN ||
			etherType != b.key.EtherType {
			t.Errorf("%s: %x %x %x %x ok %v", b.name, dst, src, vlan, etherType, ok)
		}
		if want := 14 + 4*int(b.key.VLAN>>12); payload != want {
			t.Errorf("%s: payload at %d, want %d", b.name, payload, want)
		}
	}
}

func TestMAC(t *testing.T) {
	m, err := ParseMAC("00:16:3E:ab-cd:ef")
	if err == nil {
		t.Errorf("mixed separators parsed to %v", m)
	}
	m, err = ParseMAC("00-16-3E-AB-CD-EF")
	if err != nil || m.String() != "00:16:3e:ab:cd:ef" || m.Uint64() != 0x163eabcdef || MACFromUint64(m.Uint64()|7<<48) != m {
		t.Errorf("%v %v %x", m, err, m.Uint64())
	}
	for _, s := range []string{"", "00:16:3e:ab:cd", "00:16:3e:ab:cd:eg", "00:16:3e:ab:cd:ef:", "00163eabcdef",
		"0:016:3e:ab:cd:ef"} {
		if _, err := ParseMAC(s); err != ErrMAC {
			t.Errorf("ParseMAC(%q): %v", s, err)
		}
	}
	if !Broadcast.IsMulticast() || !Broadcast.IsBroadcast() || m.IsMulticast() || !LLDPMulticast.IsMulticast() ||
		LLDPMulticast.IsBroadcast() {
		t.Error("multicast or broadcast wrong")
	}
	if !(MAC{}).IsZero() || m.IsZero() {
		t.Error("zero wrong")
	}
}

// TestTruncatedTCPOptions: of a segment cut inside its options, as in a packet-in, the ports are
// known.
func TestTruncatedTCPOptions(t *testing.T) {
	k := base(false, 0)
	frame := append(AppendTCP(nil, &k, 0, 0, 0, nil), make([]byte, 20)...)
	frame[EthernetLen+3] += 20
	frame[EthernetLen+IPv4Len+12] = 0xa0
	var got Key
	if end, fault := ParseKey(frame[:60], &got); fault != FaultNone || end != 60 || !got.Layers.Has(LayerTCP|LayerTruncated) {
		t.Errorf("end %d fault %v layers %b", end, fault, got.Layers)
	}
}

// TestUDPChecksumZero: a sum that comes out as 0 is written as its other form, since 0 says that
// there is none.
func TestUDPChecksumZero(t *testing.T) {
	k := base(false, 0)
	const at = EthernetLen + IPv4Len + 6
	sum := AppendUDP(nil, &k, []byte{0, 0})[at:][:2]
	frame := AppendUDP(nil, &k, sum) // the payload makes up for what was missing
	if frame[at] != 0xff || frame[at+1] != 0xff {
		t.Errorf("checksum %x, want ffff", frame[at:at+2])
	}
}
