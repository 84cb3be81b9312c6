package ofcase

import (
	"os"
	"strings"
	"testing"
)

// TestKnownDifferences tells known differences, as they were seen, from such as look like them and
// are none.
func TestKnownDifferences(t *testing.T) {
	const (
		head  = "port 4 sends ffffffffffff01005e000005"
		ours  = "port 4 sends ffffffffffff01005e000005810080038100800186dd6000000000203a00ff0200000000000000000001ff000001fe80000000000000000000000000000188007b1600000000ff0200000000000000000001ff0000010201ffffffffffff"
		wrong = "port 4 sends ffffffffffff01005e000005810080038100800186dd60000000ff0200000000000000000001ff00000100010001fe80000000000000000000000000000188007c1900000000ff0200000000000000000001ff0000010201ffffffffffff"
		two   = head + "8100afff" + "81000000" + "080045b8002012340000"
		meter = "item type=meter flags=0 meters=[{meter=1,flow_count=1,packet_in_count=1,byte_in_count=70,duration_sec=0,duration_nsec=0,band_stats=[{packet_band_count=0,byte_band_count=0}]}]"
	)
	for _, c := range []struct {
		name       string
		one, other string
		want       string
	}{
		{"address at a wrong place", ours, wrong, "second-tag-then-ipv6"},
		{"another address behind one tag", strings.Replace(ours, "81008003", "", 1),
			strings.Replace(wrong, "81008003", "", 1), ""},
		{"another type behind the tags", ours, strings.Replace(wrong, "86dd", "0800", 1), ""},
		{"inner tag gone", two, head + "8100afff" + "080045b8002012340000", "normal-takes-a-tag"},
		{"outer tag gone", two, head + "81000000" + "080045b8002012340000", ""},
		{"another port", two, strings.Replace(head, "port 4", "port 3", 1) + "8100afff" + "080045b8002012340000", ""},
		{"counters anew", meter, strings.Replace(strings.Replace(meter, "in_count=1", "in_count=0", 1),
			"in_count=70", "in_count=0", 1), "modified-meter-begins-anew"},
		{"another count of entries", meter, strings.Replace(meter, "flow_count=1", "flow_count=2", 1), ""},
		{"no tags at all", head + "08004500", head + "08004501", ""},
	} {
		d := &Difference{One: []string{"same", c.one}, Other: []string{"same", c.other}}
		if got := d.Among(OVSKnown); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		d.One = append(d.One, "flow_removed")
		if got := d.Among(OVSKnown); got != "" {
			t.Errorf("%s, and another message besides: %q", c.name, got)
		}
	}
}

// TestKnownDifferencesAreListed holds the page to the list.
func TestKnownDifferencesAreListed(t *testing.T) {
	page, err := os.ReadFile("../../docs/spec/flowtable-oracle.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range OVSKnown {
		if !strings.Contains(string(page), "| `"+k.Name+"` |") {
			t.Errorf("docs/spec/flowtable-oracle.md has no row for `%s`", k.Name)
		}
	}
}
