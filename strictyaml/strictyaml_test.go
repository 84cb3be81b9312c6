package strictyaml

import (
	"errors"
	"testing"
	"time"
)

// TestProblemsHaveTheirLines reads a document with many mistakes, and wants each with its line.
func TestProblemsHaveTheirLines(t *testing.T) {
	root, err := Open([]byte("name: x\nspeed: slow\nwait: -1s\nwait: 2s\nlist: {a: 1}\nanchor: &a 5\n"), 100)
	if err != nil {
		t.Fatal(err)
	}
	var d Document
	var name string
	var wait time.Duration
	seen := d.Mapping(root, "`name: a`", []Field{
		Into("name", &name, func(s string) (string, error) { return s, nil }),
		Into("wait", &wait, Time(time.Minute)),
		{"list", Text(func(string) error { return nil })},
		{"anchor", Text(func(string) error { return errors.New("read") })},
	})
	got := InFile("f.yaml", d.Err()).Error()
	const all = "f.yaml:2: unknown field \"speed\" given, want name, wait, list, anchor, such as `name: a`\n" +
		"f.yaml:3: wait: \"-1s\" given, want a time with a unit from 0s to 1m0s, such as 5ms\n" +
		"f.yaml:4: wait given twice, want it once\n" +
		"f.yaml:5: list: a mapping given, want one value\n" +
		"f.yaml:6: anchor: an anchor or alias given, want the value written out"
	if got != all {
		t.Errorf("problems\n%s\nwant\n%s", got, all)
	}
	if name != "x" || !seen["name"] || !seen["wait"] {
		t.Errorf("read %q, seen %v", name, seen)
	}
}

func TestRate(t *testing.T) {
	for s, want := range map[string]uint64{"9600": 9600, "100k": 100_000, "1.5G": 1_500_000_000,
		"10Mbit/s": 10_000_000, "none": 0, "0": 0} {
		if got, err := Rate(s, 1000, 1e12); err != nil || got != want {
			t.Errorf("%s is %d (%v), want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "fast", "-1", "1", "1e9", "2000G"} {
		if got, err := Rate(s, 1000, 1e12); err == nil {
			t.Errorf("%q is read as %d", s, got)
		}
	}
}
