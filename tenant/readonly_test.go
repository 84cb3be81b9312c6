package tenant

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// TestReadOnlyRegions: they take no packets from others, and need no order; a tenant that has these alone owns nothing, also
// not what comes in at its ports, and what a match selects in them alone may not be written.
func TestReadOnlyRegions(t *testing.T) {
	tenants := New()
	put := func(name string, number uint16, want string, space, watched []Region) {
		t.Helper()
		err := tenants.Put(Definition{Name: name, Number: number, Ports: []netview.Point{at(1, 1)}, Space: space,
			Watched: watched})
		if err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	vlan := func(priority uint16, id string) []Region { return []Region{{priority, matching(t, "vlan_vid", id)}} }
	put("red", 1, "", vlan(10, "100"), nil)
	put("spy", 2, "space[0].priority: 10 given, want none", nil, vlan(10, "100"))
	put("spy", 2, "vlan_vid=any", nil, []Region{{}})
	put("spy", 2, "", nil, append(vlan(0, "100"), vlan(0, "100")...))
	put("both", 3, "", vlan(11, "100"), vlan(0, "200"))
	put("both", 3, "another priority", vlan(10, "100"), vlan(0, "200"))
	if d := tenants.Get("spy"); d.Whole() || len(d.Watched) != 1 {
		t.Errorf("a tenant with a read-only region alone is %+v", d)
	}
	if err := tenants.Put(Definition{Name: "whole", Number: 4, Ports: []netview.Point{at(1, 1)}}); err == nil {
		t.Error("a tenant without a space shares a port with others")
	}
	tenants.Delete("red")
	tenants.Delete("both")
	if err := tenants.Put(Definition{Name: "whole", Number: 4, Ports: []netview.Point{at(1, 1)}}); err != nil {
		t.Errorf("beside read-only regions: %v", err)
	}
	put("both", 3, "tenant whole has no space", vlan(10, "100"), vlan(0, "200"))
	tenants.Delete("whole")
	put("both", 3, "", vlan(10, "100"), vlan(0, "200"))

	for _, c := range []struct {
		tenant string
		m      openflow.Match
		ok     bool
	}{
		{"both", matching(t, "vlan_vid", "100"), true}, {"both", matching(t), true}, {"both", matching(t, "tcp_dst", "80"), true},
		{"both", matching(t, "vlan_vid", "any"), true}, {"both", matching(t, "vlan_vid", "300"), true},
		{"both", matching(t, "vlan_vid", "200"), false}, {"both", matching(t, "in_port", "1", "vlan_vid", "200"), false},
		{"spy", matching(t), false}, {"spy", matching(t, "vlan_vid", "100"), false}, {"spy", matching(t, "vlan_vid", "5"), false},
	} {
		if err := tenants.Space(c.tenant).Writable(c.m); (err == nil) != c.ok {
			t.Errorf("%s, %s: %v, want %t", c.tenant, c.m, err, c.ok)
		}
	}
	if was, is := tenants.Space("spy"), wholeSpace(t); was.Same(is) {
		t.Error("the space of a tenant with read-only regions alone is the same as of one that has all at its ports")
	}
	if list := tenants.Space("both").Regions(); len(list) != 1 || tenants.Whose(matching(t, "vlan_vid", "200")) != "" {
		t.Errorf("a read-only region is owned: %v", list)
	}
}

// wholeSpace is the space of a tenant without regions, beside one of the priority that others have.
func wholeSpace(t *testing.T) *Space {
	tenants := New()
	for _, d := range []Definition{{Name: "red", Number: 1, Ports: []netview.Point{at(9, 9)},
		Space: []Region{{10, matching(t, "vlan_vid", "100")}}}, {Name: "spy", Number: 2, Ports: []netview.Point{at(1, 1)}}} {
		if err := tenants.Put(d); err != nil {
			t.Fatal(err)
		}
	}
	return tenants.Space("spy")
}
