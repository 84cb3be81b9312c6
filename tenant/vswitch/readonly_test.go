package vswitch

import (
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/tenant"
)

// TestReadOnlyAlone: a tenant that had all at its ports, and has read-only regions alone now, loses its entries; it has no
// rule in the physical switch, also where there is one table for all, and also not for what no entry matches.
func TestReadOnlyAlone(t *testing.T) {
	for _, single := range []bool{false, true} {
		d := newDesk(t, Config{Tables: 2, Single: single})
		d.do(openflow.V13, flowMod(0, matching(t), openflow.Apply(openflow.Output(2))))
		if list := d.take(); len(list) == 0 {
			t.Fatal("nothing is ordered for an entry")
		}
		tenants := tenant.New()
		red := tenant.Definition{Name: "red", Number: 1, Ports: []netview.Point{{DPID: 1, Port: 1}, {DPID: 1, Port: 2}},
			Watched: []tenant.Region{{Match: matching(t, "vlan_vid", "5")}}}
		if err := tenants.Put(red); err != nil {
			t.Fatal(err)
		}
		frames, err := NewFrames(tenants)
		if err != nil {
			t.Fatal(err)
		}
		d.sw.SetSpace(tenants.Space("red"), frames, 0, d)
		for _, o := range d.take() {
			if !o.Remove {
				t.Errorf("one table %t: %v is ordered", single, o.Rules.Place(0))
			}
		}
		if n := d.sw.Tables().Entries(); n != 0 {
			t.Errorf("one table %t: %d entries are left", single, n)
		}
		d.sw.SetMiss(true, 0, d)
		if list := d.take(); single && len(list) > 0 {
			t.Errorf("for what no entry matches %v is ordered in the table of all", list[0].Rules.Place(0))
		}
		d.check()
		list := Classify(tenants.Get("red"), 1, nil)
		if list = append(list, ClassifySingle(tenants.Get("red"), tenants.Space("red"), 1)...); len(list) > 0 {
			t.Errorf("its packets are told by %v", list[0].Place(0))
		}
	}
}
