package spec

import (
	"bufio"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// TestStoredContents: contents that are in stores are read as what they have always been, and
// written as they were. The file was written by the code of 9ca978d, before there was a table of
// fields; nothing rewrites it.
func TestStoredContents(t *testing.T) {
	f, err := os.Open("testdata/stored.lines")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	kinds, formats, lines := map[Kind]int{}, map[byte]int{}, bufio.NewScanner(f)
	for lines.Scan() {
		form, want, ok := strings.Cut(lines.Text(), " ")
		b, err := hex.DecodeString(form)
		if err != nil || !ok {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		s, err := Parse(b)
		if err != nil || s.String() != want {
			t.Errorf("%s is read as %s, %v, want %s", form, &s, err, want)
			continue
		}
		if s := Read(string(b)); s.String() != want {
			t.Errorf("%s is read without a check as %s, want %s", form, &s, want)
		}
		if got := hex.EncodeToString(s.Append(nil)); got != form {
			t.Errorf("%s is written as %s, want %s", &s, got, form)
		}
		if s.Check() != nil || !SameForm(string(b), s.Append(nil)) {
			t.Errorf("%s is another intent than the same request now", form)
		}
		kinds[s.Kind]++
		formats[b[0]]++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for k := HostToHost; k <= Path; k++ {
		if kinds[k] < 10 {
			t.Errorf("%d contents of kind %s: too few to say anything", kinds[k], k)
		}
	}
	if len(formats) != 2 || formats[format1] < 10 || formats[format2] < 10 {
		t.Errorf("formats %v, want 1 and 2, 10 of each", formats)
	}
}
