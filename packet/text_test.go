package packet

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/frames.txt anew")

// TestText prints every kind of frame and compares with testdata/frames.txt: name, bytes in
// hexadecimal, text.
func TestText(t *testing.T) {
	var out strings.Builder
	show := func(name string, frame []byte) {
		fmt.Fprintf(&out, "%s\n\t%x\n\t%s\n", name, frame, Ethernet(frame))
	}
	for _, b := range frames() {
		show(b.name, b.frame)
	}
	l := sampleLLDP()
	lldp := AppendLLDP(nil, LLDPMulticast, mac1, &l)
	show("lldp", lldp)
	show("lldp-cut", lldp[:20])
	show("nothing", nil)
	odd := oddFrames()
	for _, name := range slices.Sorted(maps.Keys(odd)) {
		show(name, odd[name])
	}
	const path = "testdata/frames.txt"
	if *rewrite {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, exp := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(exp)) {
		if i >= len(got) || i >= len(exp) || got[i] != exp[i] {
			t.Fatalf("line %d differs; -rewrite after a change that is wanted\n got %q\nwant %q", i+1,
				got[min(i, len(got)-1)], exp[min(i, len(exp)-1)])
		}
	}
}
