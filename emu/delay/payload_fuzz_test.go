package delay

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/packet"
)

// datagram is a frame of so many bytes with a packet of UDP.
func datagram(size int) []byte {
	k := packet.Key{EthDst: packet.MAC{2, 0, 0, 0, 0, 2}, EthSrc: packet.MAC{2, 0, 0, 0, 0, 1}, EtherType: packet.TypeIPv4,
		IPSrc: packet.AddrFrom4([4]byte{10, 0, 0, 1}), IPDst: packet.AddrFrom4([4]byte{10, 0, 0, 2})}
	return packet.AppendUDP(nil, &k, make([]byte, size-packet.EthernetLen-packet.IPv4Len-packet.UDPLen))
}

// FuzzPayload looks at any frame: its payload is one that a packet can have, and what has no room for
// an IP header is no fragment.
func FuzzPayload(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(datagram(64))
	parts, ok := packet.AppendFragments(nil, datagram(2000), 1500, 7)
	if !ok {
		f.Fatal("no fragments")
	}
	f.Add(parts[0])
	far := slices.Clone(parts[1]) // ends beyond what a packet can have
	far[packet.EthernetLen+6], far[packet.EthernetLen+7] = 0x1f, 0xff
	f.Add(far)
	f.Add(slices.Insert(slices.Clone(parts[1]), 12, 0x81, 0, 0, 5))
	six := append(datagram(64)[:12], 0x86, 0xdd, 0x60, 0, 0, 0, 0, 24, 44, 64)
	six = append(six, make([]byte, 32)...)
	f.Add(append(six, 58, 0, 0x05, 0xa9, 0, 0, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
	f.Fuzz(func(t *testing.T, frame []byte) {
		c := payloadOf(frame)
		if c.payload < 1 || c.payload > profile.MaxPayload {
			t.Fatalf("payload %d", c.payload)
		}
		if !c.last && len(frame) < 14+20 {
			t.Fatalf("a fragment of nothing: %+v", c)
		}
	})
}

// TestPayloadOfIPv6 reads a fragment of IPv6: its place, its part, and what it shares with the
// others.
func TestPayloadOfIPv6(t *testing.T) {
	frame := make([]byte, 14+40+8+100)
	frame[12], frame[13] = 0x86, 0xdd
	ip := frame[14:]
	ip[0], ip[5], ip[6] = 0x60, 108, 44
	ip[40], ip[42], ip[43], ip[47] = 58, 0x05, 0xa9, 9 // 1,448 bytes on, more to come
	if c := payloadOf(frame); c.payload != 1448+100-8 || c.last || c.fragment.id != 9 || c.fragment.proto != 58 {
		t.Errorf("%+v", c)
	}
}
