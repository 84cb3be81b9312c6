package calibration

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/probe/fit"
)

// TestTurnsAreJoined: times of the same quantity come together, and what has a figure in any turn has one; what
// has none in all turns is refused.
func TestTurnsAreJoined(t *testing.T) {
	never, once := errors.New("never"), errors.New("once")
	silent := Quantity{Name: FlowSetup, Size: 1500}
	first := sample(1)
	first.refuse(silent, never)
	second := sample(2)
	second.Latency[0].Took = nil
	second.refuse(Quantity{Name: PathLatency, Size: 56}, once)
	second.refuse(silent, never)
	second.Loads = append(second.Loads, fit.Loaded{RateBPS: 750e6, OneWay: true,
		Sizes: []fit.Sized{{Payload: 56, Took: took(900)}}})

	whole := &Measured{}
	if notes := whole.join(first); len(notes) != 0 {
		t.Errorf("the first turn: %q", notes)
	}
	notes := whole.join(second)
	if len(notes) != 1 || !strings.Contains(notes[0], "path latency, 56 bytes") || !strings.Contains(notes[0], "once") {
		t.Errorf("notes %q", notes)
	}
	if len(whole.Refused) != 1 || whole.Refused[silent] != never {
		t.Errorf("refused %v", whole.Refused)
	}
	if got, want := whole.Latency[0].Took, took(90, 100, 300); !slices.Equal(got, want) {
		t.Errorf("56 bytes: %v, want %v", got, want)
	}
	if got, want := whole.Latency[1].Took, took(2000, 4000); !slices.Equal(got, want) {
		t.Errorf("1,500 bytes: %v, want %v", got, want)
	}
	if got, want := whole.Loads[0].Sizes[1].Took, took(3000, 6000); len(whole.Loads) != 2 || !slices.Equal(got, want) {
		t.Errorf("under load: %v, want %v", got, want)
	}
	third := sample(3)
	third.drop(whole.Refused)
	third.drop(map[Quantity]error{{PathLatency, 1500, 500e6}: never, {PathLatency, 56, 1}: never})
	if third.has(silent) || third.Loads[0].Sizes[1].Took != nil || third.Refused[silent] != never ||
		third.Latency[1].Took == nil {
		t.Errorf("what was dropped: %+v", third)
	}
	if whole.Switch != first.Switch {
		t.Error("what the controller saw first is gone")
	}
	if got := sample(1).Latency[1].Took; !slices.Equal(first.Latency[1].Took, got) {
		t.Errorf("the turn itself has %v, want %v", first.Latency[1].Took, got)
	}
}

// TestMargins has two switches measured again and again whose medians are known: their ratio is within the margin
// in about 95 of 100 cases, whatever the number of values.
func TestMargins(t *testing.T) {
	const cases = 2000
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(n int, median float64) (runs []float64) {
		for range n {
			runs = append(runs, median*math.Exp(0.4*random.NormFloat64()))
		}
		return runs
	}
	for _, n := range []int{10, 30, 120} {
		within, width := 0, 0.0
		for range cases {
			a, b := draw(2*n, 300), draw(n, 330)
			r := Row{Want: Figure{Runs: a}, Seen: Figure{Runs: b}, Ratio: middle(b) / middle(a)}
			margin := r.margin()
			if math.Abs(r.Ratio-1.1) <= margin {
				within++
			}
			width += margin / cases
		}
		t.Logf("%d values: the ratio was within the margin in %d of %d cases, which was %.2f in the mean", n, within, cases, width)
		if share := float64(within) / cases; share < 0.9 {
			t.Errorf("%d values: %.3f of all, want 0.9 at least", n, share)
		}
		if most := 4.5 / math.Sqrt(float64(n)); width > most {
			t.Errorf("%d values: a margin of %.2f, want %.2f at most", n, width, most)
		}
	}
	for _, none := range [][]float64{nil, {1, 2, 3}, make([]float64, 20), slices.Repeat([]float64{math.Inf(1)}, 20)} {
		if e := medianError(none); e != 0 {
			t.Errorf("%v: %v, want none", none, e)
		}
	}
}

func middle(runs []float64) float64 { return slices.Sorted(slices.Values(runs))[len(runs)/2] }

// TestUndecided: turns go on while the limit is within a margin, on either side of it, and not for what is not
// measured again.
func TestUndecided(t *testing.T) {
	for _, x := range []struct {
		name          string
		ratio, margin float64
		mark          Mark
		want          bool
	}{
		{PathLatency, 1.02, 0.05, Within, false}, {PathLatency, 1.07, 0.05, Within, true},
		{PathLatency, 1.13, 0.05, Beyond, true},
		{PathLatency, 1.2, 0.05, Beyond, false}, {FlowSetup, 0.88, 0.05, Beyond, true}, {PathLatency, 1.13, 0.05, AtFloor, false},
		{PathLatency, 1.13, 0, Beyond, false}, {Install, 1.13, 0.05, Beyond, false},
	} {
		c := Comparison{Rows: []Row{{Quantity: Quantity{Name: x.name}, Ratio: x.ratio, Margin: x.margin, Mark: x.mark}}}
		if got := c.undecided(); got != x.want {
			t.Errorf("%+v: undecided %v", x, got)
		}
	}
}
