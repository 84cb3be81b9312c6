package openflow

import "testing"

func TestMatchOverlaps(t *testing.T) {
	match := func(pairs ...string) (m Match) {
		for i := 0; i < len(pairs); i += 2 {
			if err := m.SetText(pairs[i], pairs[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		return m
	}
	for _, c := range []struct {
		a, b Match
		want bool
	}{
		{Match{}, match("in_port", "3"), true},
		{match("in_port", "3"), match("in_port", "4"), false},
		{match("in_port", "3"), match("eth_type", "0x0806"), true},
		{match("ipv4_dst", "10.1.0.0/16"), match("ipv4_dst", "10.1.2.3"), true},
		{match("ipv4_dst", "10.1.0.0/16"), match("ipv4_dst", "10.2.0.0/24"), false},
		{match("tcp_dst", "80"), match("eth_type", "0x0806"), false},
		{match("vlan_vid", "any"), match("vlan_vid", "7"), true},
		{match("vlan_vid", "none"), match("vlan_vid", "7"), false},
	} {
		if got := c.a.Overlaps(c.b); got != c.want || c.b.Overlaps(c.a) != c.want {
			t.Errorf("%s and %s: %t, want %t both ways", c.a.String(), c.b.String(), got, c.want)
		}
	}
}
