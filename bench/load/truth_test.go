package load

import (
	"context"
	"errors"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/session/pipe"
)

// truth is a synthetic responder under load, in virtual time: nothing takes any but what the
// responder is told to, so that what is measured can be compared with what was drawn.
type truth struct {
	y     *target.Synthetic
	mu    sync.Mutex
	fates []target.PlannedReply
}

// loaded is a load, for how long there is, and for how long that does not count: a tenth of it if
// not given, none if negative.
type loaded struct {
	Config
	Duration, Cut time.Duration
}

func (c *loaded) withDefaults() {
	c.Config.withDefaults()
	if c.Cut == 0 {
		c.Cut = c.Duration / 10
	}
	c.Cut = max(c.Cut, 0)
}

// measureTruth runs a scenario once against a responder, and returns what it measured and the fates
// of the packets meanwhile.
func measureTruth(t *testing.T, b target.Behaviour, c *loaded) (sm *Sample, fates []target.PlannedReply) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ln := pipe.Listen("test")
		k := &truth{y: &target.Synthetic{Behaviour: b, Wait: exactly}}
		k.y.Note = func(f target.PlannedReply) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.fates = append(k.fates, f)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- k.y.Respond(ctx, ln) }()
		c.dial = func(ctx context.Context, _ string) (net.Conn, error) { return ln.Dial(ctx) }
		c.withDefaults()
		var err error
		if c.Network, err = loadswitch.ParseTopology(c.Topology, 1); err != nil {
			t.Fatal(err)
		}
		l := New(&c.Config)
		l.nap, l.urgent = time.Sleep, func() func() { return func() {} }
		if err := errors.Join(l.Connect(ctx, "synthetic:1"), l.IntroduceHosts(ctx)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(c.Drain) // what the last probes left behind
		k.mu.Lock()
		k.fates = nil
		k.mu.Unlock()
		if sm, err = l.Measure(ctx, c.Duration, c.Cut, nil); err != nil {
			t.Fatal(err)
		}
		l.Close()
		cancel()
		<-done
		fates = k.fates
	})
	return sm, fates
}

// exactly waits for the time itself.
func exactly(d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	}
}

// within reports whether a figure is within a part of what it should be.
func within(got, want, part float64) bool { return math.Abs(got-want) <= part*math.Abs(want) }

