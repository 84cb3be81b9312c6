package emu

import (
	"testing"

	"github.com/weirnet/weir/emu/profile"
)

// FuzzCargo looks at any frame: its payload is one that a packet can have, and what has no room for
// an IP header is no fragment.
func FuzzCargo(f *testing.F) {
	n, _ := acting(&testing.T{}, "linear:1,hosts=2", curve)
	a, b := n.Hosts()[0], n.Hosts()[1]
	f.Add([]byte(nil))
	f.Add(frameBetween(a, b, 64))
	f.Add(fragment(a, b, 7, 0, 1480, true))
	f.Add(fragment(a, b, 7, 65528, 1480, false))
	tagged := append(append([]byte{}, frameBetween(a, b, 14)[:12]...), 0x81, 0, 0, 5)
	f.Add(append(tagged, fragment(a, b, 7, 1480, 100, false)[12:]...))
	six := append(frameBetween(a, b, 14)[:12], 0x86, 0xdd, 0x60, 0, 0, 0, 0, 24, 44, 64)
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

// TestCargoOfIPv6 reads a fragment of IPv6: its place, its part, and what it shares with the
// others.
func TestCargoOfIPv6(t *testing.T) {
	frame := make([]byte, 14+40+8+100)
	frame[12], frame[13] = 0x86, 0xdd
	ip := frame[14:]
	ip[0], ip[5], ip[6] = 0x60, 108, 44
	ip[40], ip[42], ip[43], ip[47] = 58, 0x05, 0xa9, 9 // 1,448 bytes on, more to come
	if c := payloadOf(frame); c.payload != 1448+100-8 || c.last || c.fragment.id != 9 || c.fragment.proto != 58 {
		t.Errorf("%+v", c)
	}
}
