package sim

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
)

var (
	seedFlag    = flag.Uint64("seed", 1, "of the run that TestReplay repeats")
	shrinkFlag  = flag.Bool("shrink", false, "TestReplay looks for fewer events that fail")
	tellFlag    = flag.Bool("tell", false, "TestReplay tells every event and message")
	asksFlag    = flag.Bool("asks", false, "the run is one with intents")
	plannedFlag = flag.Bool("planned", false, "the run is one in which nothing fails")
	clusterFlag = flag.Bool("cluster", false, "the run is one of several instances")
	seedsFlag   = flag.Int("seeds", need.Rounds(36), "how many seeds TestSeeds runs")
	fromFlag    = flag.Uint64("from", 1, "the first of them")
)

// needsSeed reports whether flags were given that are of one seed's run, but none was said.
func needsSeed(given map[string]bool) bool {
	return (given["shrink"] || given["tell"]) && !given["seed"]
}

// TestReplayNeedsItsSeed holds for which flags a seed must be said.
func TestReplayNeedsItsSeed(t *testing.T) {
	for flags, want := range map[string]bool{"": false, "seed": false, "seeds": false, "shrink": true, "tell": true,
		"seed shrink": false, "tell seed": false} {
		given := map[string]bool{}
		for name := range strings.FieldsSeq(flags) {
			given[name] = true
		}
		if needsSeed(given) != want {
			t.Errorf("with flags %q it needs a seed: %v, want %v", flags, !want, want)
		}
	}
}

// TestReplay repeats the run of one seed. With -v, or in the directory of the package, a line
// says if nothing went wrong.
func TestReplay(t *testing.T) {
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if needsSeed(given) {
		t.Fatal("-shrink and -tell are of one run: want -seed N too")
	}
	size := Small
	if *asksFlag {
		size = WithIntents
	}
	p := NewPlan(*seedFlag, size)
	if *plannedFlag {
		p = NewPlannedPlan(*seedFlag)
	}
	if *clusterFlag {
		p = NewClusterPlan(*seedFlag)
	}
	t.Log(p)
	var trace func(string, ...any)
	if *tellFlag {
		trace = t.Logf
	}
	run := Run
	if *clusterFlag {
		run = runCluster
	}
	if *shrinkFlag {
		if o := run(p, nil); len(o.Wrong) > 0 {
			p, _ = Shrink(p, o, 500, run)
			t.Logf("shrunk: %s", p)
		}
	}
	began := time.Now()
	o := run(p, trace)
	t.Logf("hash %s, %v in %v", o.Hash, o.Simulated, time.Since(began))
	for _, s := range o.Wrong {
		t.Error(s)
	}
	if given["seed"] && len(o.Wrong) == 0 {
		fmt.Printf("seed %d: nothing went wrong, hash %s\n", *seedFlag, o.Hash)
	}
}

// TestSeeds runs one seed after the other. Of one that fails it says how to live it again.
func TestSeeds(t *testing.T) {
	for seed := *fromFlag; seed < *fromFlag+uint64(*seedsFlag); seed++ {
		for _, s := range Run(NewPlan(seed, Small), nil).Wrong {
			t.Errorf("go test ./internal/sim -run Replay -seed %d # %s", seed, s)
		}
	}
}

// TestIntents runs seeds in which intents are asked for: what was answered is so in every later
// life, and when everything is repaired each has the paths that it should, in the switches too. Beside them an
// application has rules with groups and meters.
func TestIntents(t *testing.T) {
	for seed := *fromFlag; seed < *fromFlag+uint64(*seedsFlag); seed++ {
		for _, s := range Run(NewPlan(seed, WithIntents), nil).Wrong {
			t.Errorf("go test ./internal/sim -run Replay -asks -seed %d # %s", seed, s)
		}
	}
}

// TestPlanned runs seeds in which nothing fails and places are drained: no packet is lost, comes
// twice or goes by the controller, those in flight when a path is left neither.
func TestPlanned(t *testing.T) {
	for seed := *fromFlag; seed < *fromFlag+uint64(*seedsFlag); seed++ {
		for _, s := range Run(NewPlannedPlan(seed), nil).Wrong {
			t.Errorf("go test ./internal/sim -run Replay -planned -seed %d # %s", seed, s)
		}
	}
}

// twoSwitches are the least there is: a link that is cut for a while.
func twoSwitches(seed uint64) *Plan {
	return &Plan{Seed: seed, Version: openflow.V13, Switches: 2, Links: []LinkPlan{{0, 1, time.Millisecond}},
		Sockets: []int{0, 1},
		Hosts:   []HostPlan{{Socket: 0}, {Socket: 1}}, Events: []Event{{Kind: CutLink, At: time.Second, For: 5 * time.Second}}}
}

// sameHash holds runs of a plan to one hash.
func sameHash(t *testing.T, p *Plan, runs int) {
	t.Helper()
	first := Run(p, nil)
	for range runs - 1 {
		if o := Run(p, nil); o.Hash != first.Hash {
			t.Fatalf("seed %d: hash %s, and then %s", p.Seed, first.Hash, o.Hash)
		}
	}
}

// The same seed gives the same bytes at the same times, another seed others; and a network that
// nobody harms is whole.
func TestSameSeedSameHash(t *testing.T) {
	one, other := Run(twoSwitches(1), nil), Run(twoSwitches(2), nil)
	for _, s := range append(one.Wrong, other.Wrong...) {
		t.Error(s)
	}
	if one.Hash == other.Hash {
		t.Errorf("two seeds have the hash %s", one.Hash)
	}
	sameHash(t, twoSwitches(1), need.Rounds(9))
	for seed := range uint64(need.Rounds(6)) {
		sameHash(t, NewPlan(seed+1, Small), 2)
		sameHash(t, NewPlan(seed+1, WithIntents), 2)
		sameHash(t, NewClusterPlan(seed+1), 2)
	}
}
