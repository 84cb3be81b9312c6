package object

import (
	"errors"
	"strings"
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestMetersRefused: what is no meter is refused, with what is wanted instead.
func TestMetersRefused(t *testing.T) {
	many := make([]openflow.Band, BandsMax+1)
	for i := range many {
		many[i] = drop(uint32(i+1), 0)
	}
	for _, c := range []struct {
		unit  Unit
		bands []openflow.Band
		want  string
	}{
		{KilobitsPerSecond, nil, "meter with no band: want at least one"},
		{2, []openflow.Band{drop(1, 0)}, "unit 2: want"},
		{PacketsPerSecond, many, "256 bands: want at most 255"},
		{PacketsPerSecond, []openflow.Band{{Type: openflow.BandExperimenter, Rate: 1}},
			"{experimenter,rate=1}: want type drop or"},
		{PacketsPerSecond, []openflow.Band{drop(0, 0)}, "want a rate of at least 1"},
		{PacketsPerSecond, []openflow.Band{drop(5, 0), remark(5, 0, 1)}, "another band has this rate"},
		{PacketsPerSecond, []openflow.Band{{Type: openflow.BandDrop, Rate: 1, PrecLevel: 1}}, "has no precedence level: want 0"},
		{PacketsPerSecond, []openflow.Band{remark(5, 0, 0)}, "want precedence level 1 or 2"},
		{PacketsPerSecond, []openflow.Band{remark(5, 0, 3)}, "{dscp_remark,rate=5,prec_level=3}: want precedence level 1 or 2"},
		{PacketsPerSecond, []openflow.Band{drop(5, 1), drop(6, 0)}, "give all one, or none"},
	} {
		m, err := NewMeter(c.unit, c.bands...)
		refused(t, c.want, m == nil, err)
	}
	if _, err := NewMeter(PacketsPerSecond, many[:BandsMax]...); err != nil {
		t.Error(err)
	}
}

// refused wants an error with a text, and nothing else.
func refused(t *testing.T, want string, none bool, err error) {
	t.Helper()
	if err == nil || !none || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s; nothing made: %t", err, want, none)
	}
}

