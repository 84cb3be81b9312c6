package object

import (
	"testing"

	"github.com/weirnet/weir/openflow"
)

// sample is an object of the tests, which all oracles are asked about.
type sample struct {
	name   string
	object Object
	number uint32
}

// numbers returns the numbers under which the samples' groups are.
func numbers(list []sample) func(Object) uint32 {
	return func(o Object) uint32 {
		for _, s := range list {
			if s.object.Key() == o.Key() {
				return s.number
			}
		}
		panic("a group that is no sample")
	}
}

func meter(t testing.TB, unit Unit, bands ...openflow.Band) *Meter {
	t.Helper()
	m, err := NewMeter(unit, bands...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func group(t testing.TB, kind openflow.GroupType, buckets ...Bucket) *Group {
	t.Helper()
	g, err := NewGroup(kind, buckets...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// actions are actions in text.
func actions(t testing.TB, texts ...string) (list []openflow.Action) {
	t.Helper()
	for _, text := range texts {
		a, err := openflow.ParseAction(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

func drop(rate, burst uint32) openflow.Band {
	return openflow.Band{Type: openflow.BandDrop, Rate: rate, Burst: burst}
}

func remark(rate, burst uint32, level uint8) openflow.Band {
	return openflow.Band{Type: openflow.BandDSCPRemark, Rate: rate, Burst: burst, PrecLevel: level}
}

// samples are objects of all kinds, each after those that it uses.
func samples(t testing.TB) []sample {
	do := func(texts ...string) []openflow.Action { return actions(t, texts...) }
	backup := group(t, openflow.GroupTypeFastFailover,
		Bucket{WatchPort: 1, Actions: do("output:1")}, Bucket{WatchPort: 2, Actions: do("output:2")})
	tagged := group(t, openflow.GroupTypeIndirect,
		Bucket{Actions: do("output:3", "set_field:5->vlan_vid", "push_vlan:0x8100", "set_field:3->vlan_pcp")})
	nested := group(t, openflow.GroupTypeFastFailover,
		Bucket{WatchGroup: backup, Group: backup}, Bucket{WatchPort: 4, Actions: do("pop_vlan"), Group: tagged})
	return []sample{
		{"pktps", meter(t, PacketsPerSecond, drop(1000, 0)), 1},
		{"pktps-burst", meter(t, PacketsPerSecond, drop(1000, 50)), 2},
		{"kbps", meter(t, KilobitsPerSecond, drop(64, 0)), 3},
		{"kbps-bands", meter(t, KilobitsPerSecond, drop(2000, 300), drop(1000, 200)), 4},
		{"remark", meter(t, KilobitsPerSecond, remark(1000, 0, 1), drop(2000, 0)), 5},
		{"remark-burst", meter(t, PacketsPerSecond, remark(10, 20, 2)), 6},

		{"ff", backup, 11},
		{"indirect", tagged, 12},
		{"ff-nested", nested, 13},
		{"all", group(t, openflow.GroupTypeAll, Bucket{Actions: do("output:in_port")},
			Bucket{Actions: do("output:controller:128")},
			Bucket{Actions: do("output:local")}, Bucket{}), 14},
		{"all-empty", group(t, openflow.GroupTypeAll), 15},
		{"ff-empty", group(t, openflow.GroupTypeFastFailover), 16},
		{"select", group(t, openflow.GroupTypeSelect, Bucket{Weight: 100, Actions: do("output:1")},
			Bucket{Weight: 0, Actions: do("output:2")}, Bucket{Weight: 150, WatchPort: 3, Actions: do("output:3")}), 17},
		{"select-groups", group(t, openflow.GroupTypeSelect, Bucket{Weight: 7, Group: backup}, Bucket{Weight: 7,
			Group: nested}), 18},
		{"addresses", group(t, openflow.GroupTypeAll, Bucket{Actions: do("output:1", "dec_nw_ttl",
			"set_field:00:00:00:00:00:05->eth_dst",
			"set_field:00:00:00:00:00:06->eth_src", "set_field:10.0.0.1->ipv4_dst", "set_field:80->tcp_dst", "set_queue:3")},
			Bucket{Actions: do("set_field:fe80::1->ipv6_src", "set_field:46->ip_dscp", "set_nw_ttl:9", "output:2")}), 19},
		{"labels", group(t, openflow.GroupTypeIndirect, Bucket{Actions: do("output:1", "set_mpls_ttl:7",
			"set_field:99->mpls_label",
			"push_mpls:0x8847", "pop_vlan")}), 20},
		{"pop-label", group(t, openflow.GroupTypeIndirect, Bucket{Actions: do("output:flood", "pop_mpls:0x0800",
			"dec_mpls_ttl")}), 21},
		{"pbb", group(t, openflow.GroupTypeIndirect, Bucket{Actions: do("output:1", "push_pbb:0x88e7", "copy_ttl_out",
			"copy_ttl_in",
			"pop_pbb")}), 22},
	}
}

// message is a message of the tests, in the version of OpenFlow that has it.
type message struct {
	name string
	v    openflow.Version
	m    openflow.Message
}

// bytes are the message with its header.
func (m message) bytes(t testing.TB) []byte {
	t.Helper()
	b, err := openflow.Append(nil, m.v, 0, m.m)
	if err != nil {
		t.Fatalf("%s: %v", m.name, err)
	}
	return b
}

// messages are those of all samples, and rules of OpenFlow 1.0 with bundles.
func messages(t testing.TB) (list []message) {
	all := samples(t)
	for _, s := range all {
		list = append(list, message{"add-" + s.name, openflow.V13, s.object.Message(Add, s.number, numbers(all))})
	}
	for _, s := range all[:1] {
		list = append(list, message{"modify-" + s.name, openflow.V13, s.object.Message(Modify, s.number, nil)},
			message{"delete-" + s.name, openflow.V13, s.object.Message(Delete, s.number, nil)})
	}
	for _, s := range all {
		if s.name == "ff" || s.name == "indirect" {
			list = append(list, message{"modify-" + s.name, openflow.V13, s.object.Message(Modify, s.number, numbers(all))},
				message{"delete-" + s.name, openflow.V13, s.object.Message(Delete, s.number, numbers(all))})
		}
	}
	return append(list, message{"bundle", openflow.V10, bundleRule(t, 1, 2)},
		message{"bundle-local", openflow.V10, bundleRule(t, 7, openflow.PortLocal, 0xfeff, 3, 1)})
}

// bundleRule is a rule of OpenFlow 1.0 that takes all packets and outputs them to the first of some ports that is up.
func bundleRule(t testing.TB, ports ...uint32) *openflow.FlowMod {
	t.Helper()
	a, err := outputs(t, ports...).Bundle()
	if err != nil {
		t.Fatal(err)
	}
	return &openflow.FlowMod{
		Priority: 7, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(a)},
	}
}

// outputs is a fast failover group that outputs to the first of some ports that is up.
func outputs(t testing.TB, ports ...uint32) *Group {
	t.Helper()
	var buckets []Bucket
	for _, port := range ports {
		buckets = append(buckets, Bucket{WatchPort: port, Actions: []openflow.Action{openflow.Output(port)}})
	}
	return group(t, openflow.GroupTypeFastFailover, buckets...)
}
