package numbered

import "testing"

// TestTable: entries are there when asked for, and stay where they are.
func TestTable(t *testing.T) {
	var table Table[int]
	if table.End() != 0 {
		t.Errorf("an empty table ends at %d", table.End())
	}
	first := table.At(0)
	*first = 7
	*table.At(5000) = 9
	if table.At(0) != first || *first != 7 || *table.At(5000) != 9 || *table.At(4999) != 0 || table.End() <= 5000 {
		t.Errorf("entries have moved, or are %d, %d, %d, up to %d", *table.At(0), *table.At(5000), *table.At(4999), table.End())
	}
}

// TestSlots: a number is given out again when it is free, and not before; never 0.
func TestSlots(t *testing.T) {
	var s Slots[string]
	if s.At(0) != "" {
		t.Error("0 has a value")
	}
	for i, want := range []string{"a", "b", "c"} {
		if n := s.Add(want); n != uint32(i+1) || s.At(n) != want {
			t.Fatalf("%s is number %d, %q", want, n, s.At(n))
		}
	}
	s.Remove(2)
	if s.At(2) != "" || len(s.List()) != 4 {
		t.Errorf("number 2 is %q of %q", s.At(2), s.List())
	}
	if n := s.Add("d"); n != 2 || s.At(1) != "a" || s.At(2) != "d" || s.At(3) != "c" {
		t.Errorf("d is number %d of %q", n, s.List())
	}
	if n := s.Add("e"); n != 4 {
		t.Errorf("e is number %d", n)
	}
}
