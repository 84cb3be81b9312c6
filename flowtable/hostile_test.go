package flowtable

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// TestBufferBeforeAny: a buffer that was never given out is unknown, number 0 too, which careless
// controllers send.
func TestBufferBeforeAny(t *testing.T) {
	for id := range uint32(3) {
		b := newBed(t, Config{Buffers: 2})
		m := flow(t, 1, "", "apply:[set_field:02:00:00:00:00:07->eth_dst,output:2]")
		m.Buffer = id
		var refused *Error
		if err := b.FlowMod(openflow.V13, m, 0, &b.out); !errors.As(err, &refused) ||
			refused.Code != openflow.BadRequestBufferUnknown {
			t.Errorf("flow_mod with buffer %d: %v", id, err)
		}
		po := &openflow.PacketOut{Buffer: id, InPort: openflow.PortController, Actions: []openflow.Action{openflow.Output(2)}}
		if err := b.PacketOut(openflow.V13, po, 0, &b.out); !errors.As(err, &refused) ||
			refused.Code != openflow.BadRequestBufferUnknown {
			t.Errorf("packet_out of buffer %d: %v", id, err)
		}
		if got := b.out.take(); got != "" {
			t.Errorf("buffer %d: %s", id, got)
		}
	}
}

// TestLivenessOfManyWays: groups that watch each other twice over have as many ways down as 2 to
// their number. Each is looked at once a packet all the same: otherwise this test does not end.
func TestLivenessOfManyWays(t *testing.T) {
	b := newBed(t, Config{})
	add := func(id uint32, watchPort, watchGroup uint32) {
		t.Helper()
		one := openflow.Bucket{WatchPort: watchPort, WatchGroup: watchGroup, Actions: []openflow.Action{openflow.Output(2)}}
		m := &openflow.GroupMod{Command: openflow.GroupAdd, Kind: openflow.GroupTypeFastFailover, Group: id,
			Buckets: []openflow.Bucket{one, one}}
		if err := b.GroupMod(openflow.V13, m, 0, &b.out); err != nil {
			t.Fatal(err)
		}
	}
	const last = 100
	add(1, 3, openflow.GroupAny)
	for id := uint32(2); id <= last; id++ {
		add(id, openflow.PortAny, id-1)
	}
	b.must(flow(t, 1, "", "apply:[group:100]"))
	for _, up := range []bool{false, true, false} {
		b.SetPortState(3, up, 0, &b.out)
		b.out.take()
		b.Receive(1, udp(0), 0, &b.out)
		if sent := len(b.out.frames); sent != map[bool]int{true: 1}[up] {
			t.Errorf("port 3 up %v: %d frames", up, sent)
		}
	}
}

// TestDeepChain: a chain of groups that send to each other ends after maxChain, and a shorter one
// does not; memory is kept for no more.
func TestDeepChain(t *testing.T) {
	for _, c := range []struct {
		groups uint32
		sent   int
	}{{maxChain, 1}, {maxChain + 2, 0}, {500, 0}} {
		b := newBed(t, Config{})
		for id := uint32(1); id <= c.groups; id++ {
			actions := []openflow.Action{openflow.Output(2)}
			if id > 1 {
				actions = []openflow.Action{{Type: openflow.ActionGroup, ID: id - 1}}
			}
			one := openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny, Actions: actions}
			m := &openflow.GroupMod{Command: openflow.GroupAdd, Kind: openflow.GroupTypeIndirect, Group: id,
				Buckets: []openflow.Bucket{one}}
			if err := b.GroupMod(openflow.V13, m, 0, &b.out); err != nil {
				t.Fatal(err)
			}
		}
		b.must(flow(t, 1, "", fmt.Sprintf("apply:[set_field:02:00:00:00:00:07->eth_dst,group:%d]", c.groups)))
		b.out.take()
		b.Receive(1, udp(0), 0, &b.out)
		if sent := len(b.out.frames); sent != c.sent {
			t.Errorf("a chain of %d groups: %d frames, want %d", c.groups, sent, c.sent)
		}
		if len(b.copies) > maxChain+2 {
			t.Errorf("a chain of %d groups: memory for %d copies is kept", c.groups, len(b.copies))
		}
	}
}

// TestLateCall: the goroutines of an owner read the clock before they take its lock. A call that
// comes with an earlier time than the one before happens at that time: no meter is filled for the
// same time twice.
func TestLateCall(t *testing.T) {
	b := newBed(t, Config{})
	m := &openflow.MeterMod{Command: openflow.MeterAdd, Flags: openflow.MeterFlagPktps | openflow.MeterFlagBurst, Meter: 1,
		Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 1, Burst: 1}}}
	if err := b.MeterMod(openflow.V13, m, 0, &b.out); err != nil {
		t.Fatal(err)
	}
	b.must(flow(t, 1, "", "meter:1;apply:[output:2]"))
	for range 5 {
		b.Receive(1, udp(0), 10*time.Second, &b.out)
		b.Receive(1, udp(0), 9*time.Second, &b.out)
	}
	if sent := len(b.out.frames); sent != 1 {
		t.Errorf("%d frames pass at one instant, want 1", sent)
	}
}
