package schema

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestNames: each name and each number is one row's, and is found; nothing else is.
func TestNames(t *testing.T) {
	names, numbers := map[string]bool{}, map[int]bool{}
	for i := range Rows {
		row := &Rows[i]
		if names[row.Name] || row.Name == "" || row.Form == 0 || row.Field != Field(i) || row.Begin != `"`+row.Name+`":` {
			t.Errorf("row %d: %+v", i, row)
		}
		names[row.Name] = true
		if Named(row.Name) != row || Named(row.Name+"x") != nil {
			t.Errorf("%s is not found by its name", row.Name)
		}
		for _, n := range []int{row.Number, row.AlsoNumber} {
			if n > 0 && (numbers[n] || Numbered(n) != row) {
				t.Errorf("%s is not found by its number %d", row.Name, n)
			}
			numbers[n] = true
		}
	}
	for _, name := range []string{"", "o", "colour", "src_host"} {
		if r := Named(name); r != nil {
			t.Errorf("%q is %s", name, r.Name)
		}
	}
	for _, n := range []int{-1, 0, 31, 32, 1 << 29} {
		if r := Numbered(n); r != nil {
			t.Errorf("%d is %s", n, r.Name)
		}
	}
}

// TestValues: names of values and their numbers.
func TestValues(t *testing.T) {
	kind, op := &Rows[Kind], &Rows[Op]
	for _, c := range []struct {
		row  *Row
		name string
		n    uint64
		ok   bool
	}{{kind, "host-to-host", 1, true}, {kind, "path", 5, true}, {kind, "", 0, false}, {kind, "ring", 0, false},
		{op, "create", 0, true}, {op, "withdraw", 2, true}} {
		if n, ok := c.row.ValueOf(c.name); n != c.n || ok != c.ok {
			t.Errorf("%s %q: %d, %t", c.row.Name, c.name, n, ok)
		}
	}
	if got := kind.Names(); !slices.Equal(got, KindNames[1:]) {
		t.Errorf("kinds %q", got)
	}
	content, request := Known(Content), Known(Request)
	if want := "op, if_match, key, " + content; request != want {
		t.Errorf("known in a stream: %s, want %s", request, want)
	}
	const first = "id, kind, priority, src, dst, hops, selector, wide, "
	if last := Rows[len(Rows)-1].Name; !strings.HasPrefix(content, first) || !strings.HasSuffix(content, " or "+last) {
		t.Errorf("known of one intent: %s, want %s… or %s", content, first, last)
	}
}

// TestBounds: the values of the table fit into the forms in which they are stored and sent.
func TestBounds(t *testing.T) {
	stored := 0
	for i := range Rows {
		row := &Rows[i]
		switch row.Form {
		case Text:
			if row.MaxLength <= 0 || row.MaxLength > 1024 {
				t.Errorf("%s: at most %d bytes, want a bound from 1 to 1024", row.Name, row.MaxLength)
			}
			stored += row.MaxLength
		case Enum:
			if len(row.Values) > 256 || len(row.Values) == 0 {
				t.Errorf("%s has %d values, want 1 to 256", row.Name, len(row.Values))
			}
		case Number:
			if row.Max > math.MaxUint16 || row.Default > row.Max {
				t.Errorf("%s: from 0 to %d, %d if it is not said: want at most %d", row.Name, row.Max, row.Default, math.MaxUint16)
			}
		}
		if row.Unserved == "" && (row.Number <= 0 || row.Number > 31 || row.AlsoNumber > 31) {
			t.Errorf("%s has the numbers %d and %d, want 1 to 31", row.Name, row.Number, row.AlsoNumber)
		}
	}
	if stored > 8<<10 {
		t.Errorf("texts have up to %d bytes, want at most 8 KiB: a content is held in memory, and sent to the store as a whole", stored)
	}
	for _, c := range []struct {
		f    Field
		want string
	}{{ID, "text in UTF-8 of at most 128 bytes"}, {Op, "one of create, put, withdraw"}, {Wide, "true or false"},
		{Priority, "a whole number from 0 to 19999"}, {Src, "a host or connect points"}, {Hops, "hops"},
		{Selector, "match fields"}, {Constraints, "an object"}} {
		if got := Rows[c.f].Want(); got != c.want {
			t.Errorf("%s takes %q, want %q", Rows[c.f].Name, got, c.want)
		}
	}
}
