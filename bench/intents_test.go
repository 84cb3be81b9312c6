package bench

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// exact wants a measure, in ms, to be a time.
func exact(t *testing.T, x *report.Result, name string, want time.Duration) {
	t.Helper()
	m := x.Measure(name)
	if m == nil {
		t.Errorf("%s: no %s", x.Subject, name)
		return
	}
	if ms := report.Milliseconds(want); math.Abs(m.Median-ms) > 0.01+ms/1000 {
		t.Errorf("%s: %s %v ms, want %v", x.Subject, name, m.Median, ms)
	}
}

// TestPathsMeasuresWhatThereWas asks a planner whose times are known for bursts of paths, in all
// forms.
func TestPathsMeasuresWhatThereWas(t *testing.T) {
	p := &planner{delay: 7 * time.Millisecond, spread: 20 * time.Microsecond, durable: 3 * time.Millisecond}
	c := &Paths{Flows: 100, Burst: 51, Bursts: 3, Setup: Setup{Options: Options{Runs: 2}}}
	planning(t, p, &c.Setup, func(ctx context.Context) {
		r, err := Run(ctx, c)
		wantRefused(t, r, err, "")
		if len(r.Results) != 3 {
			t.Fatalf("%d results", len(r.Results))
		}
		for _, x := range r.Results {
			exact(t, x, "first flow-mod received", 7*time.Millisecond)
			exact(t, x, "last flow-mod received", 8*time.Millisecond)
			exact(t, x, "all answered: durable", 3*time.Millisecond)
			if m := x.Measure("flow-mods a path"); m.Median != 4 || len(m.Runs) != 2 {
				t.Errorf("%s: %v flow-mods a path in %d runs", x.Subject, m.Median, len(m.Runs))
			}
			if d := x.Time("last flow-mod"); d.Count != 6 {
				t.Errorf("%s: %d bursts", x.Subject, d.Count)
			}
		}
		p.sending.Wait()
		if n := len(p.paths); n != 0 {
			t.Errorf("%d paths are left in an instance that goes on", n)
		}
	})
}

// TestPathsRefuses has no result where paths are not what was asked for.
func TestPathsRefuses(t *testing.T) {
	for why, p := range map[string]*planner{
		"switches have 603 entries of paths put": {skip: func(path,
			hop int) bool {
			return path == 107 && hop == 2
		}},
		"50 of 50 paths do not lead to where":                       {end: 1},
		"switches hold 201 entries of paths, and 50 paths have 200": {besides: 7},
		"0 of 50: {\"status\":\"conflict\"}":                        {status: "conflict"},
	} {
		t.Run(why, func(t *testing.T) {
			c := &Paths{Flows: 50, Burst: 101, Bursts: 1, Forms: []paths.Form{paths.FormNDJSON},
				Setup: Setup{Instance: target.Instance{Limit: time.Second}, Options: Options{Runs: 1}}}
			planning(t, p, &c.Setup, func(ctx context.Context) {
				r, err := Run(ctx, c)
				wantRefused(t, r, err, why)
			})
		})
	}
}

// TestDoubleFlowModsAreCounted has each flow-mod sent twice: the paths are there, and the report
// says so.
func TestDoubleFlowModsAreCounted(t *testing.T) {
	c := &Paths{Flows: 10, Burst: 10, Bursts: 1, Forms: []paths.Form{paths.FormProtobuf},
		Setup: Setup{Instance: target.Instance{Limit: time.Second}, Options: Options{Runs: 1}}}
	planning(t, &planner{double: true}, &c.Setup, func(ctx context.Context) {
		r, err := Run(ctx, c)
		wantRefused(t, r, err, "")
		if got := r.Results[0].Measure("flow-mods a path").Median; got != 8 {
			t.Errorf("%v flow-mods a path", got)
		}
	})
}

// TestChurn installs and withdraws, at a rate and without one.
func TestChurn(t *testing.T) {
	for _, rate := range []int{0, 2000} {
		c := &Churn{Active: 1000, Rate: rate, Duration: time.Second, Warmup: 300 * time.Millisecond,
			Form: paths.FormProtobuf, Setup: Setup{Instance: target.Instance{Limit: time.Minute}, Options: Options{Runs: 1}}}
		p := &planner{delay: 5 * time.Millisecond, durable: 200 * time.Millisecond, overload: 2}
		planning(t, p, &c.Setup, func(ctx context.Context) {
			r, err := Run(ctx, c)
			wantRefused(t, r, err, "")
			x := r.Results[0]
			got, mods := x.Measure("operations: paths installed and withdrawn").Median, x.Measure("flow-mods received").Median
			if rate > 0 && math.Abs(got-float64(rate)) > 0.03*float64(rate) || got == 0 || math.Abs(mods-4*got) > 1 {
				t.Errorf("at a rate of %d: %v paths/s, %v flow-mods/s", rate, got, mods)
			}
			if in, out := x.Measure("paths installed").Median, x.Measure("paths withdrawn").Median; in <= 0 ||
				out <= 0 || math.Abs(in+out-got) > 1 {
				t.Errorf("at a rate of %d: %v/s installed and %v/s withdrawn are %v/s together", rate, in, out, got)
			}
			if d := x.Time("sent late"); (d != nil) != (rate > 0) {
				t.Errorf("at a rate of %d: lateness %v", rate, d)
			}
			if n := len(p.paths); n < 1000 || n > 1000+load.BatchPaths {
				t.Errorf("%d paths are active at the end", n)
			}
		})
	}
}

