//go:build real

package bench_test

import (
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/bench"
	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
)

// TestPeersBesideWeir measures all controllers in one run, on the same switches.
func TestPeersBesideWeir(t *testing.T) {
	need.Program(t, target.OVSTestcontroller)
	need.OSKen(t)
	need.Faucet(t)
	for _, c := range []*bench.Reactive{
		{Targets: []string{target.Self, target.OVSTestcontroller, target.OSKen},
			Config: load.Config{Version: openflow.V10, Buffered: true}},
		{Targets: []string{target.Self, target.OVSTestcontroller, target.OSKen},
			Config: load.Config{Version: openflow.V13, Hosts: 20}},
		{Targets: target.Controllers(), Config: load.Config{Version: openflow.V13, Learning: true}},
	} {
		c.Topology, c.Outstanding, c.Runs, c.Duration, c.Warmup = "single:2", 8, 2, 50*time.Millisecond, 20*time.Millisecond
		if c.Hosts == 0 {
			c.Hosts = 10
		}
		r, err := bench.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != report.Valid {
			t.Errorf("OpenFlow %s, learning=%v: %s", c.Version, c.Learning, r.Verdict)
		}
		for _, x := range r.Results {
			foreign := x.Subject != report.Weir && x.Subject != target.Bare
			if x.Refused == "" && (len(x.Measures[0].Runs) != 2 || x.Measures[0].Median <= 0 ||
				foreign && !strings.Contains(x.Program, ".")) {
				t.Errorf("OpenFlow %s, learning=%v: %+v", c.Version, c.Learning, *x)
			}
		}
	}
}
