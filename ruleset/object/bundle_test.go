package object

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestBundles: a group that OpenFlow 1.0 has as an action is read again from that; others have none.
func TestBundles(t *testing.T) {
	for _, ports := range [][]uint32{nil, {1}, {2, 1}, {1, 2, openflow.PortLocal, 0xfeff}} {
		g := outputs(t, ports...)
		a, err := g.Bundle()
		if err != nil {
			t.Fatal(err)
		}
		if again := OfBundle(&a); again == nil || again.Key() != g.Key() {
			t.Errorf("%s is read again as %v", g, again)
		}
		a.Data[5], a.Data[7] = 1, 200 // symmetric_l4 and a basis do not matter
		if again := OfBundle(&a); again == nil || again.Key() != g.Key() {
			t.Errorf("%s, hashed otherwise, is read again as %v", g, again)
		}
		for i := range a.Data[:bundleHead] {
			if other := a; i < 4 || i >= 8 && i < 12 {
				other.Data = slices.Clone(a.Data)
				other.Data[i] ^= 1
				if g := OfBundle(&other); g != nil {
					t.Errorf("with another byte %d: %s", i, g)
				}
			}
		}
	}
	a, _ := outputs(t, 1, 2, 3, 4, 5).Bundle()
	for n := range len(a.Data) - 6 {
		if cut := (openflow.Action{Type: a.Type, ID: a.ID, Data: a.Data[:n]}); OfBundle(&cut) != nil {
			t.Errorf("%d bytes are a bundle", n)
		}
	}
	for _, port := range [][2]byte{{0, 0}, {0xff, 0}, {0xff, 0xff}} {
		copy(a.Data[bundleHead:], port[:])
		if g := OfBundle(&a); g != nil {
			t.Errorf("with port %x: %s", port, g)
		}
	}
	for _, a := range actions(t, "output:1", "experimenter:0x00002321:0x000c000000000000000000020000000000000000000000000000") {
		if g := OfBundle(&a); g != nil {
			t.Errorf("%s: %s", a, g)
		}
	}
}

// TestVersions: what OpenFlow 1.0 lacks is refused with the reason, and what a switch is not known to lack is not.
func TestVersions(t *testing.T) {
	const ff = openflow.GroupTypeFastFailover
	one := group(t, ff, Bucket{WatchPort: 1})
	do := func(texts ...string) []openflow.Action { return actions(t, texts...) }
	for _, c := range []struct {
		o    Object
		want string
	}{
		{meter(t, PacketsPerSecond, drop(5, 0)), "meter pktps {drop,rate=5}: OpenFlow 1.0 has no meters; connect the switch with OpenFlow 1.3"},
		{group(t, openflow.GroupTypeAll), "group of type all: OpenFlow 1.0 has no groups; connect"},
		{group(t, openflow.GroupTypeSelect, Bucket{Weight: 1}), "group of type select: OpenFlow 1.0 has no groups"},
		{group(t, openflow.GroupTypeIndirect, Bucket{}), "group of type indirect: OpenFlow 1.0 has no groups"},
		{one, "bucket {watch_port=1,actions=[]}: OpenFlow 1.0 has no groups, and a bundle only outputs to ports that it watches"},
		{group(t, ff, Bucket{WatchPort: 1, Actions: do("output:2")}), "bucket {watch_port=1,actions=[output:2]}"},
		{group(t, ff, Bucket{WatchPort: 1, Actions: do("pop_vlan", "output:1")}), "actions=[pop_vlan,output:1]}"},
		{group(t, ff, Bucket{WatchPort: 1, WatchGroup: one, Actions: do("output:1")}), "watch_group="},
		{group(t, ff, Bucket{WatchPort: 1, Group: one}), "group:"},
		{group(t, ff, Bucket{WatchPort: 0xff00, Actions: do("output:65280")}), "of 16-bit numbers"},
		{group(t, ff, manyBuckets(2049)...), "group with 2049 buckets: OpenFlow 1.0 has no groups, and a bundle has at most 2048"},
		{outputs(t, 1, 2), ""},
	} {
		err := (&Switch{Version: openflow.V10}).Takes(c.o, 0)
		if c.want != "" {
			refused(t, c.want, true, err)
		} else if err != nil {
			t.Errorf("%s: %v", c.o, err)
		}
		if err := (&Switch{Version: openflow.V13}).Takes(c.o, 1e6); err != nil {
			t.Errorf("%s: %v", c.o, err)
		}
	}
}

