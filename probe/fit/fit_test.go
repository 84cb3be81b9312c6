package fit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/profile"
)

// sizes are those of batches that are tried.
var sizes = []int{0, 1, 2, 3, 4, 6, 8, 9, 10, 12, 16, 17, 18, 24, 32, 33, 34, 64, 65, 66, 100, 128, 129, 130, 256, 257, 500, 1000}

// noise is what a machine does to times: a share, some microseconds, and now and then an outlier.
type noise struct {
	*rand.Rand
	share    float64
	added    time.Duration // on average
	outliers float64       // the share of times that are up to ten times as long
}

func noisy(seed uint64) *noise {
	return &noise{Rand: rand.New(rand.NewPCG(seed, 1)), share: 0.02, added: 20 * time.Microsecond, outliers: 0.1}
}

func (n *noise) time(d time.Duration) time.Duration {
	d += time.Duration(float64(d)*n.share*n.NormFloat64()) + time.Duration(n.ExpFloat64()*float64(n.added))
	if n.Float64() < n.outliers {
		d += time.Duration(float64(d) * 9 * n.Float64())
	}
	return d
}

// installed are the times of a switch of such a profile behind a channel of such a round trip.
func installed(n *noise, i profile.Install, trip time.Duration) (points []Timed) {
	for _, size := range sizes {
		t := Timed{N: size}
		for range 9 {
			took := trip
			for left, batch := size, 1; left > 0; left, batch = left-batch, max(i.Batch, 1) {
				batch = min(batch, left)
				took += i.Delay
				if i.PerSecond > 0 {
					took += time.Duration(float64(batch) / i.PerSecond * float64(time.Second))
				}
			}
			t.Took = append(t.Took, n.time(took))
		}
		points = append(points, t)
	}
	return points
}

func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*want {
		t.Errorf("%s: %v, want %v within %.0f %%", what, got, want, 100*share)
	}
}

func TestInstallIsFoundAgain(t *testing.T) {
	for i, want := range []profile.Install{
		{PerSecond: 500, Batch: 16, Delay: 5 * time.Millisecond},
		{PerSecond: 40, Batch: 1},
		{PerSecond: 2000, Batch: 64, Delay: 50 * time.Millisecond},
		{PerSecond: 200_000},
		{Batch: 8, Delay: 10 * time.Millisecond},
		{PerSecond: 10_000, Batch: 100, Delay: 2 * time.Millisecond},
		{PerSecond: 300, Batch: 999, Delay: 20 * time.Millisecond},
	} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			got, q, err := Install(installed(noisy(uint64(i)), want, 200*time.Microsecond))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v, %+v", got, q)
			// What counts is that the emulated switch is like it: the times of both, at every size.
			exact := &noise{Rand: rand.New(rand.NewPCG(1, 1))}
			a, b := installed(exact, want, 200*time.Microsecond), installed(exact, got, 200*time.Microsecond)
			for i := range a {
				near(t, fmt.Sprintf("%d entries, seconds", a[i].N), b[i].Median().Seconds(), a[i].Median().Seconds(), 0.08)
			}
			if want.Delay > 0 {
				near(t, "batch", float64(got.Batch), float64(want.Batch), 0.02)
				near(t, "delay", got.Delay.Seconds(), want.Delay.Seconds(), 0.06)
			}
			if want.PerSecond > 0 {
				near(t, "entries/s", got.PerSecond, want.PerSecond, 0.06)
			}
			if got.Source != profile.Measured {
				t.Errorf("source %q", got.Source)
			}
		})
	}
}

func TestInstallRefuses(t *testing.T) {
	few := []Timed{{N: 0, Took: []time.Duration{1}}, {N: 5, Took: []time.Duration{2}}}
	if _, _, err := Install(few); !errors.Is(err, ErrTooFew) {
		t.Errorf("two sizes: %v", err)
	}
	// A switch that takes the longer the more it holds is none of the model.
	var curved []Timed
	for _, n := range sizes {
		curved = append(curved, Timed{N: n, Took: []time.Duration{time.Millisecond + time.Duration(n*n)*10*time.Microsecond}})
	}
	got, q, err := Install(curved)
	if !errors.Is(err, ErrNoFit) || got != (profile.Install{}) || q.Residual < MaxResidual {
		t.Errorf("a curve: %v, %+v, %+v", err, got, q)
	}
}

