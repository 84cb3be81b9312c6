package host

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/packet"
)

func newRand(h *Host) *rand.Rand { return rand.New(&h.link.random) }

// script is a peer of one stream of a host, played by a test: it says what it likes, and hears what
// the host sends.
type script struct {
	t     *testing.T
	h     *Host
	s     *Stream
	now   time.Duration
	heard []string // "seq=1 len=1460 flags=10" of each segment, offsets from the SYN
}

// Send notes a segment of the host, and answers its ARP request.
func (p *script) Send(frame []byte) {
	var k packet.Key
	packet.ParseKey(frame, &k)
	if k.Layers.Has(packet.LayerTCP) {
		t := packet.TCP(frame[packet.EthernetLen+packet.IPv4Len:])
		p.heard = append(p.heard, fmt.Sprintf("seq=%d ack=%d len=%d flags=%x", t.Seq()-p.s.snd.iss, t.Ack()-p.s.rcv.irs,
			len(t.Payload()), t.Flags()))
	}
}

// newScript has a host open a stream to a scripted peer, that answers with a window.
func newScript(t *testing.T, spec StreamSpec, window uint16) *script {
	h, err := New(config(1))
	if err != nil {
		t.Fatal(err)
	}
	spec.Dst = addr4
	p := &script{t: t, h: h}
	n := h.neighbours.of(packet.AddrFrom(addr4))
	n.known, n.mac, n.until = true, packet.MAC{2, 0, 0, 0, 0, 2}, time.Hour
	if p.s, err = h.TCP(spec, 0); err != nil {
		t.Fatal(err)
	}
	p.run(0)
	p.expect("seq=0 ack=0 len=0 flags=2")
	p.say(packet.TCPSyn|packet.TCPAck, 0, 1, window, nil)
	return p
}

// run lets time pass, and forgets what was heard before.
func (p *script) run(d time.Duration) {
	p.heard = nil
	end := p.now + d
	for {
		next, ok := p.h.Step(p.now, p)
		if !ok || next > end {
			break
		}
		p.now = max(next, p.now)
	}
	p.now = end
}

// say gives the host a segment with these offsets, and forgets what was heard before.
func (p *script) say(flags uint16, seq, ack uint32, window uint16, payload []byte) {
	p.heard = nil
	k := packet.Key{EthDst: p.h.link.cfg.MAC, EthSrc: packet.MAC{2, 0, 0, 0, 0, 2}, EtherType: packet.TypeIPv4,
		IPSrc: p.s.key.peer, IPDst: p.h.link.ip4,
		SrcPort: p.s.key.peerPort, DstPort: p.s.key.local, TCPFlags: flags}
	p.h.Receive(packet.AppendTCPOptions(nil, &k, p.s.rcv.irs+seq, p.s.snd.iss+ack, window,
		[]byte{packet.TCPOptMSS, 4, 3, 232}, payload), p.now, p)
}

// expect wants exactly these segments since the last run or say.
func (p *script) expect(segments ...string) {
	p.t.Helper()
	if got, want := strings.Join(p.heard, "\n"), strings.Join(segments, "\n"); got != want {
		p.t.Fatalf("heard\n%s\nwant\n%s", got, want)
	}
	p.heard = nil
}

// TestAClosedWindowIsProbed has a peer close its window, refuse a byte, and open it again.
func TestAClosedWindowIsProbed(t *testing.T) {
	p := newScript(t, StreamSpec{Bytes: 5000}, 1500)
	p.expect("seq=1 ack=1 len=1000 flags=10")
	p.say(packet.TCPAck, 1, 1001, 0, nil)
	p.expect()
	p.run(250 * time.Millisecond)
	p.expect("seq=1001 ack=1 len=1 flags=10")
	p.say(packet.TCPAck, 1, 1001, 0, nil) // it does not take the byte
	p.expect()
	for range 3 * segmentTries { // and lives: that does not end
		p.run(maxRTO)
		p.say(packet.TCPAck, 1, 1001, 0, nil)
	}
	p.say(packet.TCPAck, 1, 1001, 10000, nil)
	p.expect("seq=1001 ack=1 len=1000 flags=10")
	p.say(packet.TCPAck, 1, 2001, 10000, nil)
	p.expect("seq=2001 ack=1 len=1000 flags=10", "seq=3001 ack=1 len=1000 flags=10")
}

// TestAPeerThatDoesNotCloseIsLeft has a peer acknowledge the FIN and send none.
func TestAPeerThatDoesNotCloseIsLeft(t *testing.T) {
	p := newScript(t, StreamSpec{Bytes: 10}, 1500)
	p.expect("seq=1 ack=1 len=10 flags=19")
	p.say(packet.TCPAck, 1, 12, 1500, nil)
	if r := p.s.Report(); r.Done || r.Acked != 10 {
		t.Errorf("%+v", r)
	}
	p.run(finWait)
	if r := p.s.Report(); r.State != "closed" || !r.Done {
		t.Errorf("%+v", r)
	}
	p.run(linger)
	if len(p.h.tcp.streams) != 0 {
		t.Error("the stream is not forgotten")
	}
}

