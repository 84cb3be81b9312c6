package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// sendSYN sends a SYN, or the SYN-ACK that answers one.
func (s *Stream) sendSYN(now time.Duration, out Output) {
	k := s.template(packet.TCPSyn)
	ack := uint32(0)
	if s.stage == accepting {
		k.TCPFlags |= packet.TCPAck
		ack = s.rcv.ack()
	}
	mss := s.of.via.link.mss(s.key.peer)
	options := [8]byte{packet.TCPOptMSS, 4, byte(mss >> 8), byte(mss), packet.TCPOptNop, packet.TCPOptWindowScale, 3, windowShift}
	n := len(options)
	if s.stage == accepting && !s.rcv.scaled {
		n = 4
	}
	s.snd.sentSYN(now)
	s.setRetransmit(now + s.snd.retransmission.rto)
	l := s.of.via.link
	l.buf = packet.AppendTCPOptions(l.frame(), &k, s.snd.iss, ack, uint16(min(defaultWindow, 0xffff)), options[:n], nil)
	s.of.via.deliver(s.key.peer, l.buf, &s.tally, now, out)
}

// template is the key of a segment to the peer.
func (s *Stream) template(flags uint16) packet.Key {
	k := s.of.via.link.key(s.key.peer)
	k.SrcPort, k.DstPort, k.TCPFlags = s.key.local, s.key.peerPort, flags
	return k
}

// ack sends an acknowledgment alone.
func (s *Stream) ack(now time.Duration, out Output) {
	k, l := s.template(packet.TCPAck), s.of.via.link
	l.buf = packet.AppendTCP(l.frame(), &k, s.snd.seq(s.snd.nxt), s.rcv.ack(), s.rcv.windowField(), nil)
	s.of.via.deliver(s.key.peer, l.buf, &s.tally, now, out)
}

// output sends as many bytes as the windows allow, then the FIN; sent is false if there were none.
func (s *Stream) output(now time.Duration, out Output) (sent bool) {
	for {
		n, fin, ok := s.snd.next()
		if !ok {
			break
		}
		s.segment(s.snd.nxt, n, fin, now, out)
		sent = true
	}
	if s.rtx.place == 0 && s.snd.waits() {
		s.setRetransmit(now + s.snd.retransmission.rto)
	}
	return sent
}

// segment sends n bytes from an offset, and the FIN after them.
func (s *Stream) segment(from, n int64, fin bool, now time.Duration, out Output) {
	to := from + n
	k, l := s.template(packet.TCPAck), s.of.via.link
	if to == s.snd.dataEnd() && n > 0 {
		k.TCPFlags |= packet.TCPPsh
	}
	if fin {
		k.TCPFlags |= packet.TCPFin
		to++
	}
	s.snd.sent(from, to, now)
	payload := l.payload(int(n))
	Content(payload, uint64(from-1))
	l.buf = packet.AppendTCP(l.buf[:0], &k, s.snd.seq(from), s.rcv.ack(), s.rcv.windowField(), payload)
	s.of.via.deliver(s.key.peer, l.buf, &s.tally, now, out)
}

// retransmit sends the first unacknowledged segment again.
func (s *Stream) retransmit(now time.Duration, out Output) {
	n, fin := s.snd.first()
	s.segment(s.snd.una, n, fin, now, out)
}

// streamRetransmit is a Stream as the owner of its retransmission timer.
type streamRetransmit Stream

// wake opens the stream, or retransmits from the first unacknowledged byte. It probes a closed
// window with one byte (RFC 9293, 3.8.6.1).
func (r *streamRetransmit) wake(now time.Duration, out Output) {
	s := (*Stream)(r)
	q := &s.snd
	if s.stage == connecting && q.highest == 0 {
		s.sendSYN(now, out)
		return
	}
	q.retries++
	if s.stage < open && q.retries > synTries || q.retries > segmentTries {
		s.fail(now, ErrTimedOut)
		return
	}
	q.timedOut()
	if s.stage < open {
		s.sendSYN(now, out)
		return
	}
	q.restart()
	if q.window == 0 && q.dataEnd() > q.una {
		s.segment(q.una, 1, false, now, out)
	}
	s.output(now, out)
}