// delayOf reads a delay.
func delayOf(t *testing.T, s string) target.Delay {
	t.Helper()
	d, err := target.ParseDelay(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// points are where distributions are compared, in per cent.
var points = []float64{1, 10, 25, 50, 75, 90, 95, 99}

// TestDelaysAreMeasuredAsTheyWere wants each distribution within 1 % of what was drawn, and of what
// the distribution is by its definition, at a set rate and with a number outstanding.
func TestDelaysAreMeasuredAsTheyWere(t *testing.T) {
	exp := func(q float64) float64 { return -math.Log(1-q) * 20e6 }
	uniform := func(q float64) float64 { return 5e6 + q*10e6 }
	for _, tc := range []struct {
		delay string
		want  func(q float64) float64 // ns
		part  float64                 // how far so many draws may be from it, beside the 1 %
	}{
		{"7ms", func(float64) float64 { return 7e6 }, 0},
		{"uniform:5ms-15ms", uniform, 0.005},
		{"exp:20ms", exp, 0.05},
		{"mix:1ms/50ms@0.02", func(q float64) float64 {
			if q < 0.98 {
				return 1e6
			}
			return 50e6
		}, 0},
	} {
		for _, rate := range []int{5000, 0} {
			c := &loaded{Config: Config{Rate: rate, Hosts: 100, Outstanding: 30, Topology: "single:4",
				Buffered: rate > 0}, Duration: time.Second}
			sm, fates := measureTruth(t, target.Behaviour{Delay: delayOf(t, tc.delay), Seed: 3}, c)
			if err := sm.Check(&c.Config); err != nil {
				t.Fatalf("%s: %v", tc.delay, err)
			}
			if rate > 0 && (sm.Lateness.Max() > int64(2*paceTick) || sm.Latency.TotalCount() != 5000) {
				t.Errorf("%s: %d counted, late by %d ns", tc.delay, sm.Latency.TotalCount(), sm.Lateness.Max())
			}
			drawn := make([]float64, len(fates))
			for i, f := range fates {
				drawn[i] = float64(f.Due - f.Arrived)
			}
			slices.Sort(drawn)
			for _, p := range points {
				got := float64(sm.Latency.ValueAtQuantile(p))
				q := p / 100
				if want := drawn[int(q*float64(len(drawn)))]; !within(got, want, 0.01+tc.part) {
					t.Errorf("%s at %d/s: p%v is %v, drawn were %v", tc.delay, rate, p, time.Duration(got), time.Duration(want))
				}
				if want := tc.want(q); p >= 10 && p <= 99 && !within(got, want, 0.01+tc.part) {
					t.Errorf("%s at %d/s: p%v is %v, by definition %v", tc.delay, rate, p, time.Duration(got),
						time.Duration(want))
				}
			}
		}
	}
}

// TestHistogramsHoldTheTruth is the same without sampling: every packet's latency against its own
// draw, within 1 %.
func TestHistogramsHoldTheTruth(t *testing.T) {
	c := &loaded{Config: Config{Rate: 10000, Hosts: 50}, Duration: time.Second, Cut: -1}
	sm, fates := measureTruth(t, target.Behaviour{Delay: delayOf(t, "exp:20ms"), Seed: 9}, c)
	h := report.NewHistogram()
	for _, f := range fates {
		h.Record(int64(f.Due - f.Arrived))
	}
	if sm.Latency.TotalCount() != 10000 || h.TotalCount() != 10000 {
		t.Fatalf("%d measured, %d drawn of 10000", sm.Latency.TotalCount(), h.TotalCount())
	}
	for p := 1.0; p < 100; p++ {
		if got, want := float64(sm.Latency.ValueAtQuantile(p)), float64(h.ValueAtQuantile(p)); !within(got, want, 0.01) {
			t.Errorf("p%v is %v, drawn were %v", p, time.Duration(got), time.Duration(want))
		}
	}
	if got := sm.Latency.Mean(); !within(got, h.Mean(), 0.01) {
		t.Errorf("mean %v, drawn %v", got, h.Mean())
	}
}

// TestLossesAreCountedExactly wants as many missing answers as were lost, and no result.
func TestLossesAreCountedExactly(t *testing.T) {
	for _, loss := range []float64{0.0005, 0.01, 0.3} {
		c := &loaded{Config: Config{Rate: 5000, Hosts: 50, Topology: "single:3"}, Duration: time.Second}
		sm, fates := measureTruth(t, target.Behaviour{Delay: delayOf(t, "1ms"), Loss: loss, Seed: 5}, c)
		lost := 0
		for _, f := range fates {
			if f.Lost {
				lost++
			}
		}
		if lost == 0 || sm.Missing != lost || sm.Counts.Sent != 6000 || sm.Counts.Answered != uint64(6000-lost) {
			t.Errorf("%d lost of 6000; %d missing, %+v", lost, sm.Missing, sm.Counts)
		}
		if err := sm.Check(&c.Config); !errors.Is(err, report.ErrMissing) {
			t.Errorf("loss %v: %v", loss, err)
		}
	}
}

// TestWrongAnswersAreNone wants answers that name no packet of ours to be counted as that.
func TestWrongAnswersAreNone(t *testing.T) {
	for _, buffered := range []bool{true, false} {
		c := &loaded{Config: Config{Rate: 4000, Hosts: 50, Buffered: buffered}, Duration: time.Second}
		sm, fates := measureTruth(t, target.Behaviour{Delay: delayOf(t, "1ms"), Wrong: 0.02, Seed: 5}, c)
		wrong := 0
		for _, f := range fates {
			if f.Wrong {
				wrong++
			}
		}
		if wrong == 0 || sm.Missing != wrong || sm.Counts.Again != uint64(wrong) {
			t.Errorf("buffered=%v: %d wrong; %d missing, %+v", buffered, wrong, sm.Missing, sm.Counts)
		}
		if err := sm.Check(&c.Config); !errors.Is(err, report.ErrMissing) ||
			!strings.Contains(err.Error(), "more messages named packets that did not wait, or were never sent") {
			t.Errorf("%v", err)
		}
	}
}

// TestStallsAreInTheTail has a responder do nothing for a tenth of every second. At a set rate a
// tenth of the packets wait for the end of a stall, 50 ms on average: what they would have waited
// for is in the tail. One packet at a time hides it: only one packet is under way when a stall
// begins.
func TestStallsAreInTheTail(t *testing.T) {
	stalling := target.Behaviour{Delay: delayOf(t, "1ms"), StallEvery: time.Second, StallFor: 100 * time.Millisecond}
	open := &loaded{Config: Config{Rate: 3000, Hosts: 50}, Duration: 3 * time.Second, Cut: -1}
	sm, _ := measureTruth(t, stalling, open)
	for _, tc := range []struct{ percentile, want float64 }{{50, 1e6}, {89, 1e6}, {95, 50.5e6}, {99, 90.5e6}, {99.9, 100e6}} {
		if got := float64(sm.Latency.ValueAtQuantile(tc.percentile)); !within(got, tc.want, 0.03) {
			t.Errorf("open loop: p%v is %v, want %v", tc.percentile, time.Duration(got), time.Duration(tc.want))
		}
	}
	closed := &loaded{Config: Config{Outstanding: 1, Hosts: 50}, Duration: 3 * time.Second}
	sm, _ = measureTruth(t, stalling, closed)
	if got := sm.Latency.ValueAtQuantile(99); !within(float64(got), 1e6, 0.01) || sm.Latency.Max() < 99e6 {
		t.Errorf("one outstanding: p99 %v, max %v", time.Duration(got), time.Duration(sm.Latency.Max()))
	}
}

// TestTooSlow wants a verdict about a controller that falls behind.
func TestTooSlow(t *testing.T) {
	c := &loaded{Config: Config{Rate: 200000, Hosts: 50, Settle: 10 * time.Second}, Duration: 100 * time.Millisecond,
		Cut: 150 * time.Millisecond}
	sm, _ := measureTruth(t, target.Behaviour{Delay: delayOf(t, "500ms")}, c)
	if err := sm.Check(&c.Config); !errors.Is(err, report.ErrSlow) {
		t.Errorf("%v", err)
	}
	c = &loaded{Config: Config{Rate: 1000, Hosts: 50, Settle: 10 * time.Second}, Duration: 100 * time.Millisecond, Cut: -1}
	sm, _ = measureTruth(t, target.Behaviour{Delay: delayOf(t, "1s")}, c)
	if err := sm.Check(&c.Config); !errors.Is(err, report.ErrSlow) || sm.Missing != 0 {
		t.Errorf("%v", err)
	}
}

// TestLateSendingIsInTheLatency has the generator oversleep: latencies run from when packets were
// meant to be sent, and there is no result.
func TestLateSendingIsInTheLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := pipe.Listen("test")
		y := &target.Synthetic{Wait: exactly}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- y.Respond(ctx, ln) }()
		c := &loaded{Config: Config{Rate: 1000, Hosts: 50}, Duration: time.Second}
		c.dial = func(ctx context.Context, _ string) (net.Conn, error) { return ln.Dial(ctx) }
		c.withDefaults()
		var err error
		if c.Network, err = loadswitch.ParseTopology(c.Topology, 1); err != nil {
			t.Fatal(err)
		}
		l := New(&c.Config)
		l.nap, l.urgent = func(time.Duration) { time.Sleep(100 * time.Millisecond) }, func() func() { return func() {} }
		if err := errors.Join(l.Connect(ctx, "synthetic:1"), l.IntroduceHosts(ctx)); err != nil {
			t.Fatal(err)
		}
		sm, err := l.Measure(ctx, c.Duration, c.Cut, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(sm.Latency.ValueAtQuantile(50)); !within(got, 50e6, 0.05) ||
			sm.Latency.TotalCount() != 1000 || !errors.Is(sm.Check(&c.Config), report.ErrLate) {
			t.Errorf("median %v of %d; %v", time.Duration(got), sm.Latency.TotalCount(), sm.Check(&c.Config))
		}
		l.Close()
		cancel()
		<-done
	})
}

// TestSlowIsNotLost has a controller whose last answers come long after the run, but come.
func TestSlowIsNotLost(t *testing.T) {
	c := &loaded{Config: Config{Outstanding: 50, Hosts: 50, Drain: 500 * time.Millisecond}, Duration: time.Second}
	sm, _ := measureTruth(t, target.Behaviour{Delay: delayOf(t, "uniform:100ms-1500ms"), Seed: 2}, c)
	if err := sm.Check(&c.Config); err != nil || sm.Missing != 0 || sm.Latency.Max() < 1400e6 {
		t.Errorf("%v; %d missing, slowest %v", err, sm.Missing, time.Duration(sm.Latency.Max()))
	}
}