// TestResetsOutOfTurnAreChallenged: only a reset with the very number that is expected ends a
// stream (RFC 5961, section 3.2).
func TestResetsOutOfTurnAreChallenged(t *testing.T) {
	p := newScript(t, StreamSpec{Bytes: 1_000_000}, 1500)
	p.say(packet.TCPRst, 500, 0, 0, nil)
	p.expect("seq=1001 ack=1 len=0 flags=10")
	p.say(packet.TCPSyn|packet.TCPAck, 500, 1, 1500, nil)
	p.expect("seq=1001 ack=1 len=0 flags=10")
	if p.s.Report().Done {
		t.Error("the stream was ended")
	}
	p.say(packet.TCPRst, 1, 0, 0, nil)
	p.expect()
	if r := p.s.Report(); r.Err != ErrReset {
		t.Errorf("%+v", r)
	}
}

// TestBytesOfAnotherSenderAreTold: the receiver knows which byte belongs where.
func TestBytesOfAnotherSenderAreTold(t *testing.T) {
	p := newScript(t, StreamSpec{Bytes: 1000}, 1500)
	good := make([]byte, 100)
	Content(good, 0)
	p.say(packet.TCPAck, 1, 1, 1500, good)
	p.expect("seq=1002 ack=101 len=0 flags=10")
	p.say(packet.TCPAck, 101, 1, 1500, good) // these are bytes of another place
	p.say(packet.TCPAck, 101, 1, 1500, good) // and there already
	if r := p.s.Report(); r.Delivered != 200 || r.Misplaced < 90 || r.Misplaced > 100 || r.Duplicated != 1 {
		t.Errorf("%+v", r)
	}
}

// TestASenderAtARateDoesNotRunAhead of a peer that acknowledges nothing.
func TestASenderAtARateDoesNotRunAhead(t *testing.T) {
	p := newScript(t, StreamSpec{Rate: 8e9}, 1500)
	p.run(100 * time.Millisecond)
	if p.s.snd.written > sendBuffer+2000 || p.s.snd.written < sendBuffer/2 {
		t.Errorf("%d bytes written, want about %d", p.s.snd.written, sendBuffer)
	}
}

// TestWindowsAreScaled has two hosts use a path with more bytes under way than an unscaled window
// allows.
func TestWindowsAreScaled(t *testing.T) {
	w, a, _ := pair(t, 1)
	w.delay = 50 * time.Millisecond
	s, err := a.TCP(StreamSpec{Dst: addr4, Bytes: 20_000_000}, 0)
	if err != nil {
		t.Fatal(err)
	}
	most := int64(0)
	for range 200 {
		w.run(10 * time.Millisecond)
		most = max(most, s.snd.nxt-s.snd.una)
	}
	if most < defaultWindow*9/10 || most > defaultWindow {
		t.Errorf("at most %d bytes under way, want nearly %d", most, defaultWindow)
	}
}

// TestCongestionControl follows RFC 5681 and 6582 with segments of 1000 bytes.
func TestCongestionControl(t *testing.T) {
	var c congestion
	c.begin(1000)
	want := func(what string, cwnd, ssthresh int64) {
		t.Helper()
		if c.cwnd != cwnd || c.ssthresh != ssthresh {
			t.Errorf("%s: window %d, threshold %d, want %d and %d", what, c.cwnd, c.ssthresh, cwnd, ssthresh)
		}
	}
	want("at first", 10_000, maxCwnd)
	c.acknowledged(1000, 1001)
	want("slow start", 11_000, maxCwnd)
	for i := range 3 {
		if told := c.duplicate(1001, 11_000, 12_001); told != (i == 2) {
			t.Error("the third duplicate tells of a loss, no other")
		}
	}
	want("fast retransmission", 8500, 5500)
	c.duplicate(1001, 11_000, 12_001)
	want("a further duplicate", 9500, 5500)
	if !c.acknowledged(2000, 3001) {
		t.Error("a partial acknowledgment tells of the next loss")
	}
	want("a partial acknowledgment", 8500, 5500)
	if c.acknowledged(9000, 12_001) {
		t.Error("all is acknowledged")
	}
	want("recovered", 5500, 5500)
	c.acknowledged(1000, 13_001)
	want("congestion avoidance", 5500+1000*1000/5500, 5500)
	c.timedOut(6000, 20_001)
	want("a time-out", 1000, 3000)
	for range 3 {
		if c.duplicate(13_001, 1000, 20_001) {
			t.Error("duplicates of what was sent before a time-out tell of nothing")
		}
	}
}
