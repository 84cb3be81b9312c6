package host

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/weirnet/weir/packet"
)

// FuzzReceive gives a busy host arbitrary frames, cut out of the input, with time passing between
// them: it does not panic, sends only whole frames, and keeps its limits.
func FuzzReceive(f *testing.F) {
	for _, frame := range recorded() {
		f.Add(append([]byte{byte(len(frame) >> 8), byte(len(frame))}, frame...), uint8(1))
	}
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		w, a, b := pair(t, 1)
		a.Ping(PingSpec{Dst: addr4, Count: 3}, 0)
		a.UDP(FlowSpec{Dst: addr6, Port: EchoPort, Rate: 10, Count: 3}, 0)
		a.TCP(StreamSpec{Dst: addr4, Rate: 1e6}, 0)
		b.TCP(StreamSpec{Dst: config(1).IPv6.Addr(), Rate: 1e6}, 0)
		w.run(100 * time.Millisecond)
		for n := 0; n < 50 && len(in) > 2; n++ {
			n := min(int(in[0])<<8|int(in[1]), len(in)-2)
			a.Receive(in[2:2+n], w.now, plug{w, 0})
			in = in[2+n:]
			w.run(time.Duration(step) * time.Millisecond)
		}
		w.run(time.Second)
		checkLimits(t, a)
	})
}

// FuzzSegment gives both ends of a stream under way segments with right checksums and arbitrary
// contents.
func FuzzSegment(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0xff, 0, 2, 4, 5, 180})
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 1, 0x11, 0, 0, 0, 0, 0, 0, 3, 3, 14, 1, 0, 0, 0, 9, 0, 0, 0, 2, 0x04, 0, 1, 0,
		0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		w, a, b := pair(t, 1)
		s, err := a.TCP(StreamSpec{Dst: addr4, Rate: 1e6}, 0)
		if err != nil {
			t.Fatal(err)
		}
		w.run(50 * time.Millisecond)
		const size = 15 // offsets of seq and ack, flags, window, four bytes of options
		for n := 0; n < 50 && len(in) >= size; n++ {
			far := b.AcceptedFrom(config(1).IPv4.Addr(), s.Port(), DefaultFlowPort)
			if far == nil || s.stage > open {
				break
			}
			to, from, host := s, far, 0
			if in[8]&0x80 != 0 {
				to, from, host = far, s, 1
			}
			h := w.hosts[host]
			k := packet.Key{EthDst: h.link.cfg.MAC, EthSrc: packet.MAC{2, 9}, EtherType: packet.TypeIPv4,
				IPSrc: to.key.peer, IPDst: h.link.ip4,
				SrcPort: to.key.peerPort, DstPort: to.key.local, TCPFlags: uint16(in[8] & 0x3f)}
			seq := from.snd.iss + uint32(from.snd.nxt) + binary.BigEndian.Uint32(in)
			ack := to.snd.iss + uint32(to.snd.nxt) + binary.BigEndian.Uint32(in[4:])
			frame := packet.AppendTCPOptions(nil, &k, seq, ack, binary.BigEndian.Uint16(in[9:]), in[11:15],
				in[:min(int(in[0]), len(in))])
			h.Receive(frame, w.now, plug{w, host})
			in = in[size:]
			w.run(10 * time.Millisecond)
			checkLimits(t, a)
			checkLimits(t, b)
		}
		w.run(time.Second)
		checkLimits(t, a)
		checkLimits(t, b)
	})
}