// TestGroupsRefused: what is no group is refused, with what is wanted instead.
func TestGroupsRefused(t *testing.T) {
	const all, share, indirect, ff = openflow.GroupTypeAll, openflow.GroupTypeSelect, openflow.GroupTypeIndirect,
		openflow.GroupTypeFastFailover
	do := func(texts ...string) []Bucket { return []Bucket{{Actions: actions(t, texts...)}} }
	out := actions(t, "output:1")
	other := group(t, all)
	masked := openflow.SetField(openflow.FieldIPDSCP, 1)
	masked.Data[len(masked.Data)-1] = 64
	short := openflow.SetField(openflow.FieldEthDst, 1)
	short.Data = short.Data[:6]
	untagged := openflow.SetField(openflow.FieldVLANVID, 5)
	raw := func(list ...openflow.Action) []Bucket { return []Bucket{{Actions: append(list, out...)}} }
	for _, c := range []struct {
		kind    openflow.GroupType
		buckets []Bucket
		want    string
	}{
		{4, nil, "group of type 4: want all"},
		{indirect, nil, "group of type indirect with 0 buckets: want exactly 1"},
		{indirect, []Bucket{{}, {}}, "2 buckets: want exactly 1; use type all"},
		{all, []Bucket{{}, {Weight: 3}}, "bucket 1: weight 3: want 0"},
		{ff, []Bucket{{WatchPort: 1, Weight: 3}}, "weight 3: want 0"},
		{share, nil, "weights whose sum is 0: want at least one"},
		{share, []Bucket{{Actions: out}}, "weights whose sum is 0"},
		{ff, []Bucket{{Actions: out}}, "it watches nothing: want a port or a group"},
		{ff, []Bucket{{WatchPort: openflow.PortAny, Actions: out}}, "it watches nothing"},
		{ff, []Bucket{{WatchPort: openflow.PortController, Actions: out}}, "it watches controller: want a port that"},
		{all, []Bucket{{WatchPort: 1, Actions: out}}, "want none, since only fast failover"},
		{indirect, []Bucket{{WatchGroup: other, Actions: out}}, "want none, since only fast failover"},
		{all, do("set_field:1->ip_dscp"), "1 actions and no output or group: want one"},
		{all, do("group:3"), "want it as Bucket.Group"},
		{all, do("output:0"), "action output:0: want the number of a port"},
		{all, do("output:table"), "action output:table: want"},
		{all, do("output:any"), "action output:any: want"},
		{all, do("output:1", "output:2"), "action output:2 comes after another of its kind"},
		{all, do("set_field:1->ip_dscp", "set_field:2->ip_dscp", "output:1"), "comes after another of its kind"},
		{all, []Bucket{{Actions: out, Group: other}}, "action output:1 and a group: want one of them"},
		{all, do("set_vlan_vid:3", "output:1"), "buckets have no such action"},
		{all, do("enqueue:3:1"), "buckets have no such action"},
		{all, do("experimenter:0x00002320:0x0001", "output:1"), "buckets have no such action"},
		{all, do("push_vlan:0x0800", "output:1"), "action push_vlan:0x0800: want type 0x8100 or 0x88a8"},
		{all, do("push_mpls:0x8100", "output:1"), "want type 0x8847 or 0x8848"},
		{all, do("push_pbb:0x8100", "output:1"), "want type 0x88e7"},
		{all, do("set_field:5->in_port", "output:1"), "no switch sets this field"},
		{all, raw(untagged), "want 0x1000 (OFPVID_PRESENT)"},
		{all, raw(short), "want a field of OpenFlow 1.3"},
		{all, raw(masked), "out of range"},
		{all, make([]Bucket, 5000), "5000 buckets that one packet passes: want at most 2048"},
		{ff, manyBuckets(5000), "5000 buckets: longer than 65535 bytes"},
	} {
		g, err := NewGroup(c.kind, c.buckets...)
		if c.want == "5000 buckets: longer than 65535 bytes" {
			if !errors.Is(err, openflow.ErrTooLong) {
				t.Errorf("5000 buckets: %v", err)
			}
			continue
		}
		refused(t, c.want, g == nil, err)
	}
}

// manyBuckets are buckets of fast failover.
func manyBuckets(n int) []Bucket {
	list := make([]Bucket, n)
	for i := range list {
		list[i] = Bucket{WatchPort: 1}
	}
	return list
}

// TestChains: groups may use each other as deep, and copy as much, as switches let packets pass.
func TestChains(t *testing.T) {
	g := group(t, openflow.GroupTypeIndirect, Bucket{})
	for range ChainMax - 1 {
		g = group(t, openflow.GroupTypeIndirect, Bucket{Group: g})
	}
	_, err := NewGroup(openflow.GroupTypeIndirect, Bucket{Group: g})
	refused(t, "a chain of 33 groups: want at most 32", true, err)
	_, err = NewGroup(openflow.GroupTypeFastFailover, Bucket{WatchGroup: g})
	refused(t, "a chain of 33 groups", true, err)

	g = group(t, openflow.GroupTypeAll, Bucket{}, Bucket{}) // 2 buckets, then 2 + 2·2, 2 + 2·6, …
	for range 9 {
		g = group(t, openflow.GroupTypeAll, Bucket{Group: g}, Bucket{Group: g})
	}
	_, err = NewGroup(openflow.GroupTypeAll, Bucket{Group: g}, Bucket{Group: g})
	refused(t, "4094 buckets that one packet passes", true, err)
	share := group(t, openflow.GroupTypeSelect, Bucket{Weight: 1, Group: g}, Bucket{Weight: 2, Group: g})
	if n := len(InOrder(share)); n != 11 {
		t.Errorf("%d groups in order, want 11", n)
	}
}
