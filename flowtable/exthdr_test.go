package flowtable

import (
	"testing"

	"github.com/weirnet/weir/packet"
)

// TestExtensionBits: the headers of a packet, given by their numbers, and what ipv6_exthdr says of
// them.
func TestExtensionBits(t *testing.T) {
	const hop, dest, route, frag, auth, esp, none, udp = 0, 60, 43, 44, 51, 50, 59, 17
	for _, c := range []struct {
		headers []byte
		want    uint64
	}{
		{[]byte{udp}, 0},
		{[]byte{none}, extNoNext},
		{[]byte{esp}, extESP},
		{[]byte{hop, udp}, extHop},
		{[]byte{hop, dest, route, frag, auth, dest, udp}, extHop | extDest | extRouter | extFrag | extAuth},
		{[]byte{hop, dest, route, frag, auth, esp}, extHop | extDest | extRouter | extFrag | extAuth | extESP},
		{[]byte{dest, dest, udp}, extDest},
		{[]byte{dest, dest, dest, udp}, extDest | extUnexpectedRep},
		{[]byte{route, dest, udp}, extRouter | extDest},
		{[]byte{frag, route, udp}, extFrag | extRouter | extUnexpectedSeq},
		{[]byte{route, hop, udp}, extRouter | extHop | extUnexpectedSeq},
		{[]byte{auth, auth, udp}, extAuth | extUnexpectedRep},
		{[]byte{dest, none}, extDest | extNoNext},
	} {
		ip := make(packet.IPv6, packet.IPv6Len)
		ip[0], ip[6] = 0x60, c.headers[0]
		for i, h := range c.headers[:len(c.headers)-1] {
			next := []byte{c.headers[i+1], 0, 0, 0, 0, 0, 0, 0}
			if h == auth {
				next[1] = 1 // 12 bytes
				next = append(next, 0, 0, 0, 0)
			}
			ip = append(ip, next...)
			ip[5] += byte(len(next))
		}
		if got := extensionBits(ip); got != c.want {
			t.Errorf("%v: %09b, want %09b", c.headers, got, c.want)
		}
	}
}

// TestExtensionsEndWithThePacket: what follows it in the frame is padding.
func TestExtensionsEndWithThePacket(t *testing.T) {
	ip := make(packet.IPv6, packet.IPv6Len+16)
	ip[0], ip[6], ip[5] = 0x60, packet.ProtoDstOpts, 8
	ip[packet.IPv6Len] = packet.ProtoRouting
	ip[packet.IPv6Len+8] = packet.ProtoNone
	if got := extensionBits(ip); got != extDest|extRouter { // named, and then missing
		t.Errorf("%09b", got)
	}
}

// TestExtensionsAreMatched: an entry for packets with a routing header finds them.
func TestExtensionsAreMatched(t *testing.T) {
	b := newBed(t, Config{})
	b.must(flow(t, 1, "eth_type=0x86dd,ipv6_exthdr=0x20/0x20", "apply:[output:2]"))
	plain := packet.AppendUDP(nil, &packet.Key{EtherType: packet.TypeIPv6, VLAN: packet.VLANPresent | 5}, nil)
	b.Receive(1, plain, 0, &b.out)
	if got := b.out.take(); got != "" {
		t.Errorf("without: %s", got)
	}
	routed := insertAt(plain, 18+packet.IPv6Len, []byte{packet.ProtoUDP, 0, 0, 0, 0, 0, 0, 0})
	routed[18+6], routed[18+5] = packet.ProtoRouting, routed[18+5]+8
	b.Receive(1, routed, 0, &b.out)
	if got := b.out.take(); got == "" {
		t.Error("with: nothing")
	}
}
