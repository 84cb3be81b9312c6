package tenants

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// rig is a load whose switches reach tenants' controllers over a relay that behaves as it is told, in virtual time:
// nothing takes any but that, so that what is measured can be compared with what was drawn.
type rig struct {
	y     *target.Synthetic
	on    atomic.Bool // the relay does as it is told, and not yet while the load settles
	mu    sync.Mutex
	fates []target.PlannedReply
}

// ofLoad reports whether a message is one whose time the load takes: on its way to where that ends.
func ofLoad(k Kind, m []byte) bool {
	h, err := openflow.ParseHeader(m)
	switch {
	case err != nil:
		return false
	case k == PacketIn && h.Type == openflow.TypePacketIn,
		(k == PacketOut || k == Reaction) && h.Type == openflow.TypePacketOut:
		return true
	}
	return h.XID >= ownXID && k.answers(h, m)
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

// run measures once, after the load has settled, and returns what was drawn meanwhile.
func run(
	t *testing.T, b target.Behaviour, c *Config, d time.Duration, change func(*Load),
) (sm *Sample, fates []target.PlannedReply) {
	t.Helper()
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		g := &rig{y: &target.Synthetic{Behaviour: b, Wait: exactly}}
		g.y.Note = func(f target.PlannedReply) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.fates = append(g.fates, f)
		}
		relay := &target.Relay{Synthetic: g.y, Planned: func(m []byte) bool { return g.on.Load() && ofLoad(c.Kind, m) }}
		var controllers, switches []*pipe.Listener
		var listeners []net.Listener
		for i := range c.Tenants {
			controllers = append(controllers, pipe.Listen(fmt.Sprintf("controller:%d", i)))
			switches = append(switches, pipe.Listen(fmt.Sprintf("relay:%d", i)))
			listeners = append(listeners, switches[i])
			relay.To = append(relay.To, fmt.Sprint(i))
		}
		at := func(list []*pipe.Listener) func(context.Context, string) (net.Conn, error) {
			return func(ctx context.Context, address string) (net.Conn, error) {
				i := 0
				fmt.Sscan(address, &i)
				return list[i].Dial(ctx)
			}
		}
		relay.Dial = at(controllers)
		c.dial, c.listen = at(switches), func(i int) (net.Listener, error) { return controllers[i], nil }
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- relay.Serve(ctx, listeners) }()
		l, err := Listen(c)
		if err != nil {
			t.Fatal(err)
		}
		l.nap, l.urgent = time.Sleep, func() func() { return func() {} }
		if err := errors.Join(l.Connect(ctx, relay.To...), l.Settle(ctx)); err != nil {
			t.Fatal(err)
		}
		g.on.Store(true)
		if change != nil {
			change(l)
		}
		if sm, err = l.Measure(ctx, d, d/10, nil); err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
		cancel()
		<-done
		fates = g.fates
	})
	return sm, fates
}

// within reports whether a figure is within a part of what it should be.
func within(got, want, part float64) bool { return math.Abs(got-want) <= part*math.Abs(want) }

