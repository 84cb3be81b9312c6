//go:build real && linux

package profile_test

import (
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/probe"
)

// TestProfilesFromOutside has two stations at interfaces see what a profile promises, and not sooner:
// two thirds of it at least, as a median, since a part of what is promised passes outside of the
// switch. By how much later is a matter of this machine, and of docs/benchmarks/profiles.md (make
// bench-profiles); that a switch takes as long as its profile says, to the microsecond of simulated
// time, hold TestPathLatencyIsThatOfThePayload, TestChanceOfAPathLatency and TestFlowSetupTakesItsTime
// of package emu.
func TestProfilesFromOutside(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, _ *netlab.Lab) {
		const flows = 3
		for _, name := range []string{"ovs", "aruba-3810m"} {
			p := named(t, name)
			p.PathLatency.P90, p.FlowSetup.P90 = 0, 0 // a few flows must do: no chance
			_, samples := emulated(t, p, flows, 0)
			later, first := map[int][]time.Duration{}, map[int][]time.Duration{}
			for _, s := range samples {
				later[s.Size], first[s.Size] = append(later[s.Size], s.Later), append(first[s.Size], s.First)
			}
			for _, payload := range payloads {
				if n := len(later[payload]); n != flows {
					t.Errorf("%s: %d flows of %d bytes, want %d", name, n, payload, flows)
				}
				latency := p.PathLatency.At(payload)
				notSooner(t, name+": path latency", payload, later[payload], latency)
				notSooner(t, name+": first path latency", payload, first[payload], latency+p.FlowSetup.At(payload))
			}
		}
	})
}

// notSooner wants the median of some times to be two thirds of what was promised at least.
func notSooner(t *testing.T, what string, payload int, got []time.Duration, promised time.Duration) {
	t.Helper()
	if median := probe.Median(got); median < promised*2/3 {
		t.Errorf("%s of %d bytes: %v, promised %v", what, payload, probe.Shown(median), probe.Shown(promised))
	}
}
