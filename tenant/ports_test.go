package tenant

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/netview"
)

// TestPortsThatStandForOthers: what port 0 and AllPorts stand for is the tenant's, once, and shared with those that have one
// of them.
func TestPortsThatStandForOthers(t *testing.T) {
	at := func(dpid netview.DPID, port uint32) netview.Point { return netview.Point{DPID: dpid, Port: port} }
	for _, c := range []struct {
		given, kept []netview.Point
		has, not    []netview.Point
	}{
		{[]netview.Point{at(2, 3), AllPorts, at(1, 0)}, []netview.Point{AllPorts}, []netview.Point{at(1, 1), at(9, 9)}, nil},
		{[]netview.Point{at(2, 3), at(1, 7), at(1, 0), at(2, 3)}, []netview.Point{at(1, 0), at(2, 3)},
			[]netview.Point{at(1, 1), at(1, 7), at(2, 3)}, []netview.Point{at(2, 1), at(3, 3)}},
	} {
		d := Definition{Name: "a", Number: 1, Ports: c.given}
		if err := d.Check(); err != nil || !slices.Equal(d.Ports, c.kept) {
			t.Errorf("%v became %v, %v; want %v", c.given, d.Ports, err, c.kept)
		}
		for i, p := range append(c.has, c.not...) {
			if own := i < len(c.has); d.Has(p) != own {
				t.Errorf("%v has %s: %t", d.Ports, p, !own)
			}
			all := New()
			if err := all.Put(d); err != nil {
				t.Fatal(err)
			}
			other := Definition{Name: "b", Number: 2, Ports: []netview.Point{p}}
			if err := all.Check(&other); (err != nil) != (i < len(c.has)) {
				t.Errorf("%s beside %v: %v", p, d.Ports, err)
			}
			other.Ports = []netview.Point{at(p.DPID, 0)}
			if err := all.Check(&other); err == nil && i < len(c.has) {
				t.Errorf("all ports of %s beside %v: taken", p.DPID, d.Ports)
			}
			other.Ports = []netview.Point{AllPorts}
			if err := all.Check(&other); err == nil {
				t.Errorf("all ports beside %v: taken", d.Ports)
			}
		}
	}
}
