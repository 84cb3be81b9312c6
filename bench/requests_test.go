package bench

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/session/pipe"
)

// nulled measures with a null instance in this process.
func nulled(t *testing.T, null *target.Null, c *Setup, measure func(ctx context.Context)) {
	t.Helper()
	c.Topology, c.Hops, c.Seed, c.Controller, c.API = "wan:30", 4, 3, "null:1", "null:2"
	ctx, stop := context.WithCancel(t.Context())
	of, api := pipe.Listen("test"), pipe.Listen("test")
	ended := make(chan error, 1)
	go func() { ended <- null.Serve(ctx, of, api) }()
	c.Test = &target.InProcess{OpenFlow: func(ctx context.Context, _ string) (net.Conn, error) { return of.Dial(ctx) },
		API: func(ctx context.Context, _ string) (net.Conn, error) { return api.Dial(ctx) }, Links: null.Links}
	measure(ctx)
	stop()
	if err := <-ended; err != ctx.Err() {
		t.Error(err)
	}
}

// TestNullInstanceIsMeasured has every scenario of intents find in the null instance what it asks
// for: all paths lead to their ends, at once and after a cut, and nothing besides is left.
func TestNullInstanceIsMeasured(t *testing.T) {
	for name, measure := range map[string]func(ctx context.Context, s Setup) (*report.Report, error){
		"requests": func(ctx context.Context, s Setup) (*report.Report, error) {
			return Run(ctx, &Requests{Setup: s, Conns: []int{1, 3}, Flows: 20, Duration: 50 * time.Millisecond,
				Warmup: time.Millisecond})
		},
		"requests at a rate": func(ctx context.Context, s Setup) (*report.Report, error) {
			return Run(ctx, &Requests{Setup: s, Conns: []int{2}, Flows: 20, Rate: 300, Duration: 50 * time.Millisecond,
				Warmup: time.Millisecond, LateLimit: time.Minute})
		},
		"paths": func(ctx context.Context, s Setup) (*report.Report, error) {
			return Run(ctx, &Paths{Setup: s, Flows: 50, Burst: 40, Bursts: 1})
		},
		"plain switches": func(ctx context.Context, s Setup) (*report.Report, error) {
			s.PlainSwitches = true
			r, err := Run(ctx, &Paths{Setup: s, Flows: 50, Burst: 40, Bursts: 1, Forms: []paths.Form{paths.FormProtobuf}})
			if err == nil && len(r.Results) != 2 {
				err = fmt.Errorf("%d results, want one with plain switches and one without", len(r.Results))
			}
			return r, err
		},
		"reroute": func(ctx context.Context, s Setup) (*report.Report, error) {
			return Run(ctx, &Reroute{Setup: s, Flows: 200, Move: 20, Cuts: 2})
		},
		"intent-latency": func(ctx context.Context, s Setup) (*report.Report, error) {
			return Run(ctx, &Latency{Setup: s, Flows: 10, Count: 4})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := Setup{Instance: target.Instance{Limit: 10 * time.Second}, Options: Options{Runs: 1}}
			null := &target.Null{Topology: "wan:30", Hops: 4, Seed: 3}
			nulled(t, null, &s, func(ctx context.Context) {
				r, err := measure(ctx, s)
				wantRefused(t, r, err, "")
				if n := null.Held(); n > 0 {
					t.Errorf("%d paths are left", n)
				}
			})
		})
	}
}

// TestRequestsRefuse: paths that lead elsewhere are no result.
func TestRequestsRefuse(t *testing.T) {
	s := Setup{Instance: target.Instance{Limit: 200 * time.Millisecond}, Options: Options{Runs: 1}}
	nulled(t, &target.Null{Topology: "wan:30", Hops: 4, Seed: 4}, &s, func(ctx context.Context) {
		r, err := Run(ctx, &Requests{Setup: s, Conns: []int{1}, Flows: 20, Duration: 10 * time.Millisecond})
		if err != nil || !strings.Contains(r.Results[0].Refused, "paths") {
			t.Errorf("%v, %+v", err, r.Results[0])
		}
	})
	for why, m := range map[error]*requestRun{report.ErrNothing: {}, report.ErrLate: {answered: 1},
		report.ErrSlow: {answered: 1, behind: 1000}} {
		m.lateness = report.NewHistogram()
		if why == report.ErrLate {
			m.lateness.Record(int64(time.Second))
		}
		if err := m.check(&Requests{Rate: 1000, LateLimit: time.Millisecond}); err == nil ||
			!strings.Contains(err.Error(), why.Error()) {
			t.Errorf("%v, want %v", err, why)
		}
	}
}

// TestQueues reads what the kernel keeps for connections.
func TestQueues(t *testing.T) {
	ports := map[int]int{0x1f90: 0, 0x22: 0}
	addQueues(ports, `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 0100007F:C0DE 01 00000100:00000002 00:00000000 00000000     0        0 1 1
   1: 0100007F:C0DE 0100007F:1F90 01 00001000:00000000 00:00000000 00000000     0        0 1 1
   2: 0100007F:C0DE 0100007F:1F91 01 00001000:00000000 00:00000000 00000000     0        0 1 1
`)
	if ports[0x1f90] != 0x1102 || ports[0x22] != 0 {
		t.Errorf("%v", ports)
	}
}

// TestHeldBackPortsAreTold: where answers are missing because the instance holds back ports, the
// verdict says so, and what to do.
func TestHeldBackPortsAreTold(t *testing.T) {
	for floods, want := range map[int]string{0: report.ErrMissing.Error(),
		8: "held back ports that flood it, 8 times: few ports sent all packets, want --hosts 48 or more"} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, "weir_guard_total{kind=\"floods\"} %d\n", floods)
		}))
		x := &trial{name: target.Self, process: &target.Process{API: web.URL}}
		if err := x.heldBack(t.Context(), report.ErrMissing); !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
		web.Close()
	}
}
