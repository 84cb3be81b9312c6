//go:build real

package netlab

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
	"time"
)

// TestDummy: a frame that comes in at one port of a dummy bridge leaves another one, before the
// barrier that is sent after it is answered; and a clock that stands still goes on when it is told
// to.
func TestDummy(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		d := l.StartDummy()
		b := d.AddDummyBridge("br", 1, "1.3", 3)
		d.StopClock()
		d.Ofctl("1.3", "add-flow", "br", "in_port=1,hard_timeout=2,actions=3,2,local")
		expect13(t, b.Control, 0) // hello
		b.Control.Write([]byte{4, 0, 0, 8, 0, 0, 0, 1})
		rounds := 1000
		begin := time.Now()
		for i := range rounds {
			frame := bytes.Repeat([]byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x99, 0x99}, 5)
			frame[20] = byte(i)
			b.Receive(1, frame)
			b.Control.Write([]byte{4, 20, 0, 8, 0, 0, 0, byte(i)})
			expect13(t, b.Control, 21)
			for port, want := range map[int]int{Local: 1, 1: 0, 2: 1, 3: 1} {
				if got := b.Sent(port); len(got) != want || want == 1 && !bytes.Equal(got[0], frame) {
					t.Fatalf("frame %d: port %d sent %x, want %d of them", i, port, got, want)
				}
			}
		}
		t.Logf("%d frames in %s", rounds, time.Since(begin))
		for _, ms := range []int{1000, 990, 10} {
			d.Warp(ms, func() { d.Ofctl("1.3", "add-flow", "br", "in_port=3,actions=drop") })
			b.Receive(1, make([]byte, 60))
			b.Control.Write([]byte{4, 20, 0, 8, 0, 0, 0, 2})
			expect13(t, b.Control, 21)
			if got := b.Sent(2); len(got) != 1 {
				t.Fatalf("after %d ms more: %d frames", ms, len(got))
			}
		}
		d.Warp(10, func() { d.Ofctl("1.3", "del-flows", "br", "in_port=3") })
		b.Receive(1, make([]byte, 60))
		b.Control.Write([]byte{4, 20, 0, 8, 0, 0, 0, 3})
		expect13(t, b.Control, 21)
		if got := b.Sent(2); len(got) != 0 {
			t.Fatalf("after its time: %d frames", len(got))
		}
	})
}

// expect13 reads messages until one of a type comes.
func expect13(t *testing.T, r io.Reader, want byte) {
	t.Helper()
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(r, head); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, r, int64(binary.BigEndian.Uint16(head[2:])-8)); err != nil {
			t.Fatal(err)
		}
		if head[0] == 4 && head[1] == want {
			return
		}
	}
}
