package fit

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/profile"
)

// sized are times of a switch of a latency, as the emulator makes them, with a machine's noise.
func sized(n *noise, l *profile.Latency, times float64, count int) (out []Sized) {
	for _, p := range l.Points {
		s := Sized{Payload: p.Payload}
		for range count {
			took := time.Duration(float64(p.Delay) * times * l.Chance().Times(n.NormFloat64()))
			s.Took = append(s.Took, n.time(took))
		}
		out = append(out, s)
	}
	return out
}

var truth = profile.Latency{Points: []profile.Point{{Payload: 56, Delay: 2 * time.Millisecond},
	{Payload: 1500, Delay: 2600 * time.Microsecond}, {Payload: 10000, Delay: 1200 * time.Microsecond},
	{Payload: 65000, Delay: 18 * time.Millisecond}}, P90: 1.2}

func TestPathLatencyIsFoundAgain(t *testing.T) {
	n := noisy(7)
	n.outliers = 0.01
	got, q, err := PathLatency(sized(n, &truth, 1, 200))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v, %+v", got, q)
	for i, p := range truth.Points {
		if got.Points[i].Payload != p.Payload {
			t.Errorf("payload %d, want %d", got.Points[i].Payload, p.Payload)
		}
		near(t, "median", got.Points[i].Delay.Seconds(), p.Delay.Seconds(), 0.05)
	}
	near(t, "p90", got.P90, truth.P90, 0.05)
	if q.Points != 4 || q.Residual > 0.1 || got.Source != profile.Measured {
		t.Errorf("%+v, %s", q, got.Source)
	}
	// The residual says that one multiple is not that of all.
	wide := sized(n, &truth, 1, 200)
	for i := range wide[0].Took {
		wide[0].Took[i] *= time.Duration(1 + i%5)
	}
	if _, q, err = PathLatency(wide); err != nil || q.Residual < 0.1 {
		t.Errorf("one payload with a wide spread: %+v, %v", q, err)
	}
}

func TestLatencyOfFewTimesHasNoChance(t *testing.T) {
	got, q, err := PathLatency([]Sized{{Payload: 56}, {Payload: 1500, Took: []time.Duration{3000, 1000, 9000}}})
	if err != nil || len(got.Points) != 1 || got.Points[0] != (profile.Point{Payload: 1500, Delay: 3 * time.Microsecond}) ||
		got.P90 != 0 || q.Points != 1 {
		t.Errorf("%+v, %+v, %v", got, q, err)
	}
	for _, sizes := range [][]Sized{nil, {{Payload: 56}}, {{Took: []time.Duration{1}}},
		{{Payload: 9, Took: []time.Duration{1}}, {Payload: 9, Took: []time.Duration{1}}}} {
		if _, _, err := PathLatency(sizes); !errors.Is(err, ErrTooFew) {
			t.Errorf("%+v: %v", sizes, err)
		}
	}
}

