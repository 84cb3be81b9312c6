package host

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/weirnet/weir/packet"
)

// truth is what a wire did to the datagrams of one flow.
type truth struct {
	sent, lost    uint64
	received, dup uint64 // different ones; beyond the first of each
	reordered     uint64
	seen          map[uint64]bool
	next          uint64
}

// stampOf reads a datagram's number behind untagged Ethernet and IPv4.
func stampOf(frame []byte) (seq uint64, ok bool) {
	const at = packet.EthernetLen + packet.IPv4Len + packet.UDPLen
	if len(frame) < at+stampLen || frame[12] != 8 || frame[13] != 0 || frame[23] != packet.ProtoUDP {
		return 0, false
	}
	return binary.BigEndian.Uint64(frame[at+8:]), true
}

func (tr *truth) arrive(frame []byte) {
	seq, ok := stampOf(frame)
	if !ok {
		return
	}
	if tr.seen[seq] {
		tr.dup++
		return
	}
	tr.seen[seq] = true
	tr.received++
	if seq < tr.next {
		tr.reordered++
	}
	tr.next = max(tr.next, seq+1)
}

// TestCountersAreTheTruth sends a flow over wires that lose, double and reorder, and compares what
// the hosts counted with what the wire did.
func TestCountersAreTheTruth(t *testing.T) {
	for seed := range uint64(20) {
		w, a, b := pair(t, seed)
		w.loss, w.dup, w.jitter = float64(seed%5)*0.1, float64(seed%3)*0.1, time.Duration(seed%4)*10*time.Millisecond
		tr := truth{seen: map[uint64]bool{}}
		w.seen = func(_ time.Duration, from int, frame []byte, lost bool) {
			if _, ok := stampOf(frame); ok && from == 0 {
				tr.sent++
				if lost {
					tr.lost++
				}
			}
		}
		w.arrived = func(to int, frame []byte) {
			if to == 1 {
				tr.arrive(frame)
			}
		}
		f, err := a.UDP(FlowSpec{Dst: addr4, Port: 5000, Rate: 1000, Count: 2000, Pattern: Pattern(seed % 2)}, 0)
		if err != nil {
			t.Fatal(err)
		}
		w.run(20 * time.Second)
		r := f.Report()
		if !r.Done || r.Sent != tr.sent || r.Sent+r.Unsent != 2000 {
			t.Errorf("seed %d: sender %+v, the wire saw %d", seed, r, tr.sent)
		}
		s := b.Sink(config(1).IPv4.Addr(), f.SrcPort(), addr4, 5000)
		if s == nil {
			t.Fatalf("seed %d: nothing arrived", seed)
		}
		g := s.Report()
		if g.Received != tr.received || g.Duplicated != tr.dup || g.Reordered != tr.reordered || g.Stale != 0 ||
			r.Sent-g.Received != tr.lost {
			t.Errorf("seed %d: receiver %+v, the truth %d received, %d doubled, %d reordered, %d lost", seed, g,
				tr.received, tr.dup, tr.reordered, tr.lost)
		}
		if g.Missing != tr.next-tr.received || g.Latency.Count != tr.received || g.Latency.Min < w.delay {
			t.Errorf("seed %d: receiver %+v", seed, g)
		}
	}
}

// TestPingCountersAreTheTruth likewise, of echo requests there and back.
func TestPingCountersAreTheTruth(t *testing.T) {
	for seed := range uint64(20) {
		w, a, b := pair(t, seed)
		w.run(0)
		warm, _ := a.Ping(PingSpec{Dst: addr6, Count: 1}, 0)
		w.run(time.Second)
		if !warm.Report().Done {
			t.Fatal("no answer on a good wire")
		}
		w.loss, w.dup, w.jitter = float64(seed%5)*0.1, float64(seed%3)*0.1, time.Duration(seed%4)*100*time.Millisecond
		answered, answers, echoed := map[uint16]bool{}, 0, b.Counters().Echoed
		w.arrived = func(to int, frame []byte) {
			if icmp := frame[min(len(frame), 54):]; to == 0 && frame[20] == packet.ProtoICMPv6 &&
				icmp[0] == packet.ICMPv6EchoReply {
				answers++
				answered[packet.ICMP(icmp).EchoSeq()] = true
			}
		}
		p, err := a.Ping(PingSpec{Dst: addr6, Count: 300, Interval: 10 * time.Millisecond}, w.now)
		if err != nil {
			t.Fatal(err)
		}
		w.run(20 * time.Second)
		r := p.Report()
		if !r.Done || r.Sent != 300 || r.Received != uint64(len(answered)) || r.Duplicated != uint64(answers-len(answered)) ||
			r.Lost != r.Sent-r.Received || r.RTT.Count != r.Received {
			t.Errorf("seed %d: %+v, truth: %d answered by %d", seed, r, len(answered), answers)
		}
		if got := b.Counters().Echoed - echoed; w.loss == 0 && w.dup == 0 && got != 300 {
			t.Errorf("seed %d: %d answered, want 300", seed, got)
		}
	}
}

// TestClocksMayDisagreeALittle has a receiver whose clock is behind the sender's, as those of two
// loops of one emulator may be.
func TestClocksMayDisagreeALittle(t *testing.T) {
	_, a, b := pair(t, 1)
	var to, back cross
	f, err := a.UDP(FlowSpec{Dst: addr4, Port: EchoPort, Rate: 1, Count: 1}, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	a.Step(5*time.Second, &to)
	for range 2 { // the request for an address and its answer; the datagram and its echo
		b.Receive(to.frame, 5*time.Second-time.Millisecond, &back)
		a.Receive(back.frame, 5*time.Second-time.Millisecond, &to)
	}
	if r := b.Sinks()[0].Report(); r.Received != 1 || r.Unmarked != 0 || r.Latency.Max != 0 {
		t.Errorf("%+v", r)
	}
	if r := f.Report(); r.Echoed != 1 || r.RTT.Max != 0 {
		t.Errorf("%+v", r)
	}
}
