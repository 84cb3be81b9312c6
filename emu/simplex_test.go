package emu

import (
	"encoding/binary"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/random"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/packet"
)

// wayOf is one way of a link that is up.
func wayOf(spec topo.LinkSpec) *simplex {
	return &simplex{sender: new(sync.Mutex), spec: spec, random: random.Seeded(1, 2, 3), up: true, engine: new(engine)}
}

func TestDelayAndJitter(t *testing.T) {
	d := wayOf(topo.LinkSpec{Delay: 10 * time.Millisecond, Jitter: 4 * time.Millisecond})
	var last, sum, least, most time.Duration
	least = time.Hour
	const frames = 10000
	for i := range frames {
		now := time.Duration(i) * 10 * time.Millisecond // further apart than the jitter: none waits for the one before
		at, _, ok := d.admit(100, now)
		if !ok || at < last {
			t.Fatalf("frame %d arrives at %v, the one before at %v", i, at, last)
		}
		last, sum, least, most = at, sum+at-now, min(least, at-now), max(most, at-now)
	}
	if least < 6*time.Millisecond || most > 14*time.Millisecond || most-least < 7*time.Millisecond {
		t.Errorf("delays from %v to %v, want 10 ms with 4 ms of jitter", least, most)
	}
	if mean := sum / frames; mean < 9900*time.Microsecond || mean > 10100*time.Microsecond {
		t.Errorf("a mean delay of %v, want 10 ms", mean)
	}
}

// TestOrder has a wire not change the order, with a jitter as long as the delay.
func TestOrder(t *testing.T) {
	d := wayOf(topo.LinkSpec{Delay: time.Millisecond, Jitter: time.Millisecond})
	last := time.Duration(0)
	for i := range 1000 {
		at, _, _ := d.admit(100, time.Duration(i)*time.Microsecond)
		if at < last || at < time.Duration(i)*time.Microsecond {
			t.Fatalf("frame %d arrives at %v, the one before at %v", i, at, last)
		}
		last = at
	}
}

func TestLoss(t *testing.T) {
	for _, share := range []float64{0, 0.1, 0.5, 1} {
		d := wayOf(topo.LinkSpec{Loss: share})
		lost := 0
		for range 10000 {
			if _, why, ok := d.admit(100, 0); !ok {
				lost++
				if why != LostByChance {
					t.Fatalf("lost by %v", why)
				}
			}
		}
		if got := float64(lost) / 10000; math.Abs(got-share) > 0.02 {
			t.Errorf("%.3f of the frames lost, want %.3f", got, share)
		}
	}
}

// TestRate sends frames of 1,000 bytes over 1 Mbit/s: each takes 8 ms, and ten may wait behind the
// one that is being sent.
func TestRate(t *testing.T) {
	d := wayOf(topo.LinkSpec{RateBPS: 1_000_000, Queue: 10, Delay: time.Millisecond})
	for i := range 20 {
		at, why, ok := d.admit(1000, 0)
		switch {
		case ok != (i <= 10) || !ok && why != LostInQueue:
			t.Fatalf("frame %d: %v %v", i, ok, why)
		case ok && at != time.Duration(i+1)*8*time.Millisecond+time.Millisecond:
			t.Fatalf("frame %d arrives at %v", i, at)
		}
	}
	// The second has begun to leave after 8 ms: there is room for one more.
	for i, want := range []bool{true, false} {
		if _, _, ok := d.admit(1000, 8*time.Millisecond); ok != want {
			t.Fatalf("frame %d after 8 ms: %v, want %v", i, ok, want)
		}
	}
	if at, _, ok := d.admit(500, time.Second); !ok || at != time.Second+5*time.Millisecond {
		t.Fatalf("on a free link a frame of 500 bytes arrives at %v %v, want 1.005 s", at, ok)
	}
}

