package bench_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/bench"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/bench/tenants"
	"github.com/weirnet/weir/openflow"
)

// TestHypervisorIsMeasuredBesideRelayAndNothing measures a relay of the test's own, which stands for a hypervisor of
// one tenant, beside the one that is started and the bare path: with ratios of each run.
func TestHypervisorIsMeasuredBesideRelayAndNothing(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	relay := &target.Relay{To: []string{fmt.Sprintf("127.0.0.1:%d", freePort(t))}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- relay.Serve(ctx, []net.Listener{ln}) }()
	defer func() {
		cancel()
		<-done
	}()
	for _, rate := range []int{1000, 0} {
		c := &bench.Hypervisor{Config: tenants.Config{Rate: rate, Controllers: relay.To[0], Warmup: time.Millisecond,
			LateLimit: time.Minute}, Address: ln.Addr().String(), NoWeir: true, PID: os.Getpid(), Duration: 30 * time.Millisecond,
			Options: bench.Options{Runs: 2}}
		r, err := bench.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != report.Valid || len(r.Results) != 3 || len(r.Tables) != 3 {
			t.Fatalf("%s: %d results, %d tables", r.Verdict, len(r.Results), len(r.Tables))
		}
		x, name := r.Results[0], "packet-ins"
		if rate > 0 {
			name = "mean latency"
		}
		if x.Subject != c.Address || x.Measures[0].Name != name {
			t.Errorf("%s: first measure %s, want %s", x.Subject, x.Measures[0].Name, name)
		}
		for i, others := range [][]string{{"relay", "bare"}, {"bare"}, nil} {
			n := 0
			for _, m := range r.Results[i].Measures {
				if strings.Contains(m.Name, " ÷ ") {
					n++
				}
			}
			for _, other := range others {
				m, own, of := r.Results[i].Measure(name+" ÷ "+other), r.Results[i].Measure(name), r.Results[2].Measure(name)
				if m == nil || len(m.Runs) != 2 || other == "bare" && m.Runs[1] != own.Runs[1]/of.Runs[1] {
					t.Errorf("%s ÷ %s: %+v of %+v and %+v", r.Results[i].Subject, other, m, own, of)
				}
				n -= map[bool]int{true: 3, false: 1}[rate > 0]
			}
			if n != 0 {
				t.Errorf("%s: %d ratios more than wanted", r.Results[i].Subject, n)
			}
		}
		if (x.Measure("CPU, of a core") == nil) || r.Results[2].Measure("CPU, of a core") != nil {
			t.Error("CPU time of what stands between, and of nothing")
		}
		if n := x.Time("latency").Count; rate > 0 && n != 60 {
			t.Errorf("%d latencies of 60 packet-ins", n)
		}
	}
}

// TestTenantsAreShown has several tenants in both versions, and each in the report.
func TestTenantsAreShown(t *testing.T) {
	t.Parallel()
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		c := &bench.Hypervisor{Config: tenants.Config{Kind: tenants.FlowMod, Version: v, Tenants: 3, Outstanding: 2, Nagle: true,
			Warmup: time.Millisecond}, NoWeir: true, Duration: 200 * time.Millisecond, Options: bench.Options{Runs: 1}}
		r, err := bench.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != report.Valid || r.Load.Tenants != 3 || len(r.Tables) != 2 || len(r.Tables[0].Rows) != 3 ||
			r.Results[0].Measure("Jain's index of tenants' rates") == nil {
			t.Errorf("%s: %+v %+v", v, r, r.Results[0])
		}
	}
}

// TestHypervisorThatIsNone: a hypervisor that is not there, or connects to no controller, has no figures, and the others have.
func TestHypervisorThatIsNone(t *testing.T) {
	t.Parallel()
	deaf, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	for address, want := range map[string]string{"127.0.0.1:1": "connection refused",
		deaf.Addr().String(): "switch 1 has not connected to the controller of tenant 1"} {
		c := &bench.Hypervisor{Config: tenants.Config{Rate: 1000, Controllers: fmt.Sprintf("127.0.0.1:%d", freePort(t)),
			Settle: 200 * time.Millisecond, Warmup: time.Millisecond, LateLimit: time.Minute}, Address: address, NoWeir: true,
			Duration: 20 * time.Millisecond, Options: bench.Options{Runs: 1}}
		r, err := bench.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if x := r.Results[0]; !strings.Contains(x.Refused, want) || len(x.Measures) > 0 || r.Results[1].Refused != "" ||
			r.Results[1].Measure("mean latency ÷ bare") == nil {
			t.Errorf("%s: %+v, %+v", address, x, r.Results[1])
		}
	}
}

// freePort is one that nobody listens at.
func freePort(t *testing.T) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}

// TestWeirServesTenants measures an instance with each kind of messages, of tenants whose controllers connect to nothing
// but it: every pair of a flow-mod and a barrier has the switch get a flow-mod.
func TestWeirServesTenants(t *testing.T) {
	t.Parallel()
	for _, k := range tenants.Kinds() {
		c := &bench.Hypervisor{Config: tenants.Config{Kind: k, Tenants: 3, Outstanding: 4, Warmup: time.Millisecond},
			Duration: 100 * time.Millisecond, Options: bench.Options{Runs: 1}}
		r, err := bench.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		x := r.Results[0]
		if r.Verdict != report.Valid || x.Subject != report.Weir || x.Measures[0].Median == 0 ||
			x.Measure(k.Messages()+" ÷ relay") == nil || x.Processes[1].RSS.Median == 0 {
			t.Fatalf("%s: %s: %+v", k, r.Verdict, x)
		}
		if m := x.Measure("flow-mods that switches got, each"); k == tenants.FlowMod && (m == nil || m.Median < 1) {
			t.Errorf("switches got %+v flow-mods for each pair", m)
		}
	}
}

// TestAttackIsMeasuredBesideItsSink: the messages of a tenant that attacks are counted, to Weir and to the sink, which gets as
// many; the others' are answered.
func TestAttackIsMeasuredBesideItsSink(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{0, 100} {
		c := &bench.Hypervisor{Config: tenants.Config{Kind: tenants.Reaction, Tenants: 2, Rate: 200, Warmup: time.Millisecond,
			LateLimit: time.Minute}, Attack: 5000, AttackLimit: limit, Duration: 300 * time.Millisecond,
			Options: bench.Options{Runs: 1}}
		r, err := bench.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != report.Valid || len(r.Results) != 2 || r.Results[0].Measure("p99 ÷ sink") == nil {
			t.Fatalf("%s: %d results: %+v", r.Verdict, len(r.Results), r.Results[0])
		}
		const sent = "messages of the tenant that attacks"
		own, sunk := r.Results[0].Measure(sent), r.Results[1].Measure(sent)
		if own.Median < 500 || sunk.Median < own.Median/2 || sunk.Median > 2*own.Median {
			t.Errorf("%v messages/s went to Weir, and %v to the sink", own.Median, sunk.Median)
		}
	}
	for want, c := range map[string]*bench.Hypervisor{
		"which is made on Weir alone": {Attack: 1, NoWeir: true},
		"and no attack":               {AttackLimit: 1},
		"less than no messages":       {Attack: -1},
		"want one tenant less":        {Attack: 1, Config: tenants.Config{Tenants: tenants.MaxTenants}},
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
