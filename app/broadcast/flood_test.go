package broadcast

import "testing"

// TestAPortHasItsShareOfFloods: a port has its share of what is handed out everywhere in a second.
func TestAPortHasItsShareOfFloods(t *testing.T) {
	var q floodQuota
	for second := range uint32(2) {
		for port, want := range map[uint32]int{1: FloodsPort, 7: FloodsPort, 1 << 30: FloodsPort} {
			n := 0
			for range 200 {
				if q.take(port, second+1) {
					n++
				}
			}
			if n != want {
				t.Errorf("second %d: port %d flooded %d times, want %d", second, port, n, want)
			}
		}
	}
}
