package sim

import (
	"flag"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

var (
	seedFlag   = flag.Uint64("seed", 1, "of the run that TestReplay lives again")
	shrinkFlag = flag.Bool("shrink", false, "TestReplay looks for fewer events that fail")
	seedsFlag  = flag.Int("seeds", 12, "how many seeds TestSeeds runs")
	fromFlag   = flag.Uint64("from", 1, "the first of them")
	tellFlag   = flag.Bool("tell", false, "TestReplay tells every message")
)

func TestReplay(t *testing.T) {
	p := NewPlan(*seedFlag, Small)
	t.Log(p)
	var trace func(string, ...any)
	if *tellFlag {
		trace = t.Logf
	}
	if *shrinkFlag {
		if o := Run(p, nil); len(o.Wrong) > 0 {
			p, _ = Shrink(p, o, 500)
			t.Logf("shrunk: %s", p)
		}
	}
	began := time.Now()
	o := Run(p, trace)
	t.Logf("hash %s, %v in %v", o.Hash, o.Simulated, time.Since(began))
	for _, s := range o.Wrong {
		t.Error(s)
	}
}

// The same seed gives the same bytes at the same times, however often.
func TestSameSeedSameHash(t *testing.T) {
	p := &Plan{Seed: 1, Version: openflow.V13, Switches: 2, Links: []LinkPlan{{0, 1, time.Millisecond}}, Sockets: []int{0, 1},
		Hosts: []HostPlan{{Socket: 0}, {Socket: 1}}, Events: []Event{{Kind: CutLink, At: time.Second, For: 5 * time.Second}}}
	first := Run(p, nil)
	for _, s := range first.Wrong {
		t.Error(s)
	}
	for range 9 {
		if o := Run(p, nil); o.Hash != first.Hash {
			t.Fatalf("hash %s, and then %s", first.Hash, o.Hash)
		}
	}
	p.Seed++
	if o := Run(p, nil); o.Hash == first.Hash {
		t.Error("another seed gives the same hash")
	}
}

func TestSeeds(t *testing.T) {
	for seed := *fromFlag; seed < *fromFlag+uint64(*seedsFlag); seed++ {
		for _, s := range Run(NewPlan(seed, Small), nil).Wrong {
			t.Errorf("go test ./internal/sim -run Replay -seed %d # %s", seed, s)
		}
	}
}