// bursts are what a narrow way lets through, as package emu counts it.
func bursts(n *noise, r profile.Rate) (out []Burst) {
	for _, over := range []time.Duration{5, 5, 100, 100, 250, 250, 500, 500, 1000} {
		b := Burst{Over: over * time.Millisecond}
		b.Sent = max(2*r.Queue, int(10*r.PerSecond*b.Over.Seconds()), 1000)
		b.Done = min(b.Sent, r.Queue+1+int(r.PerSecond*b.Over.Seconds()*(1+n.share*n.NormFloat64())))
		out = append(out, b)
	}
	return out
}

func TestRateIsFoundAgain(t *testing.T) {
	for i, want := range []profile.Rate{{PerSecond: 1000, Queue: 200}, {PerSecond: 100, Queue: 20},
		{PerSecond: 25_000, Queue: 8000}} {
		all := bursts(noisy(uint64(i)), want)
		all[6].Done /= 3 // the machine was elsewhere
		got, q, err := Rate(PartPacketIn, all)
		if err != nil {
			t.Fatalf("%+v: %v, %+v", want, err, q)
		}
		t.Logf("%+v, %+v", got, q)
		near(t, "packets/s", got.PerSecond, want.PerSecond, 0.06)
		near(t, "queue", float64(got.Queue), float64(want.Queue), 0.1)
	}
}

func TestRateOfASwitchThatLosesNothing(t *testing.T) {
	n := noisy(1)
	var all []Burst
	for _, sent := range []int{100, 500, 1000, 5000} {
		took := time.Duration(float64(sent) / 20_000 * float64(time.Second))
		all = append(all, Burst{Sent: sent, Done: sent, Over: took / 10, Took: n.time(took + 300*time.Microsecond)})
	}
	n.outliers = 0
	got, q, err := Rate(PartPacketOut, all)
	if err != nil || !q.AtLeast || got.Queue != 5000 {
		t.Fatalf("%+v, %+v, %v", got, q, err)
	}
	near(t, "packets/s", got.PerSecond, 20_000, 0.06)
}

func TestRateRefuses(t *testing.T) {
	free := []Burst{{Sent: 100, Done: 100, Over: time.Millisecond}, {Sent: 1000, Done: 999, Over: 10 * time.Millisecond},
		{Sent: 5000, Done: 4990, Over: 50 * time.Millisecond}}
	if _, _, err := Rate(PartPacketIn, free); !errors.Is(err, ErrNoLimit) {
		t.Errorf("nothing lost: %v", err)
	}
	if _, _, err := Rate(PartPacketIn, free[:1]); !errors.Is(err, ErrTooFew) {
		t.Errorf("one burst: %v", err)
	}
	wild := []Burst{{Sent: 1000, Done: 10, Over: time.Second}, {Sent: 1000, Done: 900, Over: time.Millisecond},
		{Sent: 1000, Done: 400, Over: time.Second / 2}, {Sent: 1000, Done: 30, Over: time.Second / 4}}
	if _, _, err := Rate(PartPacketIn, wild); !errors.Is(err, ErrNoFit) {
		t.Errorf("no order in it: %v", err)
	}
}