// TestChurnWithdrawsWhatIsInstalled holds one request up, or its flow-mods, while others are
// answered on their connections: none of its paths is withdrawn before switches were told of it.
// So few are active, as by default in Growth, that its turn comes meanwhile.
func TestChurnWithdrawsWhatIsInstalled(t *testing.T) {
	for _, tc := range []struct {
		rate int
		late [2]time.Duration
	}{{0, [2]time.Duration{400 * time.Millisecond, 0}}, {0, [2]time.Duration{0, 400 * time.Millisecond}},
		{20_000, [2]time.Duration{400 * time.Millisecond, 0}}} {
		c := &Churn{Active: load.BatchPaths * load.GeneratorConns, Rate: tc.rate, Duration: time.Second,
			Warmup: time.Millisecond, Setup: Setup{Instance: target.Instance{Limit: time.Minute}, Options: Options{Runs: 1}}}
		p := &planner{delay: 10 * time.Millisecond, durable: 20 * time.Millisecond, late: tc.late}
		planning(t, p, &c.Setup, func(ctx context.Context) {
			r, err := Run(ctx, c)
			wantRefused(t, r, err, "")
			p.sending.Wait()
			if m := r.Results[0].Measure("paths withdrawn"); p.early > 0 || m == nil || m.Median < 2000 {
				t.Errorf("%+v: %d paths were withdrawn before they were there, of %v a second", tc, p.early, m)
			}
		})
	}
}

// TestChurnRefusesWhatIsNotKeptUpWith has a planner answer more slowly than the rate is.
func TestChurnRefusesWhatIsNotKeptUpWith(t *testing.T) {
	c := &Churn{Active: 200, Rate: 4000, Duration: 2 * time.Second, Warmup: 300 * time.Millisecond,
		Setup: Setup{Instance: target.Instance{Limit: time.Minute}, Options: Options{Runs: 1}}}
	planning(t, &planner{durable: time.Second}, &c.Setup, func(ctx context.Context) {
		r, err := Run(ctx, c)
		wantRefused(t, r, err, "had not been asked for when they were to be")
	})
}

// TestChurnRefusesPathsThatComeLate has a planner answer at once, and tell switches later than it
// should.
func TestChurnRefusesPathsThatComeLate(t *testing.T) {
	c := &Churn{Active: 500, Rate: 200, Duration: 2 * time.Second, Warmup: 500 * time.Millisecond,
		Setup: Setup{Instance: target.Instance{Limit: time.Minute}, Options: Options{Runs: 1}}}
	planning(t, &planner{delay: 3 * time.Second}, &c.Setup, func(ctx context.Context) {
		r, err := Run(ctx, c)
		wantRefused(t, r, err, "did not lead to their ends")
	})
}

// TestRerouteMeasuresWhatThereWas cuts links of a planner whose times are known.
func TestRerouteMeasuresWhatThereWas(t *testing.T) {
	c := &Reroute{Flows: 400, Move: 40, Cuts: 3, Setup: Setup{Instance: target.Instance{Limit: time.Minute},
		Options: Options{Runs: 1}}}
	planning(t, &planner{delay: 9 * time.Millisecond}, &c.Setup, func(ctx context.Context) {
		r, err := Run(ctx, c)
		wantRefused(t, r, err, "")
		x := r.Results[0]
		exact(t, x, "first flow-mod received", 9*time.Millisecond)
		exact(t, x, "last flow-mod received", 9*time.Millisecond)
		if n := x.Measure("paths that moved").Median; n < 30 || n > 50 {
			t.Errorf("%v paths moved", n)
		}
	})
}

// TestLatencyMeasuresWhatThereWas asks for single intents.
func TestLatencyMeasuresWhatThereWas(t *testing.T) {
	c := &Latency{Flows: 20, Count: 40, Setup: Setup{Instance: target.Instance{Limit: time.Minute}, Options: Options{Runs: 2}}}
	planning(t, &planner{delay: 4 * time.Millisecond, durable: 2 * time.Millisecond}, &c.Setup, func(ctx context.Context) {
		r, err := Run(ctx, c)
		wantRefused(t, r, err, "")
		x := r.Results[0]
		exact(t, x, "request to last flow-mod received, p50", 4*time.Millisecond)
		exact(t, x, "request to answer: durable, p50", 2*time.Millisecond)
		exact(t, x, "request to answer: installed, p50", 6*time.Millisecond)
		if n := x.Time("installed").Count; n != 40 {
			t.Errorf("%d intents waited for", n)
		}
	})
}
