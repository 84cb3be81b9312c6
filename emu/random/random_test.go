package random

import (
	"fmt"
	"testing"
)

// TestSequences: a seed, a kind and a number give the numbers that they have always given.
func TestSequences(t *testing.T) {
	got := ""
	for _, from := range [][3]int{{0, 0, 0}, {1, 0, 0}, {1, 6, 0}, {1, 6, 1}} {
		r := Seeded(uint64(from[0]), from[1], from[2])
		got += fmt.Sprintf("%v: %#x %.15f %.15f\n", from, r.Next(), r.Float(), r.Normal())
	}
	const want = `[0 0 0]: 0xb382a305f4414f5e 0.387124140975786 0.345057623474296
[1 0 0]: 0xf18d6ce93d6cf1ee 0.045256997737392 0.334291376868727
[1 6 0]: 0x308124e2f48a3bb7 0.692328352459766 0.433898357692960
[1 6 1]: 0x3a0cf28460b86629 0.445433602426138 0.333284619356359
`
	if got != want {
		t.Errorf("numbers are\n%swant\n%s", got, want)
	}
}