func TestFlowSetupIsFoundAgain(t *testing.T) {
	n := noisy(8)
	n.outliers = 0
	got, _, err := FlowSetup(sized(n, &truth, 1, 50), []time.Duration{90_000, 80_000, 70_000})
	if err != nil || got.Controller != 80*time.Microsecond {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, p := range truth.Points {
		near(t, "median", got.Points[i].Delay.Seconds(), p.Delay.Seconds(), 0.1)
	}
	// A controller that takes all of the set-up: a profile cannot say more than half of it for each flow.
	got, _, err = FlowSetup(sized(n, &truth, 1, 50), []time.Duration{time.Second})
	if p := (profile.Profile{FlowSetup: got}); err != nil || p.Check() != nil || got.Controller < 500*time.Microsecond {
		t.Errorf("%+v, %v, %v", got, err, p.Check())
	}
}

func TestLoadIsFoundAgain(t *testing.T) {
	n := noisy(9)
	n.outliers, n.added = 0, 0
	base := sized(n, &truth, 1, 400)
	loads := []Loaded{{RateBPS: 500e6, Sizes: sized(n, &truth, 2.5, 400)}, {RateBPS: 250e6, Sizes: sized(n, &truth, 1.5, 400)}}
	for i := range loads[0].Sizes[3].Took { // the longest suffer more
		loads[0].Sizes[3].Took[i] *= 2
	}
	got, q, err := Load(base, loads)
	if err != nil || len(got.Points) != 2 || q.Points != 8 || q.Residual > 0.01 {
		t.Fatalf("%+v, %+v, %v", got, q, err)
	}
	for _, c := range []struct {
		bps     float64
		payload int
		want    float64
	}{{0, 56, 1}, {125e6, 56, 1.25}, {250e6, 1500, 1.5}, {500e6, 56, 2.5}, {500e6, 65000, 5}, {1e9, 10000, 2.5}} {
		near(t, "factor", got.Times(c.bps, c.payload), c.want, 0.05)
	}
	if p := (profile.Profile{PathLatency: truth, Load: got}); p.Check() != nil {
		t.Error(p.Check())
	}
	// Load on one way only: the other way takes what it took.
	got, _, err = Load(base, []Loaded{{RateBPS: 250e6, OneWay: true, Sizes: sized(n, &truth, 1.5, 400)}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "factor of one way", got.Times(250e6, 56), 2, 0.05)
	if l := (Loaded{OneWay: true}); l.Both(2) != 1.5 {
		t.Errorf("both ways %v, want 1.5", l.Both(2))
	}
	// Faster under load, and falling: that is the load of the whole switch, whose ways are alike.
	got, q, err = Load(base, []Loaded{{RateBPS: 1e6, OneWay: true, Sizes: sized(n, &truth, 0.5, 400)},
		{RateBPS: 2e6, OneWay: true, Sizes: sized(n, &truth, 0.4, 400)}})
	if err != nil || !got.Switch || q.Residual > 0.01 {
		t.Errorf("%+v, %+v, %v", got, q, err)
	}
	near(t, "factor of the switch", got.Times(1e6, 56), 0.5, 0.05)
	near(t, "factor of the switch", got.Times(2e6, 65000), 0.4, 0.05)
	if p := (profile.Profile{PathLatency: truth, Load: got}); p.Check() != nil {
		t.Error(p.Check())
	}
	// Hardly faster: a port's, and the residual says so.
	got, q, err = Load(base, []Loaded{{RateBPS: 1e6, Sizes: sized(n, &truth, 0.95, 400)}})
	if err != nil || got.Switch || q.Residual < 0.03 || got.Times(1e6, 56) != 1 {
		t.Errorf("%+v, %+v, %v", got, q, err)
	}
	if _, _, err := Load(base, nil); !errors.Is(err, ErrTooFew) {
		t.Errorf("no rates: %v", err)
	}
	if _, _, err := Load(base, []Loaded{{RateBPS: 5, Sizes: base}}); !errors.Is(err, ErrTooFew) {
		t.Errorf("no rate: %v", err)
	}
}

// TestDevicesConverge has a twin between devices: of each packet it takes what its profile says less
// what is taken off, or what the devices take at least, and some more.
func TestDevicesConverge(t *testing.T) {
	floor := map[int]time.Duration{56: 100_000, 1500: 170_000, 10000: 300_000, 65000: 800_000}
	wanted := []profile.Point{{Payload: 56, Delay: 200_000}, {Payload: 1500, Delay: 150_000}, {Payload: 10000, Delay: 2_000_000},
		{Payload: 65000, Delay: 900_000}}
	var devices []profile.Point
	var seen []Sized
	for range 6 {
		l := profile.Latency{Points: wanted, Devices: devices}
		seen = nil
		for _, p := range wanted {
			promised := max(p.Delay-l.DevicesAt(p.Payload), 0)
			// as an emulator between devices does: near its floor a part of the promise is in it
			took := time.Duration(math.Hypot(float64(promised), float64(floor[p.Payload])))
			seen = append(seen, Sized{Payload: p.Payload, Took: []time.Duration{took}})
		}
		devices = Devices(wanted, seen, devices, 1)
	}
	l := profile.Latency{Points: wanted, Devices: devices}
	for i, p := range wanted {
		if p.Payload == 1500 {
			if l.DevicesAt(1500) != p.Delay {
				t.Errorf("below the floor %v is taken off, want all", l.DevicesAt(1500))
			}
			continue
		}
		near(t, "seen", seen[i].Median().Seconds(), p.Delay.Seconds(), 0.03)
	}
	if Devices(wanted, nil, nil, 1) != nil {
		t.Error("of a twin that was not seen")
	}
}

func TestTimesOfParts(t *testing.T) {
	i := profile.Install{PerSecond: 1000, Batch: 16, Delay: 5 * time.Millisecond}
	for n, want := range map[int]time.Duration{1: 6 * time.Millisecond, 17: 27 * time.Millisecond, 18: 33 * time.Millisecond} {
		if got := InstallTime(i, n); got != want {
			t.Errorf("%d entries: %v, want %v", n, got, want)
		}
	}
	if got := InstallTime(profile.Install{PerSecond: 10}, 5); got != time.Second/2 {
		t.Errorf("without delay: %v", got)
	}
	if got := StatisticsTime(profile.Statistics{Delay: time.Second, Entry: time.Millisecond}, 10); got != 1010*time.Millisecond {
		t.Errorf("an answer: %v", got)
	}
}

// FuzzLatency has any times give parts that a profile can have, or a reason.
func FuzzLatency(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, uint64(1))
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 2))
		list := func() (sizes []Sized) {
			for ; len(b) >= 4 && len(sizes) < 5; b = b[4:] {
				s := Sized{Payload: int(b[0]) << (b[1] % 10)}
				for range b[2] % 16 {
					s.Took = append(s.Took, time.Duration(int64(b[3])<<(r.IntN(50)))-1000)
				}
				sizes = append(sizes, s)
			}
			return sizes
		}
		base := list()
		var p profile.Profile
		var err error
		if p.PathLatency, _, err = PathLatency(base); err != nil && len(p.PathLatency.Points) > 0 {
			t.Errorf("points and %v", err)
		}
		p.FlowSetup, _, err = FlowSetup(base, []time.Duration{time.Duration(seed)})
		if err != nil && len(p.FlowSetup.Points) > 0 {
			t.Errorf("points and %v", err)
		}
		loads := []Loaded{{RateBPS: seed % 1e13, Sizes: list()}, {RateBPS: 1e6, Sizes: list()}}
		load, q, err := Load(base, loads)
		if err == nil && len(p.PathLatency.Points) > 0 {
			p.Load = load
		}
		if math.IsNaN(q.Residual) || math.IsInf(q.Residual, 0) {
			t.Errorf("residual %v", q.Residual)
		}
		p.PathLatency.Devices = Devices(p.PathLatency.Points, list(), nil, 1)
		if err := p.Check(); err != nil {
			t.Errorf("%v\n%s", err, p.YAML())
		}
	})
}
