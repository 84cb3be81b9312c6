package tenancy

import (
	"reflect"
	"testing"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
	"github.com/weirnet/weir/stats"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/vswitch"
)

// TestObjectCounters: of what a switch lists, each tenant gets the counters of its own groups or meters, those that are known to
// be there since before it was asked, also where it lists nothing of them.
func TestObjectCounters(t *testing.T) {
	b := newFixture(t)
	asked := time.Unix(1e9, 0)
	meter, err := object.NewMeter(object.PacketsPerSecond, openflow.Band{Type: openflow.BandDrop, Rate: 7})
	if err != nil {
		t.Fatal(err)
	}
	owner := func(tenant, number uint64) object.Object { return meter.Owned(tenant<<48 | number) }
	groups := object.OwnedGroups(map[uint32]*object.Group{1: dropped(t)}, func(uint32) uint64 { return 1<<48 | 1 })
	held := []object.Held{{Object: owner(1, 1), Number: 11}, {Object: owner(2, 1), Number: 12},
		{Object: owner(1, 2), Number: 13, Since: asked.Add(1)}, {Object: owner(1, 3), Number: 14},
		{Object: groups[1], Number: 11}, {Object: vswitch.Bandwidth(&tenant.Definition{Number: 1,
			Limits: tenant.Limits{Mbps: 1}}), Number: 15}}
	of := b.all.ofObjects(&stats.TenantCounters{Kind: stats.KindMeters, Asked: asked, Meters: []openflow.MeterStats{
		{Meter: 11, PacketsIn: 5, BytesIn: 6, DurationSec: 3, DurationNsec: 4,
			Bands: []openflow.BandCounter{{Packets: 7, Bytes: 8}}},
		{Meter: 12, PacketsIn: 50}, {Meter: 13, PacketsIn: 500}, {Meter: 99, PacketsIn: 1}}}, held)
	want := []vswitch.ObjectCounted{{Digest: *held[0].Object.Digest(), Listed: true, Age: 3*time.Second + 4,
		Counts: flowtable.ObjectCounts{Packets: 5, Bytes: 6, Parts: []openflow.BucketCounter{{Packets: 7, Bytes: 8}}}},
		{Digest: *held[3].Object.Digest()}}
	if got := of[1].Objects; !reflect.DeepEqual(got, want) {
		t.Errorf("the first is told %+v, want %+v", got, want)
	}
	if got := of[2].Objects; len(got) != 1 || got[0].Counts.Packets != 50 {
		t.Errorf("the second is told %+v", got)
	}
	of = b.all.ofObjects(&stats.TenantCounters{Kind: stats.KindGroups, Asked: asked,
		Groups: []openflow.GroupStats{{Group: 11, Packets: 9, Buckets: []openflow.BucketCounter{{Packets: 1}}}}}, held)
	if got := of[1].Objects; len(of) != 1 || len(got) != 1 || got[0].Counts.Packets != 9 || got[0].Digest != *groups[1].Digest() {
		t.Errorf("of groups %+v is told", of)
	}
}

// dropped is a group that drops all.
func dropped(t *testing.T) *object.Group {
	g, err := object.NewGroup(openflow.GroupTypeIndirect, object.Bucket{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
