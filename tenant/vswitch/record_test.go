package vswitch

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// TestRecordsWithoutCounts: records of groups and meters that say nothing of counters are of an older version. They are restored,
// begin to count then, and are written as this version has them.
func TestRecordsWithoutCounts(t *testing.T) {
	c := newCounted(t, 1)
	g := c.g
	drop := &openflow.GroupMod{Group: 7, Buckets: []openflow.Bucket{{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny}}}
	meter := &openflow.MeterMod{Meter: 5, Flags: openflow.MeterFlagKbps,
		Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 9}}}
	c.both(drop)
	c.both(meter)
	g.save(1<<20, true, true)
	old := make(map[uint32][]byte)
	for _, o := range g.sw.made {
		data := binary.AppendUvarint([]byte{3}, uint64(g.sw.unsaved.head.number))
		data, err := openflow.Append(data, openflow.V13, 0, o.message)
		if err != nil {
			t.Fatal(err)
		}
		number := plan.TenantOwner(g.sw.cfg.Tenant, o.number)
		g.books.records[number], old[number] = data, data
	}
	was := lines(g.sw, c.now)
	again := func() *Switch {
		t.Helper()
		saved, cfg := g.saved(), g.sw.cfg
		cfg.Rows = &Rows{}
		cfg.Rows.Hold(saved.Numbers)
		sw := New(cfg)
		for _, p := range g.ports {
			sw.SetPort(openflow.Port{Number: p}, c.now, g)
		}
		if err := sw.Restore(saved, c.now, g); err != nil {
			t.Fatal(err)
		}
		if is := lines(sw, c.now); !slices.Equal(is, was) || len(is) != 2 {
			t.Fatalf("restored:\n%q\nwant\n%q", is, was)
		}
		return sw
	}
	c.now += time.Hour
	begun := c.now
	g.sw = again()
	for name, o := range g.sw.made {
		if o.created != begun || o.count.from != begun || o.count.carried.Packets != 0 {
			t.Errorf("%+v is there since %s, and has counted %+v since %s, want nothing since %s", name, o.created, o.count.carried,
				o.count.from, begun)
		}
	}
	g.save(1<<20, true, true)
	for number, data := range old {
		if slices.Equal(g.books.records[number], data) {
			t.Errorf("record %d is as it was", number)
		}
	}
	c.now += time.Hour
	for name, o := range again().made {
		if o.created != begun {
			t.Errorf("after another restart, %+v is there since %s, want %s", name, o.created, begun)
		}
	}
}