// TestMTU gives a link frames that are just as long as its MTU allows, and longer ones.
func TestMTU(t *testing.T) {
	for _, c := range []struct {
		name string
		tags []uint16 // Ethernet types after the addresses
		most int      // length of the longest frame at an MTU of 1,500
	}{
		{"untagged", []uint16{packet.TypeIPv4}, 1514},
		{"a tag", []uint16{packet.TypeVLAN}, 1518},
		{"a service tag", []uint16{packet.TypeQinQ}, 1518},
		{"two tags: the second counts", []uint16{packet.TypeVLAN, 0, packet.TypeVLAN}, 1518},
		{"a label counts", []uint16{packet.TypeMPLS}, 1514},
	} {
		d := wayOf(topo.LinkSpec{MTU: 1500})
		d.engine.maxHeld = MaxOnLink
		frame := make([]byte, c.most+1)
		for i, v := range c.tags {
			binary.BigEndian.PutUint16(frame[12+2*i:], v)
		}
		if _, ok := d.begin(frame[:c.most], 0); !ok {
			t.Errorf("%s: a frame of %d bytes is lost", c.name, c.most)
		}
		if _, ok := d.begin(frame, 0); ok || d.lost[LostToMTU].Load() != 1 || d.sent.Load() != 1 {
			t.Errorf("%s: a frame of %d bytes passes; %d counted as too long", c.name, len(frame), d.lost[LostToMTU].Load())
		}
		if _, ok := d.begin(nil, 0); !ok {
			t.Errorf("%s: an empty frame is lost", c.name)
		}
		d.respec(topo.LinkSpec{}, 0)
		if _, ok := d.begin(frame, 0); !ok {
			t.Errorf("%s: a frame is lost without an MTU", c.name)
		}
	}
}

// TestFastRate: a frame of 64 bytes takes 5.12 ns at 100 Gbit/s. What is less than a nanosecond is
// not lost.
func TestFastRate(t *testing.T) {
	d := wayOf(topo.LinkSpec{RateBPS: 100_000_000_000, Queue: 1000})
	var at time.Duration
	for range 1000 {
		at, _, _ = d.admit(64, 0)
	}
	if at != 5120 {
		t.Errorf("1,000 frames have left after %v, want 5.12 µs", at)
	}
}

// TestOverloadTakesNoTime: a frame that is lost because too many are in flight does not hold up
// those that come later.
func TestOverloadTakesNoTime(t *testing.T) {
	d := wayOf(topo.LinkSpec{RateBPS: 1_000_000, Queue: 2 * MaxOnLink})
	d.engine.maxHeld = MaxOnLink
	taken := 0
	for range 2 * MaxOnLink {
		if _, ok := d.begin(make([]byte, 1000), 0); ok {
			taken++
		}
	}
	if taken != MaxOnLink || d.free != MaxOnLink*8*time.Millisecond || d.lost[LostByOverload].Load() != MaxOnLink {
		t.Errorf("%d frames taken, which leave until %v, %d lost", taken, d.free, d.lost[LostByOverload].Load())
	}
	for range MaxOnLink {
		d.release()
	}
	d.setUp(false)
	if _, ok := d.begin(nil, 0); ok || d.held.Load() != 0 || d.engine.held.Load() != 0 || d.lost[LostOnDownLink].Load() != 1 {
		t.Errorf("a link that is down holds %d frames", d.held.Load())
	}
}

// TestFullQueueIsNoOverload has the longest queue that can be asked for fill up, and lose what it
// has no room for as a queue does.
func TestFullQueueIsNoOverload(t *testing.T) {
	d := wayOf(topo.LinkSpec{RateBPS: 1_000_000, Queue: topo.MaxQueue})
	d.engine.maxHeld = newEngine(&Network{cfg: Config{Engines: 1000}}, 0).maxHeld
	for range topo.MaxQueue + 2 {
		d.begin(make([]byte, 1000), 0)
	}
	if lost := d.lost[LostInQueue].Load(); d.held.Load() != topo.MaxQueue+1 || lost != 1 {
		t.Errorf("%d frames taken, %d lost in the queue, want one more than the queue holds and one", d.held.Load(), lost)
	}
}

func TestCutWayForgetsItsQueue(t *testing.T) {
	d := wayOf(topo.LinkSpec{RateBPS: 1_000_000, Queue: 1})
	d.admit(1000, 0)
	d.admit(1000, 0)
	d.setUp(false)
	if _, why, ok := d.admit(1000, 0); ok || why != LostOnDownLink {
		t.Fatalf("a link that is down takes a frame: %v %v", why, ok)
	}
	d.setUp(true)
	if at, _, ok := d.admit(1000, 0); !ok || at != 8*time.Millisecond || d.cut.Load() != 1 {
		t.Fatalf("after the cut: %v %v, cut %d times", at, ok, d.cut.Load())
	}
}

// TestSameSeed has two ways with the same seed lose the same frames, and others others.
func TestSameSeed(t *testing.T) {
	run := func(number int) (lost string) {
		d := wayOf(topo.LinkSpec{Loss: 0.5})
		d.random = random.Seeded(7, seedForward, number)
		for range 64 {
			if _, _, ok := d.admit(1, 0); ok {
				lost += "."
			} else {
				lost += "x"
			}
		}
		return lost
	}
	first, again, other := run(1), run(1), run(2)
	if first != again || first == other {
		t.Errorf("link 1 loses %s and then %s, link 2 %s", first, again, other)
	}
}
