package sim

import (
	"flag"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

var (
	seedFlag  = flag.Uint64("seed", 1, "of the run that TestReplay lives again")
	traceFlag = flag.Bool("trace", false, "TestReplay tells every message")
)

func TestReplay(t *testing.T) {
	p := NewPlan(*seedFlag, Small)
	t.Log(p)
	var trace func(string, ...any)
	if *traceFlag {
		trace = t.Logf
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
