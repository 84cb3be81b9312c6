package bench_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/bench"
	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/cli"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/openflow"
)

// TestMain lets this binary be the weir that scenarios start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "node" || os.Args[1] == "bench") {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestWeirAnswers measures an instance and the null responder, each in a process of its own.
func TestWeirAnswers(t *testing.T) {
	t.Parallel()
	for _, packets := range []load.Config{
		{Version: openflow.V10, Topology: "single:2", Buffered: true},
		{Version: openflow.V13, Topology: "single:2"},
	} {
		c := &bench.Reactive{Config: packets}
		c.Targets = []string{target.Self, target.Bare}
		c.Hosts, c.Outstanding, c.Runs, c.Duration, c.Warmup = 20, 8, 2, 20*time.Millisecond, 5*time.Millisecond
		r, err := bench.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		self := r.Results[0]
		if r.Refused() || self.Measures[0].Median == 0 || self.Measures[0].Ratios[target.Bare] == 0 ||
			self.Processes[0].RSS.Median == 0 {
			t.Fatalf("OpenFlow %s: %+v and %+v", c.Version, *self, *r.Results[1])
		}
		want := 1.0 // a flow-mod that releases the buffered packet
		if !c.Buffered {
			want = 2 // and a packet-out with the frame
		}
		if m := self.Measure("messages an answer"); m.Least != want || m.Greatest != want {
			t.Errorf("OpenFlow %s: %v messages an answer, want %v", c.Version, m, want)
		}
	}
}

// TestWeirInstallsWholePaths follows packets over paths of four switches of a ring: none comes to a
// switch without its rule.
func TestWeirInstallsWholePaths(t *testing.T) {
	t.Parallel()
	for _, packets := range []load.Config{{Version: openflow.V10, Buffered: true},
		{Version: openflow.V13, Buffered: true}, {Version: openflow.V13}} {
		c := &bench.Reactive{Config: packets}
		c.Targets, c.Topology, c.Hops = []string{target.Self}, "ring:7", 4
		// one flow in 32 is looked at
		c.Hosts, c.Outstanding, c.Runs, c.Duration, c.Warmup = 60, 4, 1, 150*time.Millisecond, 10*time.Millisecond
		r, err := bench.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		x := r.Results[0]
		if r.Refused() || x.Measures[0].Name != "flows complete" || x.Measures[0].Median == 0 {
			t.Fatalf("OpenFlow %s, buffered=%v: %+v", c.Version, c.Buffered, *x)
		}
		if !strings.HasPrefix(x.Notes[0],
			"second packet-ins 0; released before a barrier behind the rules: 0 of ") || strings.Contains(x.Notes[0], " of 0 ") {
			t.Errorf("OpenFlow %s, buffered=%v: %s", c.Version, c.Buffered, x.Notes[0])
		}
	}
}

// TestWeirStarts measures an instance's start and rest, and the null instance's beside it, which
// takes less of memory.
func TestWeirStarts(t *testing.T) {
	t.Parallel()
	c := &bench.Start{Switches: 5, Idle: 10 * time.Millisecond, Rest: 10 * time.Millisecond, Options: bench.Options{Runs: 2}}
	r, err := bench.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	x := r.Results[0]
	if x.Refused != "" || x.Time("shown").Count != 10 || x.Time("shown").P50 < x.Time("request sent").P50 ||
		!strings.Contains(out.String(), "API ready") {
		t.Fatalf("%+v\n%s", *x, out.String())
	}
	null := r.Results[1]
	if len(r.Results) != 2 || !null.SelfCheck || null.Refused != "" || null.Time("shown").Count != 10 ||
		null.Measure("allocations at rest") != nil {
		t.Fatalf("null instance: %+v", *null)
	}
	for i, m := range x.Measures[:4] {
		if m.Median == 0 || len(m.Runs) != 2 || null.Measures[i].Name != m.Name || null.Measures[i].Median == 0 {
			t.Errorf("%+v, null %+v", m, null.Measures[i])
		}
	}
	if memory := x.Measure("memory with all switches").Least; memory <= null.Measure("memory with all switches").Greatest {
		t.Errorf("an instance takes %v MiB, and the null instance %v", memory, null.Measure("memory with all switches"))
	}
}

// TestWeirDiscovers finds a ring in an instance's view and in the null instance's, whole and
// nothing else.
func TestWeirDiscovers(t *testing.T) {
	t.Parallel()
	for _, c := range []*bench.Discovery{{Version: openflow.V13, Options: bench.Options{Runs: 2}},
		{Version: openflow.V10, Options: bench.Options{Runs: 1}}} {
		c.Topology, c.Single, c.Rest = "ring:5", 2, 10*time.Millisecond
		r, err := bench.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Results) != 2 || r.Results[0].SelfCheck || !r.Results[1].SelfCheck {
			t.Fatalf("results %+v, want an instance's and the null instance's", r.Results)
		}
		for _, x := range r.Results {
			if x.Refused != "" || x.Time("switch shown").Count != int64(2*c.Runs) ||
				x.Measures[0].Least < x.Measures[1].Least || x.Measures[2].Greatest != 0 {
				t.Errorf("OpenFlow %s, %s: %+v", c.Version, x.Subject, *x)
			}
		}
	}
}