func checkLimits(t *testing.T, h *Host) {
	t.Helper()
	c, u := &h.neighbours, &h.udp
	if len(c.table) != len(c.order) || len(c.order) > MaxNeighbours || len(u.sinks) != len(u.sinkRow) ||
		len(u.sinkRow) > MaxSinks {
		t.Errorf("%d neighbours, %d in order; %d sinks, %d in a row", len(c.table), len(c.order), len(u.sinks), len(u.sinkRow))
	}
	waiting := 0
	for _, n := range c.order {
		for _, w := range n.held {
			waiting += len(w.frame)
		}
		if len(n.held) > MaxHeld || n.known && len(n.held) > 0 {
			t.Errorf("%d frames wait for %s, known: %t", len(n.held), n.ip, n.known)
		}
	}
	passive := 0
	for _, s := range h.tcp.streams {
		if !s.active {
			passive++
		}
		q := &s.snd
		if len(s.rcv.outOfOrder) > maxSpans || q.una > q.nxt || q.nxt > q.highest || q.una < 0 || q.congestion.cwnd < 1 {
			t.Errorf("stream %+v", s)
		}
	}
	if passive != len(h.tcp.accepted) || len(h.tcp.streams) > MaxStreams {
		t.Errorf("%d streams of others, %d accepted; %d streams", passive, len(h.tcp.accepted), len(h.tcp.streams))
	}
	if waiting != h.neighbours.heldBytes || waiting > MaxHeldBytes {
		t.Errorf("%d bytes wait, %d counted", waiting, h.neighbours.heldBytes)
	}
}

// recorded is every frame of a short conversation.
func recorded() (frames [][]byte) {
	w := newHub(nil, 1)
	for n := range byte(2) {
		cfg := config(n + 1)
		cfg.Announce = true
		h, _ := New(cfg)
		w.hosts = append(w.hosts, h)
	}
	w.seen = func(_ time.Duration, _ int, f []byte, _ bool) { frames = append(frames, append([]byte(nil), f...)) }
	a := w.hosts[0]
	a.Ping(PingSpec{Dst: addr4, Count: 1}, 0)
	a.Ping(PingSpec{Dst: addr6, Count: 1}, 0)
	a.UDP(FlowSpec{Dst: addr4, Port: EchoPort, Rate: 1, Count: 1}, 0)
	a.UDP(FlowSpec{Dst: addr6, Rate: 1, Count: 1}, 0)
	a.TCP(StreamSpec{Dst: addr4, Bytes: 100}, 0)
	a.TCP(StreamSpec{Dst: addr6, Bytes: 100}, 0)
	w.run(time.Second)
	return frames
}

// TestStrangersFillNothing floods a host with requests from as many addresses as there are.
func TestStrangersFillNothing(t *testing.T) {
	h, err := New(config(2))
	if err != nil {
		t.Fatal(err)
	}
	var o trash
	for i := range uint32(6000) {
		k := packet.NewARPRequest(packet.MAC{2, 1, 0, 0, byte(i >> 8), byte(i)},
			[4]byte{10, 1, byte(i >> 8), byte(i)}, h.link.ip4.As4())
		h.Receive(packet.AppendARP(nil, &k), 0, &o)
		e := packet.Key{EthDst: h.link.cfg.MAC, EthSrc: k.EthSrc, EtherType: packet.TypeIPv4,
			IPSrc: packet.AddrFrom4([4]byte{10, 2, byte(i >> 8), byte(i)}),
			IPDst: h.link.ip4, ICMPType: packet.ICMPv4EchoRequest, SrcPort: 9, DstPort: 9}
		h.Receive(packet.AppendICMPEcho(nil, &e, 1, 1, make([]byte, 56)), 0, &o)
		h.Receive(packet.AppendUDP(nil, &e, []byte("x")), 0, &o)
		e.TCPFlags = packet.TCPSyn
		h.Receive(packet.AppendTCP(nil, &e, i, 0, 1000, nil), 0, &o)
	}
	checkLimits(t, h)
	if c := h.Counters(); c.Asked != 6000 || c.Echoed != 6000 || c.UDPIn != 6000 || c.UDPUnsunk == 0 ||
		c.TCPAccepted != MaxStreams || c.TCPDropped != 6000-MaxStreams {
		t.Errorf("%+v", c)
	}
	if h.neighbours.heldBytes < MaxHeldBytes/2 {
		t.Errorf("only %d bytes wait", h.neighbours.heldBytes)
	}
	if len(h.neighbours.order) != MaxNeighbours || h.link.timers.Len() > MaxNeighbours+MaxStreams {
		t.Errorf("%d neighbours, %d timers", len(h.neighbours.order), h.link.timers.Len())
	}
}
