package process

import "testing"

// TestHeadroom: a large heap has little garbage, a small one as much as Go's default, and more that
// lives never means less room.
func TestHeadroom(t *testing.T) {
	for live, want := range map[uint64]int{0: 100, ampleHeap: 100, 1 << 30: 28, 16 << 30: 13} {
		if got := headroom(live, ampleHeap); got != want {
			t.Errorf("%d bytes live: %d percent, want %d", live, got, want)
		}
	}
	if got := headroom(1<<30, busyHeap); got != 17 {
		t.Errorf("while much goes soon: %d percent", got)
	}
	last := uint64(0)
	for live := uint64(1 << 20); live < 1<<40; live += live / 3 {
		room := live * uint64(headroom(live, ampleHeap)+1) / 100
		if room < last {
			t.Fatalf("%d bytes live: room for %d, and less had room for %d", live, room, last)
		}
		last = live * uint64(headroom(live, ampleHeap)) / 100
	}
}
