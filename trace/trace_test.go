package trace

import (
	"slices"
	"testing"
)

func TestWatch(t *testing.T) {
	At(PacketIn)
	var seen []Point
	end := Watch(func(p Point) { seen = append(seen, p) })
	At(Request)
	At(Durable)
	end()
	At(Published)
	if !slices.Equal(seen, []Point{Request, Durable}) {
		t.Errorf("seen: %q", seen)
	}
	first := Watch(func(Point) { t.Error("the first watcher was replaced") })
	second := Watch(func(Point) {})
	first() // ends nothing but itself
	if watcher.Load() == nil {
		t.Error("the end of the first watcher ended the second one")
	}
	At(Request)
	second()
	if n := testing.AllocsPerRun(100, func() { At(Request) }); n != 0 {
		t.Errorf("a point that nobody watches allocates %v times", n)
	}
}

// BenchmarkAt is what a point costs that nobody watches.
func BenchmarkAt(b *testing.B) {
	for b.Loop() {
		At(PacketIn)
	}
}
