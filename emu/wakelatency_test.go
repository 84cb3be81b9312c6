package emu

import (
	"testing"
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// clocked is what is beyond an attachment: it notes when frames come.
type clocked struct {
	now  *time.Duration
	came []time.Duration
}

func (c *clocked) Deliver([]byte) { c.came = append(c.came, *c.now) }
func (c *clocked) Carrier(bool)   {}

// TestPathLatencyIsThatBetweenDevices has what the way to a device takes be a part of the path
// latency: on the way in and on the way out.
func TestPathLatencyIsThatBetweenDevices(t *testing.T) {
	for _, devices := range []time.Duration{0, 600 * time.Microsecond, time.Second} {
		pathLatencyBetweenDevices(t, devices)
	}
}

// pathLatencyBetweenDevices has devices take so much of a path latency: a frame that leaves by one
// goes half of it earlier.
func pathLatencyBetweenDevices(t *testing.T, devices time.Duration) {
	now := new(time.Duration)
	n, err := New(Config{Topology: parse(t, "single:1"), stack: newStation, Engines: 1,
		clock: func() time.Duration { return *now },
		Profile: profile.Profile{
			PathLatency: profile.Latency{Points: []profile.Point{{Payload: 100, Delay: 2 * time.Millisecond}},
				Devices: []profile.Point{{Payload: 100, Delay: devices}}}}})
	if err != nil {
		t.Fatal(err)
	}
	sw, h := n.Switches()[0], n.Hosts()[0]
	out := &clocked{now: now}
	a, err := sw.Attach(0, "tap", topo.LinkSpec{}, out)
	if err != nil {
		t.Fatal(err)
	}
	if err := sw.data.table.FlowMod(openflow.V13, flood().(*openflow.FlowMod), 0, &output{sw: sw}); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		n.wakeLatency.add(40 * time.Microsecond)
		n.wakeLatency.add(maxWakeLatency + 1)
	}
	call := n.wakeLatency.typical()
	if call < 39*time.Microsecond || call > 40*time.Microsecond {
		t.Fatalf("a call takes %v, want 40µs", call)
	}
	*now = time.Second
	a.Send([][]byte{frameBetween(h, h, 100)})
	run(n, now, 2*time.Second)
	if got := stationOf(h).times; len(got) != 1 || got[0] != time.Second+time.Millisecond-call {
		t.Errorf("from the device frames came at %v", got)
	}
	send(h, frameBetween(h, h, 100))
	run(n, now, 3*time.Second)
	want := 2*time.Second + max(time.Millisecond-devices/2-call, 0)
	if got := out.came; len(got) != 1 || got[0] != want {
		t.Errorf("to the device, of which %v are taken off, frames came at %v, want %v", devices, got, want)
	}
}