func TestStatisticsAreFoundAgain(t *testing.T) {
	for i, want := range []profile.Statistics{{Delay: 20 * time.Millisecond, Entry: 20 * time.Microsecond},
		{Entry: time.Microsecond}, {Delay: 300 * time.Microsecond, Entry: 2 * time.Microsecond}} {
		n, trip := noisy(uint64(i)), 150*time.Microsecond
		var points []Timed
		for _, size := range []int{1, 10, 100, 1000, 10_000} {
			p := Timed{N: size}
			for range 11 {
				p.Took = append(p.Took, n.time(trip+want.Delay+time.Duration(size)*want.Entry))
			}
			points = append(points, p)
		}
		got, q, err := Statistics(points, trip)
		if err != nil {
			t.Fatalf("%+v: %v, %+v", want, err, q)
		}
		t.Logf("%+v, %+v", got, q)
		near(t, "each entry, ns", float64(got.Entry), float64(want.Entry), 0.06)
		if d := got.Delay - want.Delay; d.Abs() > want.Delay/20+40*time.Microsecond {
			t.Errorf("delay %v, want %v", got.Delay, want.Delay)
		}
	}
}

func TestStatisticsRefuse(t *testing.T) {
	one := []Timed{{N: 10, Took: []time.Duration{1}}, {N: 20, Took: []time.Duration{2}}}
	if _, _, err := Statistics(one, 0); !errors.Is(err, ErrTooFew) {
		t.Errorf("sizes close together: %v", err)
	}
	var curved []Timed
	for _, n := range []int{1, 10, 100, 1000, 10_000} {
		curved = append(curved, Timed{N: n, Took: []time.Duration{time.Millisecond + time.Duration(n*n)*time.Microsecond}})
	}
	if _, _, err := Statistics(curved, 0); !errors.Is(err, ErrNoFit) {
		t.Errorf("a curve: %v", err)
	}
}

// TestFitSaysWhatIsMissing has some parts measured, and some not.
func TestFitSaysWhatIsMissing(t *testing.T) {
	n := noisy(3)
	f := &Figures{
		Install:  installed(n, profile.Install{PerSecond: 500, Batch: 16, Delay: 5 * time.Millisecond}, time.Millisecond),
		PacketIn: bursts(n, profile.Rate{PerSecond: 1000, Queue: 200}),
		Tables:   profile.Tables{Count: 4, Entries: 4096},
		Missing:  map[string]error{PartPacketOut: errors.New("no port")},
	}
	got := f.Fit()
	if err := got.Check(); err != nil {
		t.Error(err)
	}
	if got.Install.Batch != 16 || got.PacketIn.PerSecond == 0 || got.Tables.Entries != 4096 ||
		got.PacketOut != (profile.Rate{}) || len(got.Quality) != 3 {
		t.Errorf("%+v", got)
	}
	if got.Missing[PartPacketOut].Error() != "no port" || !errors.Is(got.Missing[PartStatistics], ErrTooFew) ||
		len(got.Missing) != 2 {
		t.Errorf("missing: %v", got.Missing)
	}
	for _, p := range got.Parts() {
		if p.Source != profile.Measured {
			t.Errorf("%s: source %s", p.Name, p.Source)
		}
	}
}

// FuzzFit has any samples give a profile that can be, or a reason.
func FuzzFit(f *testing.F) {
	f.Add([]byte{0, 1, 1, 7, 2, 14, 3, 21, 4, 28, 5, 35})
	f.Add([]byte("anything at all, and more of it"))
	f.Fuzz(func(t *testing.T, b []byte) {
		x := &Figures{RoundTrip: []time.Duration{1000}}
		for ; len(b) >= 4; b = b[4:] {
			timed := Timed{N: int(b[0]) * int(b[1]), Took: []time.Duration{time.Duration(int(b[2])<<b[3]%32) + 1}}
			x.Install, x.Statistics = append(x.Install, timed), append(x.Statistics, timed)
			burst := Burst{Sent: int(b[0]) << (b[1] % 16), Done: int(b[2]), Over: time.Duration(b[3]) << 20,
				Took: time.Duration(b[1]) << 20}
			x.PacketIn, x.PacketOut = append(x.PacketIn, burst), append(x.PacketOut, burst)
		}
		got := x.Fit()
		if err := got.Check(); err != nil {
			t.Error(err)
		}
		for _, p := range Parts() {
			_, fits := got.Quality[p]
			if fits == (got.Missing[p] != nil) {
				t.Errorf("%s: a figure %v, a reason %v", p, fits, got.Missing[p])
			}
		}
	})
}
