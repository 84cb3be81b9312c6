package flowtable

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// TestObjectsCountedElsewhere: groups and meters add what has passed elsewhere to what they count themselves, are as old as is
// said, and do not count packets that nothing is to count.
func TestObjectsCountedElsewhere(t *testing.T) {
	out := &recorder{}
	s := New(Config{})
	s.AddPort(openflow.Port{Number: 1}, 0, out)
	bucket := openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
		Actions: []openflow.Action{openflow.Output(openflow.PortInPort)}}
	for _, err := range []error{
		s.GroupMod(openflow.V13, &openflow.GroupMod{Group: 7, Buckets: []openflow.Bucket{bucket, bucket}}, 0, out),
		s.MeterMod(openflow.V13, &openflow.MeterMod{Meter: 8, Flags: openflow.MeterFlagPktps,
			Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 1}}}, 0, out),
		s.FlowMod(openflow.V13, &openflow.FlowMod{Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
			OutGroup:     openflow.GroupAny,
			Instructions: []openflow.Instruction{openflow.UseMeter(8), openflow.Apply(openflow.Group(7))}}, 0, out),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(what, group, meter string) {
		t.Helper()
		groups, err := s.Multipart(openflow.V13, &openflow.GroupRequest{Group: 7}, 10*time.Second)
		meters, err1 := s.Multipart(openflow.V13, &openflow.MeterRequest{Meter: 8}, 10*time.Second)
		if err != nil || err1 != nil {
			t.Fatal(err, err1)
		}
		g, m := groups.(*openflow.GroupStatsList).Groups[0], meters.(*openflow.MeterStatsList).Meters[0]
		if got := fmt.Sprint(g.Packets, g.Bytes, g.Buckets, g.DurationSec); got != group {
			t.Errorf("%s: the group says %s, want %s", what, got, group)
		}
		if got := fmt.Sprint(m.PacketsIn, m.BytesIn, m.Bands, m.DurationSec); got != meter {
			t.Errorf("%s: the meter says %s, want %s", what, got, meter)
		}
	}
	frame := make([]byte, 60)
	s.Receive(1, frame, 0, out)
	s.ReceiveUncounted(1, frame, 0, out)
	want("one packet, and one that does not count", "1 60 [{1 60} {1 60}] 10", "1 60 [{0 0}] 10")
	of := Objects{s}
	of.AddGroup(7, &ObjectCounts{Packets: 5, Bytes: 500, Parts: []openflow.BucketCounter{{Packets: 3, Bytes: 300},
		{Packets: 2, Bytes: 200}, {Packets: 9, Bytes: 9}}})
	of.AddMeter(8, &ObjectCounts{Packets: 7, Bytes: 700, Parts: []openflow.BucketCounter{{Packets: 4, Bytes: 400}}})
	of.SetGroupTime(7, 4*time.Second)
	of.SetMeterTime(8, 3*time.Second)
	want("with what passed elsewhere", "6 560 [{4 360} {3 260}] 6", "8 760 [{4 400}] 7")
	of.AddGroup(99, &ObjectCounts{Packets: 1}) // there is none
	of.AddMeter(99, &ObjectCounts{Packets: 1})
	of.SetGroupTime(99, 0)
	of.SetMeterTime(99, 0)
	want("with counters of others", "6 560 [{4 360} {3 260}] 6", "8 760 [{4 400}] 7")
}
