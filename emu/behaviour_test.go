package emu

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// profiled reads a profile of a test.
func profiled(t testing.TB, text string) profile.Profile {
	t.Helper()
	p, err := profile.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// acting is a network with a profile whose clock the test sets, of switches that flood.
func acting(t *testing.T, spec, text string) (*Network, *time.Duration) {
	t.Helper()
	now := new(time.Duration)
	n, err := New(Config{Topology: parse(t, spec), stack: newStation, Engines: 1, Profile: profiled(t, text),
		clock: func() time.Duration { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	for _, sw := range n.switches {
		if err := sw.data.table.FlowMod(openflow.V13, flood().(*openflow.FlowMod), 0, &output{sw: sw}); err != nil {
			t.Fatal(err)
		}
	}
	return n, now
}

// run lets time go by, from one time at which something happens to the next.
func run(n *Network, clock *time.Duration, until time.Duration) {
	for {
		stepAt(n, clock, *clock)
		next, ok := n.engines[0].timers.next()
		if !ok || next > until {
			break
		}
		*clock = max(next, *clock)
	}
	*clock = until
	stepAt(n, clock, until)
}

// datagram is a frame of so many bytes with a packet of UDP, from one host to another.
func datagram(from, to *Host, size int) []byte {
	k := packet.Key{EthDst: to.spec.MAC, EthSrc: from.spec.MAC, EtherType: packet.TypeIPv4,
		IPSrc: packet.AddrFrom(from.spec.IPv4.Addr()), IPDst: packet.AddrFrom(to.spec.IPv4.Addr())}
	return packet.AppendUDP(nil, &k, make([]byte, size-packet.EthernetLen-packet.IPv4Len-packet.UDPLen))
}

// fragmented is a packet of so many bytes behind its IP header, in fragments of 1,480.
func fragmented(t *testing.T, from, to *Host, size int) [][]byte {
	t.Helper()
	frames, ok := packet.AppendFragments(nil, datagram(from, to, packet.EthernetLen+packet.IPv4Len+size), 1500, 7)
	if !ok {
		t.Fatal("no fragments")
	}
	return frames
}

func send(from *Host, frames ...[]byte) {
	from.do(func(_ stack, _ time.Duration, out host.Output) {
		for _, f := range frames {
			out.Send(f)
		}
	})
}

const curve = `path_latency: {points: [{payload: 100, delay: 2ms}, {payload: 10000, delay: 6ms}]}`

// TestPathLatencyIsThatOfThePayload has whole packets take the time of their payload, one way.
func TestPathLatencyIsThatOfThePayload(t *testing.T) {
	for size, want := range map[int]time.Duration{64: time.Millisecond, 14 + 28 + 100: time.Millisecond,
		14 + 28 + 1000: 2 * time.Millisecond, 14 + 28 + 10000: 3 * time.Millisecond} {
		n, now := acting(t, "linear:1,hosts=2", curve)
		*now = time.Second
		send(n.Hosts()[0], datagram(n.Hosts()[0], n.Hosts()[1], size))
		run(n, now, 2*time.Second)
		if got := stationOf(n.Hosts()[1]).times; len(got) != 1 || got[0] < time.Second+want-time.Microsecond ||
			got[0] > time.Second+want+time.Microsecond {
			t.Errorf("%d bytes arrive at %v, want 1s + %v", size, got, want)
		}
	}
}

// TestFragmentsTakeTheTimeOfTheirPacket has the last fragment go when the packet's time is over,
// counted from the first fragment's coming.
func TestFragmentsTakeTheTimeOfTheirPacket(t *testing.T) {
	n, now := acting(t, "linear:1,hosts=2", curve)
	a, b := n.Hosts()[0], n.Hosts()[1]
	*now = time.Second
	for _, f := range fragmented(t, a, b, 10000+8) {
		send(a, f)
		run(n, now, *now+100*time.Microsecond)
	}
	run(n, now, 2*time.Second)
	got := stationOf(b).times
	if len(got) != 7 || !slices.IsSorted(got) {
		t.Fatalf("arrivals %v", got)
	}
	if last := got[6] - time.Second; last != 3*time.Millisecond {
		t.Errorf("the packet took %v, want 3ms", last)
	}
	if first := got[0] - time.Second; first < 2*time.Millisecond || first > 2300*time.Microsecond { // of 1,472 bytes
		t.Errorf("the first fragment took %v", first)
	}
}

// TestAFallingCurveHoldsNoFragmentBack has a packet in fragments take less than a shorter one that
// is whole.
func TestAFallingCurveHoldsNoFragmentBack(t *testing.T) {
	n, now := acting(t, "linear:1,hosts=2", `path_latency: {points: [{payload: 1000, delay: 8ms}, {payload: 2000, delay: 2ms}]}`)
	a, b := n.Hosts()[0], n.Hosts()[1]
	*now = time.Second
	send(a, fragmented(t, a, b, 2008)...)
	run(n, now, 2*time.Second)
	if got := stationOf(b).times; len(got) != 2 || got[1] != time.Second+time.Millisecond {
		t.Errorf("arrivals %v, want the last at 1.001s", got)
	}
}

// TestLoadOfTheSwitchCountsAtEveryPort has packets between two hosts take less time, both ways, while
// much goes between two others: nothing of that leaves by their ports.
func TestLoadOfTheSwitchCountsAtEveryPort(t *testing.T) {
	n, now := acting(t, "linear:1,hosts=4", "path_latency: {points: [{payload: 100, delay: 8ms}]}\n"+
		"load: {of: switch, points: [{rate: 10M, times: 0.25}]}")
	sw, h := n.switches[0], n.Hosts()
	for i, out := range []uint32{2, 1, 4, 3} {
		var m openflow.Match
		m.SetUint(openflow.FieldInPort, uint64(i+1))
		entry := addFlow(9, m, openflow.Apply(openflow.Output(out)))
		if err := sw.data.table.FlowMod(openflow.V13, entry, 0, &output{sw: sw}); err != nil {
			t.Fatal(err)
		}
	}
	took := func(from, to int) time.Duration {
		sent := *now
		send(h[from], frameBetween(h[from], h[to], 64))
		run(n, now, *now+20*time.Millisecond)
		times := stationOf(h[to]).times
		return times[len(times)-1] - sent
	}
	*now = time.Second
	if d := took(0, 1); d.Round(10*time.Microsecond) != 4*time.Millisecond { // the packet itself is a load
		t.Errorf("without load one way took %v, want 4ms", d)
	}
	for range 1000 { // 100 Mbit/s for a second
		send(h[2], frameBetween(h[2], h[3], 12500))
		run(n, now, *now+time.Millisecond)
	}
	if there, back := took(0, 1), took(1, 0); there != time.Millisecond || back != time.Millisecond {
		t.Errorf("under load of the switch %v and %v, want 1ms each", there, back)
	}
}

// TestLoadLengthensThePath has packets take longer while much leaves by their port.
func TestLoadLengthensThePath(t *testing.T) {
	n, now := acting(t, "linear:1,hosts=3", curve+"\nload: {points: [{rate: 10M, times: 1}, {rate: 50M, times: 3}]}")
	a, b, c := n.Hosts()[0], n.Hosts()[1], n.Hosts()[2]
	*now = time.Second
	for range 1000 { // 100 Mbit/s for a second
		send(c, frameBetween(c, b, 12500))
		run(n, now, *now+time.Millisecond)
	}
	before := len(stationOf(b).times)
	send(a, frameBetween(a, b, 64))
	sent := *now
	run(n, now, *now+time.Second)
	if got := stationOf(b).times; len(got) < before+1 || got[len(got)-1]-sent < 3*time.Millisecond {
		t.Errorf("under load a packet took %v, want 3ms at least", got[len(got)-1]-sent)
	}
	sent = *now
	send(a, frameBetween(a, b, 64))
	run(n, now, *now+time.Second)
	if got := stationOf(b).times; got[len(got)-1]-sent != time.Millisecond {
		t.Errorf("a second after the load a packet took %v", got[len(got)-1]-sent)
	}
}

// TestChanceOfAPathLatency holds the distribution of both ways together: the median, nine in ten, and
// the seed.
func TestChanceOfAPathLatency(t *testing.T) {
	draw := func() (took []time.Duration) {
		n, now := acting(t, "linear:1,hosts=2", "path_latency: {points: [{payload: 100, delay: 2ms}], p90: 1.5}")
		way := func(from, to *Host) time.Duration {
			sent := *now
			speak(from, to, 64)
			run(n, now, sent+100*time.Millisecond)
			times := stationOf(to).times
			return times[len(times)-1] - sent
		}
		for range 2001 {
			took = append(took, way(n.Hosts()[0], n.Hosts()[1])+way(n.Hosts()[1], n.Hosts()[0]))
		}
		return took
	}
	took := draw()
	if !slices.Equal(took, draw()) {
		t.Error("the same seed draws something else")
	}
	slices.Sort(took)
	if m := took[1000]; m < 1900*time.Microsecond || m > 2100*time.Microsecond {
		t.Errorf("the median is %v, want about 2ms", m)
	}
	if m := took[1800]; m < 2800*time.Microsecond || m > 3200*time.Microsecond {
		t.Errorf("nine in ten are below %v, want about 3ms", m)
	}
}

// TestEachSwitchHasItsProfile has the topology say that one switch of a network is not like the
// others.
func TestEachSwitchHasItsProfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "three.yaml")
	if err := os.WriteFile(file, []byte("switches: [{name: a, profile: aruba-3810m}, b, {name: c, profile: ideal}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	top, err := topo.Load(file, 1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := New(Config{Topology: top, Profile: profiled(t, curve), clock: func() time.Duration { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, sw := range n.Switches() {
		names = append(names, sw.Profile().Name)
	}
	if want := []string{"aruba-3810m", "test", "ideal"}; !slices.Equal(names, want) {
		t.Errorf("profiles %v, want %v", names, want)
	}
	if n.Switches()[2].behaviour != nil {
		t.Error("an ideal switch has a behaviour")
	}
}
