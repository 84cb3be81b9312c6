package spec

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/netview"
)

// everyForm are rows with a member each, one of each form that has one value. Format 3 lists those
// that have no place elsewhere; here they stand for fields that are still to come.
func everyForm() []*schema.Row {
	return []*schema.Row{&schema.Rows[schema.ID], &schema.Rows[schema.Kind], &schema.Rows[schema.Priority],
		&schema.Rows[schema.Wide]}
}

// readList reads a list of values in hexadecimal.
func readList(t *testing.T, text string) (Spec, reader) {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	r := reader{rest: b}
	var s Spec
	s.setDefaults(everyForm())
	r.values(&s, everyForm())
	return s, r
}

// TestValueLists: the bytes of lists of values, which are in stores and never change.
func TestValueLists(t *testing.T) {
	for _, c := range []struct {
		s    Spec
		form string
	}{
		{Spec{Priority: 100}, "0000"},
		{Spec{Priority: 100, Wide: true}, "0001 0e"},
		{Spec{Priority: 0}, "0003 04 0000"},
		{Spec{ID: "web", Priority: 100}, "0006 02 0003 776562"},
		{Spec{ID: "a", Kind: Path, Priority: 258, Wide: true}, "000a 02 0001 61 03 05 04 0102 0e"},
	} {
		form := strings.ReplaceAll(c.form, " ", "")
		if got := hex.EncodeToString(c.s.appendValues(nil, everyForm())); got != form {
			t.Errorf("%s: list %s, want %s", &c.s, got, form)
		}
		got, r := readList(t, form+"ffee") // what follows is left
		if !reflect.DeepEqual(got, c.s) || r.short || r.unknown != 0 || !bytes.Equal(r.rest, []byte{0xff, 0xee}) {
			t.Errorf("list %s is read as %s, short %t, unknown %d, left %x", form, &got, r.short, r.unknown, r.rest)
		}
		b, _ := hex.DecodeString(form)
		r = reader{rest: b, form: string(b)}
		var again Spec
		again.setDefaults(everyForm())
		if r.values(&again, everyForm()); !reflect.DeepEqual(again, c.s) {
			t.Errorf("list %s is read, with texts of its own, as %s", form, &again)
		}
	}
}

// TestValueListsRefused: lists that are cut off, and fields that this version does not know.
func TestValueListsRefused(t *testing.T) {
	for form, unknown := range map[string]int{"": 0, "00": 0, "0001": 0, "0006 02 0003 7765": 0, "0003 02 0003": 0, "0001 04": 0,
		"0001 0f": 15, "0002 0e 1f": 31, "0003 0f ffff": 15} {
		if got, r := readList(t, form); r.unknown != unknown || unknown == 0 && !r.short {
			t.Errorf("list %s is read as %s, short %t, unknown %d, want %d", form, &got, r.short, r.unknown, unknown)
		}
	}
}

// TestValuesChecked: the table's bounds hold for each form.
func TestValuesChecked(t *testing.T) {
	for _, c := range []struct {
		s    Spec
		want string
	}{
		{Spec{ID: strings.Repeat("a", 128), Kind: Path, Priority: PriorityMax}, ""},
		{Spec{ID: strings.Repeat("a", 129)}, "id: 129 bytes given, want text in UTF-8 of at most 128 bytes"},
		{Spec{ID: "a\xff"}, `id: "a\xff" given, want text in UTF-8 of at most 128 bytes`},
		{Spec{Kind: 6}, "kind: 6 given, want one of host-to-host, point-to-point, multipoint-to-point, point-to-multipoint, path"},
		{Spec{Priority: 20000}, "priority: 20000 given, want a whole number from 0 to 19999"},
	} {
		err := c.s.checkValues(everyForm())
		if got := ""; err != nil {
			got = err.Error()
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		} else if got != c.want {
			t.Errorf("%+v: taken, want %s", c.s, c.want)
		}
	}
}

// TestValueTexts: what String says of a value.
func TestValueTexts(t *testing.T) {
	s := Spec{ID: `a "b"`, Kind: Path, Priority: 7, Wide: true}
	var b []byte
	for _, row := range everyForm() {
		b = s.value(row).appendText(b, row)
	}
	if got, want := string(b), ` id "a \"b\"" kind path priority 7 wide`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var none Spec
	if got := none.value(&schema.Rows[schema.ID]).appendText(nil, &schema.Rows[schema.ID]); len(got) > 0 {
		t.Errorf("nothing is said, and shown as %q", got)
	}
}

// TestFormats: format 3 is of a spec with a listed value only, and an unknown field of one is named.
func TestFormats(t *testing.T) {
	const rest = "0000000000000001 00000001 0000000000000002 00000002"
	for form, want := range map[string]string{
		"00": "format 0, want 1, 2 or 3", "04": "format 4, want 1, 2 or 3",
		"03 02 0064 01 61 0001 0e" + rest:       "not in the one form", // all of it is said in format 1
		"03 02 0064 01 61 0000" + rest:          "not in the one form", // it does not fix who sends
		"03 02 0064 01 61 0004 0e 1f 01" + rest: `intent "a": field number 31, which this version does not know`,
		"03 02 0064 01 61 ffff 0e" + rest:       "too short for a point-to-point",
	} {
		b, err := hex.DecodeString(strings.ReplaceAll(form, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if s, err := Parse(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v, want %s", form, &s, err, want)
		}
	}
}

// FuzzValues: what is read of a list is written as the list it was, or is not in its one form; a
// second reading gives the same.
func FuzzValues(f *testing.F) {
	for _, s := range []Spec{{Priority: 100}, {ID: "web", Kind: Path, Priority: 7, Wide: true}} {
		f.Add(s.appendValues(nil, everyForm()))
	}
	f.Add([]byte{0, 1, 15})
	f.Fuzz(func(t *testing.T, b []byte) {
		read := func(b []byte, form string) (Spec, reader) {
			r := reader{rest: slices.Clone(b), form: form}
			var s Spec
			s.setDefaults(everyForm())
			r.values(&s, everyForm())
			return s, r
		}
		s, r := read(b, "")
		if shared, q := read(b, string(b)); !reflect.DeepEqual(s, shared) || q.short != r.short || q.unknown != r.unknown {
			t.Fatalf("%x is read as %+v, and with texts of its own as %+v", b, s, shared)
		}
		if r.short || r.unknown > 0 || s.checkValues(everyForm()) != nil {
			return
		}
		form := s.appendValues(nil, everyForm())
		if again, q := read(form, ""); q.short || q.unknown > 0 || len(q.rest) > 0 || !reflect.DeepEqual(again, s) {
			t.Fatalf("%x is read as %+v, written as %x and read as %+v", b, s, form, again)
		}
	})
}

// TestSourceBehindValues: an address is found in a form with a list, too.
func TestSourceBehindValues(t *testing.T) {
	s := Spec{Kind: PointToPoint, Priority: 100, Src: []End{{Point: netview.Point{DPID: 1, Port: 1}}},
		Dst: []End{{Point: netview.Point{DPID: 2, Port: 2}}}}
	if err := s.Selector.SetText("ipv4_src", "10.0.0.1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	form := s.Append(nil)
	listed := slices.Concat([]byte{format3}, form[1:headLen], []byte{0, 1, 14}, form[headLen:])
	for _, f := range [][]byte{form, listed} {
		if a, ok := SourceIn(string(f)); !ok || a.String() != "10.0.0.1" {
			t.Errorf("%x: source %v, %t", f, a, ok)
		}
	}
}
