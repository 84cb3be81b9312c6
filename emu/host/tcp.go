package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// receive hands a segment to its stream, opens a stream, or refuses the segment.
func (c *streams) receive(d *datagram, now time.Duration, out Output) {
	t := packet.TCP(d.body)
	switch {
	case !t.Valid():
		c.via.link.counters.Malformed++
		return
	case !d.checksumOK():
		c.via.link.counters.BadChecksum++
		return
	case !c.via.link.own(d.dst):
		c.via.link.counters.Foreign++
		return
	}
	c.via.link.counters.TCPIn++
	key := streamKey{d.src, t.SrcPort(), t.DstPort()}
	s := c.streams[key]
	const syn, rst, ack = packet.TCPSyn, packet.TCPRst, packet.TCPAck
	opens := t.Flags()&(syn|rst|ack) == syn
	if s != nil && s.stage == closed && opens { // the peer uses its port again
		c.drop(s)
		s = nil
	}
	switch {
	case s != nil:
		s.receive(t, now, out)
	case t.Flags()&rst != 0:
		c.via.link.counters.Unmatched++
	case opens && t.DstPort() < firstPort && !c.closedPorts[t.DstPort()]:
		c.accept(key, t, now, out)
	default:
		c.refuse(key, t, now, out)
	}
}

// accept answers a SYN.
func (c *streams) accept(key streamKey, t packet.TCP, now time.Duration, out Output) {
	if len(c.streams) >= MaxStreams {
		c.via.link.counters.TCPDropped++
		return
	}
	s := c.newStream(key, now)
	s.stage, s.place = accepting, len(c.accepted)
	s.rcv.begin(t.Seq())
	c.accepted = append(c.accepted, s)
	c.via.link.counters.TCPAccepted++
	s.readOptions(t)
	s.snd.window = int64(t.Window())
	s.sendSYN(now, out)
}

// refuse answers a segment of no stream with a reset (RFC 9293, 3.10.7.1).
func (c *streams) refuse(key streamKey, t packet.TCP, now time.Duration, out Output) {
	c.via.link.counters.TCPRefused++
	seq, ack, flags := t.Ack(), uint32(0), packet.TCPRst
	if t.Flags()&packet.TCPAck == 0 {
		seq, ack, flags = 0, t.Seq()+uint32(segmentLen(t)), packet.TCPRst|packet.TCPAck
	}
	k := c.via.link.key(key.peer)
	k.SrcPort, k.DstPort, k.TCPFlags = key.local, key.peerPort, flags
	c.via.link.buf = packet.AppendTCP(c.via.link.frame(), &k, seq, ack, 0, nil)
	c.via.deliver(key.peer, c.via.link.buf, nil, now, out)
}

// segmentLen is how many sequence numbers a segment takes.
func segmentLen(t packet.TCP) int64 {
	n := int64(len(t.Payload()))
	if t.Flags()&packet.TCPSyn != 0 {
		n++
	}
	if t.Flags()&packet.TCPFin != 0 {
		n++
	}
	return n
}

// readOptions applies the options of a SYN. The default segment size is that of RFC 9293, 3.7.1.
func (s *Stream) readOptions(t packet.TCP) {
	mss := 536
	if !s.key.peer.Is4() {
		mss = 1220
	}
	for rest := t.Options(); ; {
		kind, value, next, ok := packet.NextTCPOption(rest)
		if !ok {
			break
		}
		switch {
		case kind == packet.TCPOptMSS && len(value) == 2:
			mss = max(int(value[0])<<8|int(value[1]), 64)
		case kind == packet.TCPOptWindowScale && len(value) == 1:
			s.rcv.scaled, s.snd.shift = true, min(value[0], 14) // RFC 7323, 2.3
		}
		rest = next
	}
	s.snd.congestion.begin(min(mss, s.of.via.link.mss(s.key.peer)))
}
