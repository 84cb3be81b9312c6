package admission

import (
	"fmt"
	"testing"
)

// TestRefusal walks through the back-off.
func TestRefusal(t *testing.T) {
	var r Refusal
	tried, now := []uint32{}, uint32(100)
	r.Refused(now)
	for ; now < 400; now++ {
		if r.Over(now) {
			t.Fatal("over, though every try was refused")
		}
		if r.Admits(now) {
			tried = append(tried, now-100)
			if r.Admits(now) {
				t.Fatal("two tries at once")
			}
			r.Refused(now)
		}
	}
	if want := "[1 3 7 15 31 63 123 183 243]"; fmt.Sprint(tried) != want {
		t.Errorf("tried at %v, want %s", tried, want)
	}
	if r.Over(now) || !r.Over(now+RefusedForgotten) {
		t.Error("not over in time")
	}
}

// TestQuota: ports have their shares each, high numbers one together, and are counted anew now and then.
func TestQuota(t *testing.T) {
	q := NewQuota(3)
	for _, port := range []uint32{0, 7, quotaPorts + 5} {
		for range 3 {
			if !q.Room(port) {
				t.Fatalf("port %d has no room", port)
			}
			q.Count(port)
		}
		if q.Room(port) {
			t.Errorf("port %d has room", port)
		}
	}
	if q.Room(quotaPorts+6) || !q.Room(8) {
		t.Error("high ports have shares of their own, or a low one has none")
	}
	if !q.Recount(0) || !q.Room(7) {
		t.Error("not counted anew the first time")
	}
	if q.Recount(RecountSeconds-1) || !q.Recount(RecountSeconds) {
		t.Errorf("not counted anew each %d s", RecountSeconds)
	}
}

func TestDirect(t *testing.T) {
	var d Direct
	if d.Take() {
		t.Error("a packet before the first second")
	}
	d.Second()
	for i := range DirectPerSecond + 1 {
		if d.Take() != (i < DirectPerSecond) {
			t.Fatalf("packet %d", i)
		}
	}
}
