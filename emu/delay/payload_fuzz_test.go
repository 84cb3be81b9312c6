package delay

import (
	"encoding/binary"
	"testing"

	"github.com/weirnet/weir/emu/profile"
)

// FuzzPayload looks at any frame: its payload is one that a packet can have, and what has no room for
// an IP header is no fragment.
// frameOf is a frame of some bytes between two hosts.
func frameOf(size int) []byte {
	b := make([]byte, size)
	copy(b, []byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5})
	return b
}

// fragment is an IPv4 frame with a part of a packet: size bytes of it, from an offset.
func fragment(id uint16, offset, size int, more bool) []byte {
	b := frameOf(14 + 20 + size)
	binary.BigEndian.PutUint16(b[12:], 0x0800)
	ip := b[14:]
	ip[0], ip[8], ip[9] = 0x45, 64, 1
	binary.BigEndian.PutUint16(ip[2:], uint16(20+size))
	binary.BigEndian.PutUint16(ip[4:], id)
	place := uint16(offset / 8)
	if more {
		place |= 0x2000
	}
	binary.BigEndian.PutUint16(ip[6:], place)
	copy(ip[12:], []byte{10, 0, 0, 1, 10, 0, 0, 2})
	return b
}

func FuzzPayload(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(frameOf(64))
	f.Add(fragment(7, 0, 1480, true))
	f.Add(fragment(7, 65528, 1480, false))
	tagged := append(append([]byte{}, frameOf(14)[:12]...), 0x81, 0, 0, 5)
	f.Add(append(tagged, fragment(7, 1480, 100, false)[12:]...))
	six := append(frameOf(14)[:12], 0x86, 0xdd, 0x60, 0, 0, 0, 0, 24, 44, 64)
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
