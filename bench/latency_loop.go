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
	s.latencies = newLatencies()
	g, err := s.setup.Open(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := load.Fill(ctx, g, paths.FormNDJSON, s.c.Flows); err != nil {
		return fmt.Errorf("before the intents: %w", err)
	}
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
	after := target.ReadCPUTimes(g.Process)
	s.instance = processUsage{after.Target - before.Target, g.Process.Memory()}
	s.switches = processUsage{after.Generator - before.Generator, target.OwnMemory()}
	if err := a.WithdrawAll(ctx, g, true, g.Next); err != nil {
		return err
	}
	s.take(i)
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
		s.installed.Record(int64(answered))
		s.waited.Record(t.Last - int64(began))
		return nil
	}
	s.durable.Record(int64(answered))
	s.first.Record(t.First - int64(began))
	s.last.Record(t.Last - int64(began))
	return nil
}
