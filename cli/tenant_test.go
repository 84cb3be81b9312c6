package cli

import (
	"strings"
	"testing"
)

// FuzzTenantFile: what a file holds is read as a tenant of the name that was asked for, or refused.
func FuzzTenantFile(f *testing.F) {
	for _, text := range []string{"ports: ['*']", `{"name":"blue","ports":["1/1"],"etag":"a1","state":{"switches":[]}}`,
		"name: red", "space: [{priority: 10, match: {vlan_vid: 100, eth_type: 0x0800}}]", "- 1", "", "limit: 7"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, _, err := readTenant(strings.NewReader(text), "-", "blue")
		if err == nil && d.Name != "blue" {
			t.Fatalf("%q is read as %+v", text, d)
		}
	})
}

// FuzzRegion: a region is read as it is written.
func FuzzRegion(f *testing.F) {
	for _, text := range []string{"10:vlan_vid=100", "9:eth_dst=00:00:00:00:00:01,tcp_dst=80", "1:", "x:a=b", "1:a=b,a=c",
		"1:a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseRegion(text)
		if err != nil {
			return
		}
		again, err := parseRegion(r.String())
		if err != nil || again.String() != r.String() {
			t.Fatalf("%q is read as %s, and that as %v: %v", text, r, again, err)
		}
	})
}
