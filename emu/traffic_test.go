package emu

import (
	"testing"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// TestTrafficIsCountedAsTheLinksDo has hosts send over links that lose, delay and jitter, under a
// learning controller: what the hosts miss is what the links say they lost, and a stream brings
// every byte in order nevertheless.
func TestTrafficIsCountedAsTheLinksDo(t *testing.T) {
	l := newLearner(t)
	n := joined(t, "linear:3", l, openflow.V10, func(c *Config) { c.stack, c.Silent = nil, true })
	a, b := n.Hosts()[0], n.Hosts()[2]
	dst := b.Spec().IPv4.Addr()
	ping := begin(t, a, func(s *host.Host, now time.Duration) (*host.Ping, error) {
		return s.Ping(host.PingSpec{Dst: dst, Count: 5, Interval: 50 * time.Millisecond}, now)
	})
	await(t, "answers over good links", func() bool { return tell(a, ping.Report).Received == 5 })

	before := lost(n)
	for _, k := range n.Links() {
		for _, way := range []Direction{Forward, Back} {
			if err := k.Set(way, topo.LinkSpec{Delay: 2 * time.Millisecond, Jitter: time.Millisecond, Loss: 0.03}); err != nil {
				t.Fatal(err)
			}
		}
	}
	flow := begin(t, a, func(s *host.Host, now time.Duration) (*host.Flow, error) {
		return s.UDP(host.FlowSpec{Dst: dst, Port: 5000, Rate: 4000, Count: 4000, Pattern: host.Poisson}, now)
	})
	await(t, "the end of the flow", func() bool { return tell(a, flow.Report).Done && n.Totals().Frames == 0 })
	sent, missing := tell(a, flow.Report), lost(n)-before
	var got host.SinkReport
	for range 100 { // the last frame has left the links, and may be on its way through the host's lock
		got = tell(b, func() host.SinkReport { return sinkOf(b, a, flow).Report() })
		if got.Received == sent.Sent-missing {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if sent.Sent != 4000 || got.Received != sent.Sent-missing || missing < 100 || got.Duplicated != 0 ||
		got.Stale != 0 || got.Latency.Min < 2*time.Millisecond {
		t.Errorf("sent %+v\narrived %+v\nthe links lost %d", sent, got, missing)
	}

	const bytes = 1_000_000
	stream := begin(t, a, func(s *host.Host, now time.Duration) (*host.Stream, error) {
		return s.TCP(host.StreamSpec{Dst: dst, Bytes: bytes}, now)
	})
	await(t, "the end of the stream", func() bool { return tell(a, stream.Report).Done })
	await(t, "the last frames", func() bool { return n.Totals().Frames == 0 })
	here := tell(a, stream.Report)
	there := tell(b, func() host.StreamReport { return acceptedFrom(b, a, stream).Report() })
	if here.Err != nil || here.Acked != bytes || there.Delivered != bytes || there.Misplaced != 0 || here.Retransmitted == 0 {
		t.Errorf("sent %+v\narrived %+v", here, there)
	}
}

// begin gives a host a command.
func begin[C any](t *testing.T, h *Host, f func(*host.Host, time.Duration) (C, error)) (c C) {
	t.Helper()
	var err error
	h.Do(func(s *host.Host, now time.Duration, _ host.Output) { c, err = f(s, now) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tell reads something that belongs to a host.
func tell[R any](h *Host, f func() R) (r R) {
	h.Do(func(*host.Host, time.Duration, host.Output) { r = f() })
	return r
}

// sinkOf is where a host counts another's flow; within tell.
func sinkOf(at, from *Host, f *host.Flow) *host.Sink {
	return at.stack.(*host.Host).Sink(from.Spec().IPv4.Addr(), f.SrcPort(), at.Spec().IPv4.Addr(), 5000)
}

// acceptedFrom is the other end of a host's stream; within tell.
func acceptedFrom(at, from *Host, s *host.Stream) *host.Stream {
	return at.stack.(*host.Host).AcceptedFrom(from.Spec().IPv4.Addr(), s.Port(), host.DefaultFlowPort)
}

// lost is how many frames the links between switches have lost by chance, both ways.
func lost(n *Network) (sum uint64) {
	for _, k := range n.Links() {
		sum += k.Stats(Forward).Lost[LostByChance] + k.Stats(Back).Lost[LostByChance]
	}
	return sum
}
