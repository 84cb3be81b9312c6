//go:build real && linux

package calibration_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/calibration"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
)

const patience = 20 * time.Second

// quickSizes are one of a frame and one of fragments.
var quickSizes = []int{56, 10000}

// quick is as little as has all parts.
func quick(c *controller.Controller, ends []nic.Config) calibration.Config {
	l := campaign.Latency{From: ends[0], To: ends[1], Sizes: quickSizes, Count: 10, Interval: time.Millisecond, Controller: c,
		Limits: probe.Limits{Foreign: 1, Lost: 0.2}}
	return calibration.Config{Latency: l, LoadFrom: ends[2:], Rates: []float64{5e6}, Flows: 3, Turns: 1,
		Apart: 100 * time.Millisecond,
		Plan: controller.Plan{Rounds: 2, Batches: []int{1, 2, 4, 8, 16, 17, 32, 100}, Answers: []int{1, 10, 100}, MaxEntries: 200,
			MaxGroups: 10, MaxMeters: 10, MaxOffered: 4000, Sustained: 300 * time.Millisecond, Quiet: 150 * time.Millisecond}}
}

// busy reports whether something has no figure for what a busy machine does.
func busy(err error) bool {
	for _, why := range []error{probe.ErrSpread, probe.ErrUnobserved, probe.ErrLoss, probe.ErrRate, probe.ErrNotNew} {
		if strings.Contains(err.Error(), why.Error()) {
			return true
		}
	}
	return false
}

// holds wants what came of a calibration to be whole: a point or a reason at each size, sources, a
// file that reads back, a row for everything.
func holds(t *testing.T, r *calibration.Result) {
	t.Helper()
	r.Profile.Name = "x"
	file := r.File()
	t.Log("\n" + file)
	again, err := profile.Parse("", []byte(file))
	if err != nil || again.YAML() != r.Profile.YAML() {
		t.Errorf("the file is not the profile: %v\n%s", err, again.YAML())
	}
	for _, part := range again.Parts() {
		if part.Source != profile.Measured {
			t.Errorf("%s is %s", part.Name, part.Source)
		}
	}
	rows := map[calibration.Quantity]*calibration.Row{}
	for i := range r.Twin.Rows {
		row := &r.Twin.Rows[i]
		rows[row.Quantity] = row
		t.Logf("%v: %v, %v: %.2f %s %v %v", row.Quantity, row.Want.Value, row.Seen.Value, row.Ratio, row.Mark, row.Want.Refused,
			row.Seen.Refused)
	}
	for _, size := range quickSizes {
		for _, q := range []calibration.Quantity{{Name: calibration.PathLatency, Size: size},
			{Name: calibration.PathLatency, Size: size, LoadBPS: r.Measured.Loads[0].RateBPS},
			{Name: calibration.FlowSetup, Size: size}} {
			row := rows[q]
			if row == nil {
				t.Errorf("no row of %v", q)
				continue
			}
			if err := errors.Join(row.Want.Refused, row.Seen.Refused); err != nil && !busy(err) {
				t.Errorf("%v: %v", q, err)
			}
			curve := &again.PathLatency
			if q.Name == calibration.FlowSetup {
				curve = &again.FlowSetup.Latency
			}
			if has := point(curve, size); q.LoadBPS == 0 && has != (row.Want.Refused == nil) {
				t.Errorf("%v: a point %v, refused as %v", q, has, row.Want.Refused)
			}
		}
	}
}

func point(l *profile.Latency, payload int) bool {
	for _, p := range l.Points {
		if p.Payload == payload {
			return true
		}
	}
	return false
}

// TestOpenvSwitchIsCalibrated has a real switch get its profile and its twin.
func TestOpenvSwitchIsCalibrated(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		c := hub.StartController(t)
		o := l.StartOVS()
		o.AddBridge("s1", 1, "1.3", "tcp:"+c.Address())
		var ends []nic.Config
		for port := range 3 {
			h := o.AddHost("s1", port+1)
			ends = append(ends, nic.Config{Interface: h.Dev, Namespace: h.Netns, State: t.TempDir()})
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := c.Ready(ctx); err != nil {
			t.Fatal(err)
		}
		cfg := quick(c, ends)
		r, err := cfg.Calibrate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		holds(t, r)
	})
}

// TestInterrupted has a calibration be interrupted while it measures: it ends with the interruption's
// error, and its devices are gone.
func TestInterrupted(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		p, err := profile.Named("ovs")
		if err != nil {
			t.Fatal(err)
		}
		cfg := calibration.Config{Latency: campaign.Latency{Limits: probe.Limits{Foreign: 1}}}
		ctx, interrupt := context.WithCancel(t.Context())
		noted := 0
		cfg.Note = func(string, ...any) {
			if noted++; noted == 3 {
				interrupt()
			}
		}
		before := namespaces(t)
		if _, err := cfg.Verify(ctx, &p); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		l.Eventually(patience, "the twin's namespace is gone", func() bool { return namespaces(t) <= before })
	})
}

// namespaces is how many network namespaces this process holds.
func namespaces(t *testing.T) (count int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && strings.HasPrefix(to, "net:") {
			count++
		}
	}
	return count
}