func delayOf(t *testing.T, s string) target.Delay {
	t.Helper()
	d, err := target.ParseDelay(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEveryKindIsMeasured has messages of each kind, in both versions, take as long as the relay holds them: each
// once, of each tenant.
func TestEveryKindIsMeasured(t *testing.T) {
	for _, k := range Kinds() {
		for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
			for _, rate := range []int{500, 0} {
				c := &Config{Kind: k, Version: v, Tenants: 3, Switches: 2, Rate: rate}
				if rate == 0 {
					c.Outstanding = 10
				}
				sm, fates := run(t, target.Behaviour{Delay: delayOf(t, "7ms")}, c, 700*time.Millisecond, nil)
				if err := sm.Check(c); err != nil {
					t.Fatalf("%s, %s: %v", k, v, err)
				}
				if k == FlowMod && sm.FlowMods != 1 {
					t.Errorf("%s, %d/s: switches got %v flow-mods for each pair", v, rate, sm.FlowMods)
				}
				n, want := sm.Latency.TotalCount(), int64(3*350)
				if rate == 0 {
					want = 3 * 10 * 100
				}
				if n != want || len(fates) < int(n) || len(sm.Tenants) != 3 {
					t.Errorf("%s, %s, %d/s: %d measured, want %d, of %d that were held", k, v, rate, n, want, len(fates))
				}
				for i, x := range sm.Tenants {
					if !within(x.Mean, 7000, 0.01) || !within(x.P99, 7000, 0.01) || !within(x.Max, 7000, 0.01) ||
						!within(x.Rate, float64(n)/3/0.7, 0.03) {
						t.Errorf("%s, %s: tenant %d: %+v", k, v, i+1, x)
					}
				}
			}
		}
	}
}

// TestDelaysAreMeasuredAsTheyWere wants each distribution to be what it is by definition.
func TestDelaysAreMeasuredAsTheyWere(t *testing.T) {
	for delay, quantile := range map[string]func(q float64) float64{ // µs
		"uniform:5ms-15ms":  func(q float64) float64 { return 5e3 + q*10e3 },
		"exp:20ms":          func(q float64) float64 { return -math.Log(1-q) * 20e3 },
		"mix:1ms/50ms@0.03": func(q float64) float64 { return map[bool]float64{true: 1e3, false: 50e3}[q < 0.97] },
	} {
		c := &Config{Kind: PacketIn, Tenants: 2, Rate: 5000}
		sm, _ := run(t, target.Behaviour{Delay: delayOf(t, delay), Seed: 5}, c, 2*time.Second, nil)
		if err := sm.Check(c); err != nil {
			t.Fatalf("%s: %v", delay, err)
		}
		for i, x := range sm.Tenants {
			for q, got := range map[float64]float64{0.5: x.P50, 0.95: x.P95, 0.99: x.P99} {
				if !within(got, quantile(q), 0.06) {
					t.Errorf("%s: tenant %d: p%v is %v µs, by definition %v", delay, i+1, 100*q, got, quantile(q))
				}
			}
		}
		if got := Jain([]float64{sm.Tenants[0].Mean, sm.Tenants[1].Mean}); got < 0.999 {
			t.Errorf("%s: Jain's index is %v", delay, got)
		}
	}
}

// TestStallsAreInTheLatency: at a set rate all messages that were meant for the time of a stall have waited for its
// end, and a load that waits for answers would have seen few of them.
func TestStallsAreInTheLatency(t *testing.T) {
	b := target.Behaviour{StallEvery: time.Second, StallFor: 200 * time.Millisecond}
	c := &Config{Kind: PortStats, Rate: 1000}
	sm, _ := run(t, b, c, 2*time.Second, nil)
	if err := sm.Check(c); err != nil {
		t.Fatal(err)
	}
	x := sm.Tenants[0]
	if x.P50 > 1 || !within(x.P95, 150e3, 0.03) || !within(x.P99, 190e3, 0.03) || !within(x.Max, 200e3, 0.02) ||
		!within(x.Mean, 20e3, 0.03) {
		t.Errorf("%+v", x)
	}
	c = &Config{Kind: PortStats, Outstanding: 1}
	b.Delay = delayOf(t, "1ms")
	if sm, _ = run(t, b, c, 2*time.Second, nil); sm.Tenants[0].P95 > 2000 {
		t.Errorf("of messages that wait for each other: %+v", sm.Tenants[0])
	}
}

// TestNoResult: what is lost, comes late, or waits too long leaves no figure.
func TestNoResult(t *testing.T) {
	for name, tc := range map[string]struct {
		b      target.Behaviour
		c      *Config
		change func(*Load)
		want   error
		text   string
	}{
		"lost": {b: target.Behaviour{Loss: 0.01, Seed: 2}, c: &Config{Kind: Echo, Tenants: 2, Rate: 1000},
			want: report.ErrMissing},
		"nothing": {b: target.Behaviour{Loss: 1}, c: &Config{Kind: PacketOut, Rate: 1000}, want: report.ErrNothing},
		"slow": {b: target.Behaviour{Delay: delayOf(t, "5s")}, c: &Config{Kind: FlowMod, Rate: 20000, Settle: 20 * time.Second,
			Drain: 10 * time.Second}, want: report.ErrSlow},
		"late": {c: &Config{Kind: PacketIn, Rate: 1000}, want: report.ErrLate, change: func(l *Load) {
			l.nap = func(time.Duration) { time.Sleep(100 * time.Millisecond) }
		}},
	} {
		sm, fates := run(t, tc.b, tc.c, time.Second, tc.change)
		err := sm.Check(tc.c)
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
		lost := 0
		for _, f := range fates {
			if f.Lost {
				lost++
			}
		}
		if name == "lost" && !strings.Contains(err.Error(), fmt.Sprintf(" %d of 2,400 echoes did not come through", lost)) {
			t.Errorf("%d lost: %v", lost, err)
		}
		if name == "late" && !within(float64(sm.Latency.ValueAtQuantile(50)), 50e6, 0.05) {
			t.Errorf("late sending is not in the latency: %v", time.Duration(sm.Latency.ValueAtQuantile(50)))
		}
	}
}
