package window

import "testing"

func TestAnswersCountOnce(t *testing.T) {
	w := New(2)
	a, _ := w.Take(1, -1)
	b, _ := w.Take(2, -1)
	if _, ok := w.Take(3, -1); ok {
		t.Error("a third packet in a window of two")
	}
	if s, ok := w.Answer(b); !ok || s.Intended != 2 {
		t.Error("the second packet's answer is not taken")
	}
	if _, ok := w.Answer(b); ok {
		t.Error("one packet is answered twice")
	}
	c, _ := w.Take(4, -1)
	if _, ok := w.Answer(b); ok || c == b {
		t.Error("a late answer is taken for that of the next packet")
	}
	w.Abandon()
	if _, ok := w.Answer(a); ok || w.Waiting() != 0 {
		t.Error("a packet that was given up is answered")
	}
}