// TestEmulatedNetworksAreMeasured connects a small network and has frames go round a ring.
func TestEmulatedNetworksAreMeasured(t *testing.T) {
	t.Parallel()
	c := &bench.Emulator{Topology: "linear:3", Ring: 3, Rules: 60, Flows: 20, Duration: 200 * time.Millisecond,
		Options: bench.Options{Runs: 2}}
	r, err := bench.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	x := r.Results[0]
	if x.Refused != "" || x.Measures[0].Least <= 0 ||
		x.Measure("network made to all switches connected").Least <= 0 || r.Fidelity == nil {
		t.Errorf("%+v, fidelity %+v", *x, r.Fidelity)
	}
	if len(x.Notes) > 0 && strings.Contains(x.Notes[0], "behave") {
		t.Errorf("ideal switches: %q", x.Notes)
	}
	if c.Profile, err = profile.Named("aruba-3810m"); err != nil {
		t.Fatal(err)
	}
	c.Runs = 1
	if r, err = bench.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if x = r.Results[0]; x.Refused != "" || len(x.Notes) == 0 ||
		!strings.HasPrefix(x.Notes[0], "switches behave as aruba-3810m; assumed: load, ") {
		t.Errorf("%+v", *x)
	}
}

// TestUnknownControllers are refused before anything is started.
func TestUnknownControllers(t *testing.T) {
	c := &bench.Reactive{Targets: []string{"nonesuch"}}
	if _, err := bench.Run(t.Context(), c); err == nil ||
		!strings.Contains(err.Error(),
			`"nonesuch" given, want HOST:PORT or one of self, bare, ovs-testcontroller, os-ken, faucet`) {
		t.Errorf("error %v", err)
	}
}

// TestWeirRests has two hosts ping each other over TCP, and counts.
func TestWeirRests(t *testing.T) {
	t.Parallel()
	c := &bench.Rest{Topology: "linear:2", Interval: 100 * time.Millisecond, Settle: time.Second, Duration: time.Second}
	r, err := bench.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	x := r.Results[0]
	if x.Refused != "" || x.Measure("pings").Median == 0 ||
		x.Measure("directions of links that are not shown at the end").Median != 0 {
		t.Errorf("%+v", *x)
	}
}

// TestWeirGrows measures two small sizes of each thing.
func TestWeirGrows(t *testing.T) {
	t.Parallel()
	c := &bench.Growth{Times: []int{1, 2}, Intents: 2000, Switches: 7, Hosts: 100}
	c.Topology, c.Hops, c.Runs, c.Seed = "ring:7", 4, 1, 1
	costs := func(x *report.Result) bool { // on a machine with other work an instance may do less in a short time than at rest
		m := x.Measure("allocations of an event, 2 times as many")
		return x.Refused == "" && x.Measure("CPU of an event, 2 times as many ÷ 1") != nil && m != nil && m.Median > 0
	}
	for c.Duration = 250 * time.Millisecond; ; c.Duration *= 4 {
		r, err := bench.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Results) != 3 {
			t.Fatalf("%d results", len(r.Results))
		}
		i := slices.IndexFunc(r.Results, func(x *report.Result) bool { return !costs(x) })
		if i < 0 {
			return
		}
		if c.Duration > 10*time.Second {
			t.Fatalf("%+v", *r.Results[i])
		}
	}
}

// answered measures for 200 ms, and for longer while nothing was answered: a disk that others write
// to may take longer for one request.
func answered(t *testing.T, duration *time.Duration, s bench.Scenario) *report.Report {
	t.Helper()
	for *duration = 200 * time.Millisecond; ; *duration *= 4 {
		r, err := bench.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Verdict, "nothing was answered") || *duration > 10*time.Second {
			return r
		}
	}
}

// TestWeirIsAskedForSingleIntents has an instance answer requests for single intents beside the
// null instance, each in a process of its own, and event streams show what was changed last.
func TestWeirIsAskedForSingleIntents(t *testing.T) {
	t.Parallel()
	s := bench.Setup{Instance: target.Instance{Topology: "ring:6", Hops: 3, Limit: 30 * time.Second},
		Options: bench.Options{Runs: 1}}
	requests := &bench.Requests{Setup: s, Conns: []int{2}, Flows: 20, Warmup: time.Millisecond}
	r := answered(t, &requests.Duration, requests)
	if r.Refused() || len(r.Results) != 2 {
		t.Fatalf("%+v", r)
	}
	const syncs = "synchronisations of store and audit log, each, 2 connections"
	if m := r.Results[0].Measure(syncs); m == nil || m.Median > 3.2 || r.Results[1].Measure(syncs) != nil {
		t.Errorf("synchronisations: %v, want 3 a request at most, and none of the null instance", m)
	}
	events := &bench.Events{Setup: s, Active: 500, Rate: 200, Unread: 3, Read: 3, Warmup: time.Millisecond}
	if r = answered(t, &events.Duration, events); r.Refused() || len(r.Results) != 3 {
		t.Fatalf("%+v", r)
	}
	if m := r.Results[2].Measure("sent to each stream"); m == nil || m.Median == 0 {
		t.Errorf("streams were sent %v", m)
	}
}