// TestFeatures: what the features of a switch lack is refused, and what they leave open is not.
func TestFeatures(t *testing.T) {
	groups := func(change func(*openflow.GroupFeatures)) *Switch {
		f := &openflow.GroupFeatures{Types: 15, Capabilities: 15, MaxGroups: [4]uint32{5, 5, 5, 5}}
		for i := range f.Actions {
			f.Actions[i] = 1<<28 - 1
		}
		if change != nil {
			change(f)
		}
		return &Switch{Version: openflow.V13, Groups: f}
	}
	meters := func(change func(*openflow.MeterFeatures)) *Switch {
		f := &openflow.MeterFeatures{MaxMeters: 5, BandTypes: 6, Capabilities: 15, MaxBands: 2}
		if change != nil {
			change(f)
		}
		return &Switch{Version: openflow.V13, Meters: f}
	}
	backup := outputs(t, 1, 2)
	share := group(t, openflow.GroupTypeSelect, Bucket{Weight: 1, WatchPort: 1}, Bucket{Weight: 2})
	chain := group(t, openflow.GroupTypeIndirect, Bucket{Group: backup})
	watch := group(t, openflow.GroupTypeFastFailover, Bucket{WatchGroup: backup})
	pop := group(t, openflow.GroupTypeIndirect, Bucket{Actions: actions(t, "pop_vlan", "output:1")})
	plain := meter(t, PacketsPerSecond, drop(5, 0))
	bursts := meter(t, KilobitsPerSecond, drop(5, 9), remark(4, 9, 1))
	for _, c := range []struct {
		s    *Switch
		o    Object
		held int
		want string // "" if nothing speaks against it
	}{
		{groups(nil), backup, 4, ""}, {groups(nil), share, 4, ""}, {groups(nil), chain, 4, ""}, {groups(nil), watch, 4, ""},
		{groups(nil), backup, 5, "group of type ff: the switch has 5 of this type and takes at most 5; remove one"},
		{groups(func(f *openflow.GroupFeatures) { f.MaxGroups[3] = 0 }), backup, 5, ""},
		{groups(func(f *openflow.GroupFeatures) { f.MaxGroups[2] = 1 }), backup, 1, ""},
		{groups(func(f *openflow.GroupFeatures) { f.Types = 7 }), backup, 0, "group of type ff: the switch has none of this type"},
		{groups(func(f *openflow.GroupFeatures) { f.Types = 8 }), backup, 0, ""},
		{groups(func(f *openflow.GroupFeatures) { f.Capabilities = 14 }), share, 0, "bucket 1, {weight=2,actions=[]}: the switch's groups have no weights"},
		{groups(func(f *openflow.GroupFeatures) { f.Capabilities = 13 }), share, 0, "of type select do not watch"},
		{groups(func(f *openflow.GroupFeatures) { f.Capabilities = 11 }), chain, 0, "do not use other groups"},
		{groups(func(f *openflow.GroupFeatures) { f.Capabilities = 11 }), watch, 0, "do not use other groups"},
		{groups(func(f *openflow.GroupFeatures) { f.Capabilities = 0 }), backup, 0, ""},
		{groups(func(f *openflow.GroupFeatures) { f.Actions[2] &^= 1 << openflow.ActionGroup }), chain, 0,
			"does not do group in groups of this type"},
		{groups(func(f *openflow.GroupFeatures) { f.Actions[2] &^= 1 << openflow.ActionPopVLAN }), pop, 0,
			"does not do pop_vlan in groups of this type"},
		{groups(func(f *openflow.GroupFeatures) { f.Actions[2] = 0 }), pop, 0, ""},
		{groups(nil), plain, 1000, ""},

		{meters(nil), plain, 4, ""}, {meters(nil), bursts, 4, ""},
		{meters(nil), plain, 5, "meter pktps {drop,rate=5}: the switch has 5 meters and takes at most 5; remove one"},
		{meters(func(f *openflow.MeterFeatures) { f.MaxMeters = 0 }), plain, 0, "the switch has no meters"},
		{meters(func(f *openflow.MeterFeatures) { f.MaxBands = 1 }), bursts, 0, "2 bands, and the switch takes at most 1"},
		{meters(func(f *openflow.MeterFeatures) { f.MaxBands = 0 }), bursts, 0, ""},
		{meters(func(f *openflow.MeterFeatures) { f.BandTypes = 2 }), bursts, 0, "no bands of type dscp_remark"},
		{meters(func(f *openflow.MeterFeatures) { f.BandTypes = 2 }), plain, 0, ""},
		{meters(func(f *openflow.MeterFeatures) { f.BandTypes = 0 }), bursts, 0, ""},
		{meters(func(f *openflow.MeterFeatures) { f.Capabilities = 3 }), bursts, 0, "lack burst"},
		{meters(func(f *openflow.MeterFeatures) { f.Capabilities = 1 }), plain, 0, "lack pktps"},
		{meters(func(f *openflow.MeterFeatures) { f.Capabilities = 0 }), plain, 0, ""},
		{meters(nil), backup, 1000, ""},
	} {
		err := c.s.Takes(c.o, c.held)
		if c.want != "" {
			refused(t, c.want, true, err)
		} else if err != nil {
			t.Errorf("%s: %v", c.o, err)
		}
	}
}
