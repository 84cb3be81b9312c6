package emu

import (
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
)

// TestRateOfABacklogChanges has frames of 1,250 bytes wait for 1 kbit/s, 10 s each, when the rate
// changes after 15 s. The second is half out by then.
func TestRateOfABacklogChanges(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name  string
		rates []uint64
		want  []time.Duration
	}{
		{"ten times faster", []uint64{10_000}, []time.Duration{10 * s, 15*s + s/2, 16*s + s/2, 17*s + s/2}},
		{"no limit any more", []uint64{0}, []time.Duration{10 * s, 15 * s, 15 * s, 15 * s}},
		{"ten times slower, and back", []uint64{100_000, 1000}, []time.Duration{10 * s, 20 * s, 30 * s, 40 * s}},
		{"slower", []uint64{500 * 2, 1000}, []time.Duration{10 * s, 20 * s, 30 * s, 40 * s}},
		{"five times slower", []uint64{2000, 5000}, []time.Duration{10 * s, 16 * s, 18 * s, 20 * s}},
	} {
		now := time.Duration(0)
		n := steppedBy(t, "linear:2,rate=1k", func() time.Duration { return now })
		from, to := n.Hosts()[0], n.Hosts()[1]
		for range 4 {
			n.say(from, to, 1250)
		}
		n.advanceFrom(0, 15*s)
		now = 15 * s
		for _, rate := range c.rates {
			if err := n.Links()[0].Set(Forward, topo.LinkSpec{RateBPS: rate}); err != nil {
				t.Fatal(err)
			}
		}
		n.say(from, to, 1250)
		n.advanceFrom(15*s, 100*s)
		got := stationOf(to).times
		if len(got) != 5 || !slices.Equal(got[:4], c.want) || got[4] < got[3] {
			t.Errorf("%s: arrived at %v, want %v and one more", c.name, got, c.want)
		}
		if left := n.Totals().Frames; left != 0 {
			t.Errorf("%s: %d frames are still on their way", c.name, left)
		}
	}
}

// say has a host send a frame to another at the network's time.
func (n *Network) say(from, to *Host, size int) {
	from.do(func(_ stack, _ time.Duration, out host.Output) { out.Send(frameBetween(from, to, size)) })
	n.advanceFrom(n.now(), n.now())
}

// TestOrderOfTwoSenders has frames of a switch's engine, which come at the end of its round, and
// frames of a controller's packet-outs, which come at once, arrive in the order in which they were
// sent.
func TestOrderOfTwoSenders(t *testing.T) {
	n := stepped(t, "linear:2", 1, 2)
	to := n.Hosts()[1]
	way := n.Links()[0].directions[Forward].engine
	d := &n.Links()[0].directions[Forward]
	var rounds []transit // of the engine
	for i := range 6 {
		tr, ok := d.begin(frameBetween(to, to, 60+i), 0)
		if !ok {
			t.Fatal("lost")
		}
		tr.frame = newCopy(frameBetween(to, to, 60+i))
		if i%3 == 0 {
			rounds = append(rounds, tr)
		} else {
			way.post([]transit{tr})
		}
	}
	n.advance(0)
	if got := stationOf(to).count(); got != 0 {
		t.Errorf("%d frames have passed those before them", got)
	}
	way.post(rounds)
	n.advance(0)
	var sizes []int
	for _, b := range stationOf(to).heard {
		sizes = append(sizes, len(b))
	}
	if !slices.Equal(sizes, []int{60, 61, 62, 63, 64, 65}) || n.Totals().Frames != 0 {
		t.Errorf("arrived in the order %v, %d on their way", sizes, n.Totals().Frames)
	}
}

// TestRateChangesBeforeAFrameHasCome has a frame that waits for the rate reach its engine after the
// rate is gone.
func TestRateChangesBeforeAFrameHasCome(t *testing.T) {
	n := stepped(t, "linear:2,rate=1k", 1, 1)
	to, d := n.Hosts()[1], &n.Links()[0].directions[Forward]
	late, _ := d.begin(make([]byte, 1250), 0)
	late.frame = newCopy(frameBetween(to, to, 1250))
	if err := n.Links()[0].Set(Forward, topo.LinkSpec{}); err != nil {
		t.Fatal(err)
	}
	n.advance(0)
	d.engine.post([]transit{late})
	n.advance(0)
	if got := stationOf(to).times; len(got) != 1 || got[0] != 0 {
		t.Errorf("arrived at %v, want at once", got)
	}
}
