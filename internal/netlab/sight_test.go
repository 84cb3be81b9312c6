package netlab

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"
)

// piece is a frame of an echo: a fragment of some units of eight bytes, from an offset on.
func piece(src netip.Addr, train, seq uint16, kind byte, offset uint16, more bool) []byte {
	frame := make([]byte, 60)
	frame[12] = 8
	ip := frame[14:]
	ip[0], ip[9] = 0x45, 1
	binary.BigEndian.PutUint16(ip[4:], train)
	if more {
		offset |= 0x2000
	}
	binary.BigEndian.PutUint16(ip[6:], offset)
	a := src.As4()
	copy(ip[12:], a[:])
	ip[20] = kind
	binary.BigEndian.PutUint16(ip[26:], seq)
	return frame
}

// TestEchoes puts two echoes together, of which the second is in three fragments, of which those of
// the reply change their order; and leaves out the third, whose reply was lost.
func TestEchoes(t *testing.T) {
	a, b := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	var atA, atB []echoFrame
	see := func(list *[]echoFrame, ms int, frame []byte) {
		t.Helper()
		s, ok := parseEchoFrame(time.UnixMilli(int64(ms)), frame)
		if !ok {
			t.Fatal("an echo is not seen")
		}
		*list = append(*list, s)
	}
	see(&atA, 0, piece(a, 0, 1, 8, 0, false))
	see(&atB, 1010, piece(a, 0, 1, 8, 0, false)) // the clock of b is 1000 ms ahead
	see(&atB, 1013, piece(b, 0, 1, 0, 0, false))
	see(&atA, 20, piece(b, 0, 1, 0, 0, false))
	for i, ms := range []int{100, 101, 102} {
		see(&atA, ms, piece(a, 7, 2, 8, uint16(i*185), i < 2))
		see(&atB, ms+1005, piece(a, 7, 2, 8, uint16(i*185), i < 2))
	}
	for _, at := range [][2]int{{0, 120}, {2, 110}, {1, 130}} { // the second packet's end overtakes its beginning
		i, ms := at[0], at[1]
		see(&atB, ms+1000, piece(b, 7, 2, 0, uint16(i*185), i < 2))
		see(&atA, ms+3, piece(b, 7, 2, 0, uint16(i*185), i < 2))
	}
	see(&atA, 200, piece(a, 0, 3, 8, 0, false))
	see(&atB, 1201, piece(a, 0, 3, 8, 0, false))
	got := echoes(atA, atB, a, b)
	want := []Echo{{Seq: 1, Path: 17 * time.Millisecond}, {Seq: 2, Path: (133 - 100 - (1110 - 1107)) * time.Millisecond}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestSeeOnlyEchoes(t *testing.T) {
	a := netip.MustParseAddr("10.0.0.1")
	arp := piece(a, 0, 1, 8, 0, false)
	arp[13] = 6
	udp := piece(a, 0, 1, 8, 0, false)
	udp[14+9] = 17
	for name, frame := range map[string][]byte{"arp": arp, "udp": udp, "unreachable": piece(a, 0, 1, 3, 0, false),
		"short":  make([]byte, 20),
		"header": append(piece(a, 0, 1, 8, 0, false)[:14], 0x4f)} {
		if s, ok := parseEchoFrame(time.Now(), frame); ok {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
