package bench

import (
	"context"
	"fmt"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/target"
)

// waitPath asks for the answer when the intent is installed.
const waitPath = paths.IntentsURL + "?wait=installed&timeout=30s"

// run is one run: intents one after the other, alternately without and with waiting.
func (s *latencyScore) run(ctx context.Context, i int) error {
	for _, h := range s.times {
		h.Reset()
	}
	err := s.setup.filled(ctx, "intents", paths.FormNDJSON, s.c.Flows, true, func(g *target.Testbed) (int, error) {
		err := s.measure(ctx, g)
		return g.Next, err
	})
	if err == nil {
		s.take(i)
	}
	return err
}

func (s *latencyScore) measure(ctx context.Context, g *target.Testbed) error {
	a, err := load.NewSubmitter(ctx, g)
	if err != nil {
		return err
	}
	defer a.Close()
	before := target.ReadCPUTimes(g.Process)
	for n := range s.c.Count {
		if err := s.one(ctx, g, a, n%2 == 1); err != nil {
			return fmt.Errorf("intent %d: %w", n, err)
		}
	}
	s.usage = target.UsageSince(before, g.Process)
	return nil
}

// one asks for an intent, and waits until switches have it.
func (s *latencyScore) one(ctx context.Context, g *target.Testbed, a *load.Submitter, wait bool) error {
	p := g.Paths.At(g.Next)
	path := paths.IntentsURL
	if wait {
		path = waitPath
	}
	request := a.AppendRequest(nil, path, paths.FormJSON, p.AppendItem(nil, g.Net))
	want := g.Net.Tally().Put + uint64(g.Paths.Hops)
	began := g.Net.Age()
	if err := a.Send(request); err != nil {
		return err
	}
	if _, err := a.Answer(); err != nil {
		return err
	}
	answered := g.Net.Age() - began
	g.Next++
	err := g.AwaitEntries(ctx, "one path asked for",
		func(t loadswitch.Tally) bool { return t.Put >= want && g.Complete(p.N, p.N+1) })
	if err != nil {
		return err
	}
	var t paths.Received
	g.Paths.Follow(&p, true, &t)
	if wait {
		s.times[toInstalled].Record(int64(answered))
		s.times[toLastWaited].Record(t.Last - int64(began))
		return nil
	}
	s.times[toDurable].Record(int64(answered))
	s.times[toFirst].Record(t.First - int64(began))
	s.times[toLast].Record(t.Last - int64(began))
	return nil
}
