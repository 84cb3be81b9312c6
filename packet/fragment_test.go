package packet

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// echoKey is of an echo request between two stations.
func echoKey(six bool) Key {
	k := Key{EthDst: MAC{2, 0, 0, 0, 0, 2}, EthSrc: MAC{2, 0, 0, 0, 0, 1}, EtherType: TypeIPv4, VLAN: VLANPresent | 7,
		IPSrc: AddrFrom4([4]byte{198, 18, 0, 1}), IPDst: AddrFrom4([4]byte{198, 18, 0, 2}), ICMPType: ICMPv4EchoRequest}
	if six {
		k.EtherType, k.ICMPType = TypeIPv6, ICMPv6EchoRequest
		k.IPSrc, k.IPDst = Addr{0: 0x20, 1: 1, 15: 1}, Addr{0: 0x20, 1: 1, 15: 2}
	}
	return k
}

// TestFragments cuts packets and puts them together again: every byte is in one part, no part is
// longer than the MTU, and all but the last end at a multiple of eight bytes.
func TestFragments(t *testing.T) {
	for _, six := range []bool{false, true} {
		for _, size := range []int{0, 56, 1472, 1473, 9999, 65000} {
			payload := make([]byte, size)
			for i := range payload {
				payload[i] = byte(i * 7)
			}
			k := echoKey(six)
			whole := AppendICMPEcho(nil, &k, 5, 6, payload)
			for _, mtu := range []int{576, 1280, 1500, 9000} {
				list, ok := AppendFragments(nil, whole, mtu, 0xabcd)
				if !ok {
					t.Fatalf("IPv6 %v, %d bytes, MTU %d: not cut", six, size, mtu)
				}
				holdTogether(t, whole, list, mtu)
			}
		}
	}
}

func holdTogether(t *testing.T, whole []byte, list [][]byte, mtu int) {
	t.Helper()
	_, _, _, etherType, at, _ := ParseEthernet(whole)
	all, _ := ParsePart(etherType, whole[at:])
	var got []byte
	for i, f := range list {
		p, ok := ParsePart(etherType, f[at:])
		if !ok || p.Offset != len(got) || p.Len != len(p.Payload) || p.More != (i < len(list)-1) || len(f)-at > mtu {
			t.Fatalf("part %d of %d: %v, offset %d of %d bytes, more %v, packet of %d bytes", i, len(list), ok, p.Offset,
				p.Len, p.More, len(f)-at)
		}
		if p.Src != all.Src || p.Dst != all.Dst || p.Proto != all.Proto || !bytes.Equal(f[:12], whole[:12]) {
			t.Fatalf("part %d: %+v, want %+v", i, p, all)
		}
		if len(list) > 1 && p.ID != 0xabcd || p.Whole() != (len(list) == 1) {
			t.Fatalf("part %d: id %#x", i, p.ID)
		}
		if etherType == TypeIPv4 && !IPv4(f[at:]).ChecksumOK() {
			t.Fatalf("part %d: wrong checksum", i)
		}
		got = append(got, p.Payload...)
	}
	if !bytes.Equal(got, all.Payload) {
		t.Fatalf("%d bytes in %d parts are not the %d of the whole", len(got), len(list), len(all.Payload))
	}
}

func TestFragmentsRefuses(t *testing.T) {
	k := NewARPRequest(MAC{2}, [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2})
	four, six := echoKey(false), echoKey(true)
	for name, c := range map[string]struct {
		frame []byte
		mtu   int
	}{
		"arp":                {append(AppendARP(nil, &k), make([]byte, 100)...), 60},
		"short":              {make([]byte, 20), 1500},
		"no room":            {AppendICMPEcho(nil, &four, 1, 1, make([]byte, 100)), 27},
		"no room for header": {AppendICMPEcho(nil, &six, 1, 1, make([]byte, 100)), 55},
	} {
		if list, ok := AppendFragments(nil, c.frame, c.mtu, 1); ok || len(list) != 0 {
			t.Errorf("%s: %d parts", name, len(list))
		}
	}
}

// TestParsePartOfExtensions: options before a fragment header and after it.
func TestParsePartOfExtensions(t *testing.T) {
	k := echoKey(true)
	k.VLAN = 0
	frame := AppendICMPEcho(nil, &k, 1, 2, make([]byte, 8))
	b := frame[EthernetLen:]
	hop := []byte{ProtoFragment, 0, 1, 4, 0, 0, 0, 0}
	frag := []byte{ProtoDstOpts, 0, 0, 1, 0, 0, 0, 9}
	opts := []byte{ProtoICMPv6, 0, 1, 4, 0, 0, 0, 0}
	with := append([]byte{}, b[:IPv6Len]...)
	for _, x := range [][]byte{hop, frag, opts, b[IPv6Len:]} {
		with = append(with, x...)
	}
	with[6] = ProtoHopByHop
	binary.BigEndian.PutUint16(with[4:], uint16(len(with)-IPv6Len))
	p, ok := ParsePart(TypeIPv6, with)
	if !ok || p.Proto != ProtoICMPv6 || p.ID != 9 || !p.More || p.Len != 16 || !bytes.Equal(p.Payload, b[IPv6Len:]) {
		t.Errorf("%v %+v", ok, p)
	}
	for n := range len(with) - 16 {
		if p, ok := ParsePart(TypeIPv6, with[:n]); ok {
			t.Fatalf("cut at %d: %+v", n, p)
		}
	}
}
