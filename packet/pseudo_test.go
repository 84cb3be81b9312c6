package packet

import "testing"

func TestTransportChecksum(t *testing.T) {
	a4, b4 := AddrFrom4([4]byte{10, 0, 0, 1}), AddrFrom4([4]byte{10, 0, 0, 2})
	a6, b6 := Addr{0: 0xfd, 15: 1}, Addr{0: 0xfd, 15: 2}
	for _, k := range []Key{{EtherType: TypeIPv4, IPSrc: a4, IPDst: b4}, {EtherType: TypeIPv6, IPSrc: a6, IPDst: b6}} {
		at := EthernetLen + IPv4Len
		if k.EtherType == TypeIPv6 {
			at = EthernetLen + IPv6Len
		}
		udp, tcp := AppendUDP(nil, &k, []byte("odd"))[at:], AppendTCP(nil, &k, 1, 2, 3, []byte("odd"))[at:]
		if got := TransportChecksum(k.IPSrc, k.IPDst, ProtoUDP, udp); got != 0 {
			t.Errorf("UDP over %#x: %#x, want 0", k.EtherType, got)
		}
		if got := TransportChecksum(k.IPSrc, k.IPDst, ProtoTCP, tcp); got != 0 {
			t.Errorf("TCP over %#x: %#x, want 0", k.EtherType, got)
		}
		udp[len(udp)-1] ^= 1
		if TransportChecksum(k.IPSrc, k.IPDst, ProtoUDP, udp) == 0 || TransportChecksum(k.IPSrc, k.IPSrc, ProtoTCP, tcp) == 0 {
			t.Error("a wrong bit or address is not noticed")
		}
	}
}
