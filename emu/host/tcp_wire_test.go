package host

import (
	"net/netip"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/packet"
)

// TestStreamsDeliverExactlyTheBytes sends streams both ways over wires that lose, double and
// reorder.
func TestStreamsDeliverExactlyTheBytes(t *testing.T) {
	for seed := range uint64(30) {
		w, a, b := pair(t, seed)
		w.loss, w.dup, w.jitter = float64(seed%5)*0.04, float64(seed%3)*0.05, time.Duration(seed%4)*2*time.Millisecond
		const n = 100_000
		carried := map[uint16]uint64{} // segments of each stream from the end that has this port
		w.seen = func(_ time.Duration, _ int, frame []byte, _ bool) {
			var k packet.Key
			if packet.ParseKey(frame, &k); k.Layers.Has(packet.LayerTCP) {
				carried[k.SrcPort]++
			}
		}
		specs := []StreamSpec{{Dst: addr4, Port: 80, Bytes: n}, {Dst: addr6, Port: 80, Bytes: n},
			{Dst: addr4, Port: 81, Bytes: n, Rate: 8_000_000}}
		var streams []*Stream
		for _, spec := range specs {
			s, err := a.TCP(spec, 0)
			if err != nil {
				t.Fatal(err)
			}
			streams = append(streams, s)
		}
		b.tcp.port += 100 // no port twice
		back, err := b.TCP(StreamSpec{Dst: config(1).IPv4.Addr(), Bytes: n}, 0)
		if err != nil {
			t.Fatal(err)
		}
		var received [4]StreamReport // of the far ends, before they are forgotten
		for range 3000 {
			w.run(100 * time.Millisecond)
			for i, s := range streams {
				if p := b.AcceptedFrom(source(a, s), s.Port(), s.spec.Port); p != nil {
					received[i] = p.Report()
				}
			}
			if p := a.AcceptedFrom(addr4, back.Port(), DefaultFlowPort); p != nil {
				received[3] = p.Report()
			}
			if len(a.tcp.streams)+len(b.tcp.streams) == 0 {
				break
			}
		}
		for i, s := range append(streams, back) {
			sent, got := s.Report(), received[i]
			if sent.State != "closed" || sent.Err != nil || sent.Acked != n || got.Delivered != n ||
				got.Misplaced != 0 || got.Err != nil {
				t.Errorf("seed %d, stream %d: sent %+v\nreceived %+v", seed, i, sent, got)
			}
			if sent.Segments != carried[s.Port()] {
				t.Errorf("seed %d, stream %d: %d segments sent, the wire saw %d", seed, i, sent.Segments, carried[s.Port()])
			}
			if w.loss == 0 && w.jitter == 0 && w.dup == 0 && (sent.Retransmitted != 0 || got.Duplicated != 0 ||
				got.Reordered != 0) {
				t.Errorf("seed %d, stream %d: nothing was lost: sent %+v\nreceived %+v", seed, i, sent, got)
			}
		}
		if a.link.timers.Len()+b.link.timers.Len() != 0 || len(a.tcp.accepted)+len(b.tcp.accepted) != 0 {
			t.Errorf("seed %d: something is left: %d and %d timers", seed, a.link.timers.Len(), b.link.timers.Len())
		}
	}
}

// source is the address that a stream comes from.
func source(h *Host, s *Stream) netip.Addr {
	src, _ := h.link.source(s.key.peer)
	return src.Netip()
}

// TestABrokenWireFailsStreams cuts the wire under a stream: the sender gives up, the receiver
// forgets it, nothing is left.
func TestABrokenWireFailsStreams(t *testing.T) {
	w, a, b := pair(t, 1)
	s, err := a.TCP(StreamSpec{Dst: addr6}, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.run(20 * time.Millisecond)
	accepted := b.Accepted()[0]
	w.loss = 1
	w.run(30 * time.Minute)
	if r := s.Report(); r.Err != ErrTimedOut || r.State != "failed" || r.Timeouts != segmentTries || !r.Done {
		t.Errorf("sender: %+v", r)
	}
	if r := accepted.Report(); r.Err != ErrSilent || r.Delivered == 0 || r.Misplaced != 0 {
		t.Errorf("receiver: %+v", r)
	}
	if len(a.tcp.streams)+len(b.tcp.streams)+a.link.timers.Len()+b.link.timers.Len() != 0 {
		t.Error("something is left")
	}
}

// TestAnInterruptionIsSurvived cuts the wire for ten seconds.
func TestAnInterruptionIsSurvived(t *testing.T) {
	w, a, b := pair(t, 1)
	s, err := a.TCP(StreamSpec{Dst: addr4, Bytes: 5_000_000}, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.run(20 * time.Millisecond)
	w.loss = 1
	w.run(10 * time.Second)
	w.loss = 0
	w.run(30 * time.Second)
	if r := s.Report(); r.State != "closed" || r.Acked != 5_000_000 || r.Timeouts < 3 {
		t.Errorf("%+v", r)
	}
	if c := b.Counters(); c.TCPBytesIn != 5_000_000 || c.TCPAccepted != 1 {
		t.Errorf("%+v", c)
	}
}

// TestAllocationBudgetOfSegments runs a stream over a cable.
func TestAllocationBudgetOfSegments(t *testing.T) {
	need.NoRace(t)
	w, a, b := pair(t, 1)
	s, err := a.TCP(StreamSpec{Dst: addr4, Rate: 8 * 1460 * 1000}, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.delay = 100 * time.Microsecond
	w.run(2*time.Second + 900*time.Microsecond) // nothing is under way between two segments
	var to, back cross
	n := testing.AllocsPerRun(1000, func() {
		now := s.app.at
		a.Step(now, &to)
		b.Receive(to.frame, now, &back)
		a.Receive(back.frame, now, &to)
	})
	if n != 0 {
		t.Errorf("%.2f allocations a segment", n)
	}
	if r := s.Report(); r.Retransmitted != 0 || r.Acked < 2_900_000 {
		t.Errorf("%+v", r)
	}
}

// TestPortsComeRound opens as many streams as a host may have, and more when those have ended,
// across the last port.
func TestPortsComeRound(t *testing.T) {
	w, a, b := pair(t, 1)
	a.tcp.port = 65535 - 6000
	for round := range 2 {
		var streams []*Stream
		for range MaxStreams {
			s, err := a.TCP(StreamSpec{Dst: addr4, Bytes: 10}, w.now)
			if err != nil {
				t.Fatal(err)
			}
			streams = append(streams, s)
		}
		if _, err := a.TCP(StreamSpec{Dst: addr4}, w.now); err == nil {
			t.Fatal("more streams than MaxStreams")
		}
		w.run(2 * time.Minute)
		for _, s := range streams {
			if r := s.Report(); r.Acked != 10 || r.Err != nil {
				t.Fatalf("round %d: %+v", round, r)
			}
		}
	}
	if c := b.Counters(); c.TCPAccepted != 2*MaxStreams || c.TCPBytesIn != 20*MaxStreams || c.TCPFailed != 0 ||
		a.tcp.port < firstPort {
		t.Errorf("%+v", c)
	}
}

// Accepted are the streams that others opened to this host, until some time after their end; the
// slice is the host's.
func (h *Host) Accepted() []*Stream { return h.tcp.accepted }
