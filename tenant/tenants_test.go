package tenant

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

func matching(t *testing.T, pairs ...string) (m openflow.Match) {
	for i := 0; i < len(pairs); i += 2 {
		if err := m.SetText(pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func at(dpid netview.DPID, port uint32) netview.Point { return netview.Point{DPID: dpid, Port: port} }

// TestPut is what definitions are refused for, by themselves and beside others; what was there stays.
func TestPut(t *testing.T) {
	tenants := New()
	put := func(name string, number uint16, want string, ports []netview.Point, space ...Region) {
		t.Helper()
		err := tenants.Put(Definition{Name: name, Number: number, Ports: ports, Space: space})
		switch {
		case err == nil && want != "":
			t.Errorf("%s is taken, want %q", name, want)
		case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %q, want %q", name, err, want)
		}
	}
	ports := []netview.Point{at(2, 1), at(1, 1), at(2, 1)}
	vlan := func(priority uint16, id string) Region { return Region{priority, matching(t, "vlan_vid", id)} }
	web := Region{20, matching(t, "eth_type", "0x0800", "ip_proto", "6", "tcp_dst", "80")}

	put("red", 1, "", ports, vlan(10, "100"))
	put("Blue", 2, `name: "Blue" given`, ports, vlan(10, "200"))
	put("blue", 0, "number: 0 given, want 1 to 1023", ports, vlan(10, "200"))
	put("blue", 1024, "number: 1024 given", ports, vlan(10, "200"))
	put("blue", 1, "tenant red has it", ports, vlan(10, "200"))
	put("blue", 2, "ports: none given", nil, vlan(10, "200"))
	put("blue", 2, "ports[0]: 0000000000000000/7 given", []netview.Point{at(0, 7)}, vlan(10, "200"))
	put("blue", 2, "space[0].priority: 0 given", ports, vlan(0, "200"))
	put("blue", 2, "space[0].match: in_port given, want none", ports, Region{10, matching(t, "in_port", "1")})
	put("blue", 2, "space[0].match: all packets given", ports, Region{Priority: 10})
	put("blue", 2, "another priority: {vlan_vid=100} of tenant red has the same", ports, web, vlan(10, "100"))
	put("blue", 2, "", ports, web, vlan(10, "200"))
	put("red", 9, "that of tenant red does not change", ports, vlan(10, "100"))
	put("whole", 3, "tenant whole has no space", []netview.Point{at(9, 9), at(1, 1)})
	put("whole", 3, "", []netview.Point{at(9, 9)})
	put("other", 4, "tenant whole has no space", []netview.Point{at(9, 9)}, vlan(30, "300"))
	put("green", 4, "another priority", ports, Region{20, matching(t, "vlan_vid", "100")})
	put("green", 4, "", ports, Region{21, matching(t, "vlan_vid", "100")})

	if a, b, none := tenants.Name(1), tenants.Name(2), tenants.Name(9); a != "red" || b != "blue" || none != "" {
		t.Errorf("tenants 1, 2 and 9 are %q, %q and %q", a, b, none)
	}
	if got := tenants.Get("red").Ports; len(got) != 2 || got[0] != at(1, 1) {
		t.Errorf("the ports of red are %v, want two in order", got)
	}
	for packet, want := range map[string]string{"100": "green", "200": "blue", "300": ""} {
		if got := tenants.Whose(matching(t, "vlan_vid", packet, "eth_type", "0x0806")); got != want {
			t.Errorf("an ARP packet of VLAN %s is %q's, want %q", packet, got, want)
		}
	}
	if !tenants.Delete("blue") || tenants.Delete("blue") {
		t.Error("blue is deleted not once")
	}
	if got := tenants.Space("blue"); got != nil {
		t.Errorf("the space of nobody is %v", got)
	}
}

// TestKeepsSays is what a controller's log has: of which region a packet may be, and what becomes of it.
func TestKeepsSays(t *testing.T) {
	tenants := New()
	for i, d := range []Definition{
		{Name: "red", Space: []Region{{10, matching(t, "eth_type", "0x0800", "ipv4_dst", "10.1.0.0/16")}}},
		{Name: "blue", Space: []Region{{20, matching(t, "eth_type", "0x0800", "ipv4_dst", "10.1.7.0/24")}}},
		{Name: "whole"},
	} {
		d.Number, d.Ports = uint16(i+1), []netview.Point{at(1, uint32(1+i/2))}
		if err := tenants.Put(d); err != nil {
			t.Fatal(err)
		}
	}
	set := func(ip string) []openflow.Action {
		m := matching(t, "ipv4_dst", ip)
		value, _, _ := m.Lookup(openflow.FieldIPv4Dst)
		return []openflow.Action{openflow.SetFieldBytes(openflow.FieldIPv4Dst, value), openflow.Output(1)}
	}
	for _, c := range []struct {
		of, want string
		list     []openflow.Action
	}{
		{"red", "", set("10.1.3.4")},
		{"red", "", []openflow.Action{{Type: openflow.ActionDecNwTTL}, openflow.Output(1)}},
		{"red", "may be in no region of the tenant", set("10.2.3.4")},
		{"red", "may be another tenant's", set("10.1.7.4")},
		{"red", "may be in no region", []openflow.Action{{Type: openflow.ActionPushMPLS, EtherType: 0x8847}}},
		{"red", "may be in no region", append(set("10.9.0.1"), set("10.1.3.4")...)}, // sent in between
		{"blue", "", set("10.1.7.4")},
		{"blue", "may be in no region", set("10.1.3.4")},
		{"whole", "", set("10.1.7.4")},
	} {
		err := tenants.Space(c.of).Keeps(openflow.Match{}, c.list, AtOnce)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q", c.of, c.list, err, c.want)
		}
	}
}
