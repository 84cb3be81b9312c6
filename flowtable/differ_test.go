package flowtable

import (
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// TestWhereOpenvSwitchDiffers holds what a Switch does where Open vSwitch does otherwise, as
// docs/spec/flowtable.md has it: a changed meter keeps its counters and its age, and its bands
// begin anew; a fast failover group counts packets for which no bucket lives.
func TestWhereOpenvSwitchDiffers(t *testing.T) {
	b := newBed(t, Config{})
	band := openflow.Band{Type: openflow.BandDrop, Rate: 1}
	meter := func(command openflow.MeterModCommand) {
		t.Helper()
		m := &openflow.MeterMod{Command: command, Meter: 1, Flags: openflow.MeterFlagPktps, Bands: []openflow.Band{band}}
		if err := b.MeterMod(openflow.V13, m, time.Second, &b.out); err != nil {
			t.Fatal(err)
		}
	}
	meter(openflow.MeterAdd)
	failing := openflow.Bucket{WatchPort: 77, WatchGroup: openflow.GroupAny, Actions: []openflow.Action{openflow.Output(2)}}
	g := &openflow.GroupMod{Command: openflow.GroupAdd, Kind: openflow.GroupTypeFastFailover, Group: 5,
		Buckets: []openflow.Bucket{failing}}
	if err := b.GroupMod(openflow.V13, g, time.Second, &b.out); err != nil {
		t.Fatal(err)
	}
	b.must(flow(t, 1, "", "meter:1;apply:[group:5]"))
	for range 3 {
		b.Receive(1, udp(0), time.Second, &b.out)
	}
	meter(openflow.MeterModify)
	stats := func(r openflow.RequestBody) openflow.ReplyBody {
		t.Helper()
		body, err := b.Multipart(openflow.V13, r, 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	m := stats(&openflow.MeterRequest{Meter: 1}).(*openflow.MeterStatsList).Meters[0]
	if m.PacketsIn != 3 || m.DurationSec != 1 || m.Flows != 1 || m.Bands[0].Packets != 0 {
		t.Errorf("the changed meter counts %+v", m)
	}
	if group := stats(&openflow.GroupRequest{Group: 5}).(*openflow.GroupStatsList).Groups[0]; group.Packets != 1 ||
		group.Buckets[0].Packets != 0 {
		t.Errorf("the group of which no bucket lives counts %+v", group)
	}
	if len(b.out.frames) != 0 {
		t.Errorf("%d frames", len(b.out.frames))
	}
}
