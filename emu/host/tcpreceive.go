package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// receive handles a segment of the stream, with the checks of RFC 9293, 3.10.7, in their order.
func (s *Stream) receive(t packet.TCP, now time.Duration, out Output) {
	s.last = now
	flags, length := t.Flags(), segmentLen(t)
	if s.stage == connecting {
		s.receiveAnswer(t, now, out)
		return
	}
	seq := s.rcv.offset(t)
	switch {
	case s.stage == closed:
		if flags&packet.TCPRst == 0 && length > 0 {
			s.ack(now, out)
		}
	case s.stage == accepting && flags&packet.TCPSyn != 0 && seq == 0:
		s.sendSYN(now, out) // the SYN-ACK was lost, or is late
	case !s.rcv.acceptable(seq, length):
		if flags&packet.TCPRst == 0 {
			s.rcv.countRefused(t, seq)
			s.ack(now, out)
		}
	case flags&packet.TCPRst != 0 && seq == s.rcv.next:
		s.fail(now, ErrReset)
	case flags&(packet.TCPRst|packet.TCPSyn) != 0:
		s.ack(now, out) // a challenge (RFC 5961, 3.2 and 4.2)
	case flags&packet.TCPAck == 0:
	default:
		s.receiveSegment(t, seq, now, out)
	}
}

// unwrap is the offset of a sequence number that is nearest to near.
func unwrap(n, first uint32, near int64) int64 { return near + int64(int32(n-first-uint32(near))) }

// receiveAnswer handles the answer to the SYN: a SYN-ACK, or a reset.
func (s *Stream) receiveAnswer(t packet.TCP, now time.Duration, out Output) {
	const syn, rst, ack = packet.TCPSyn, packet.TCPRst, packet.TCPAck
	if t.Flags()&ack == 0 || t.Ack() != s.snd.seq(1) || s.snd.highest == 0 {
		s.of.via.link.counters.Unmatched++
		return
	}
	switch t.Flags() & (syn | rst) {
	case rst:
		s.fail(now, ErrRefused)
	case syn:
		s.rcv.begin(t.Seq())
		s.readOptions(t)
		s.snd.synAcked(now)
		s.snd.window = int64(t.Window()) // not shifted in a SYN (RFC 7323, 2.2)
		s.established(now)
		if !s.output(now, out) {
			s.ack(now, out)
		}
	}
}

// receiveSegment handles an acceptable segment: its acknowledgment, then its bytes, then its FIN.
func (s *Stream) receiveSegment(t packet.TCP, seq int64, now time.Duration, out Output) {
	if !s.receiveAck(t, now, out) {
		return
	}
	before := s.rcv.delivered
	answer := s.rcv.take(t.Payload(), seq)
	s.of.via.link.counters.TCPBytesIn += s.rcv.delivered - before
	if t.Flags()&packet.TCPFin != 0 {
		answer = true
		s.rcv.fin = seq + int64(len(t.Payload()))
	}
	if s.rcv.takeFIN() {
		s.snd.closing = s.snd.closing || !s.active // an accepting application sends nothing
	}
	if sent := s.output(now, out); answer && !sent {
		s.ack(now, out)
	}
	s.finishIfClosed(now)
}

// receiveAck handles a segment's acknowledgment and window; ok is false if the segment is dropped.
func (s *Stream) receiveAck(t packet.TCP, now time.Duration, out Output) (ok bool) {
	ack := unwrap(t.Ack(), s.snd.iss, s.snd.una)
	if ack > s.snd.highest {
		s.ack(now, out)
		return false
	}
	if s.stage == accepting {
		if ack != 1 {
			return false
		}
		s.snd.synAcked(now)
		s.established(now)
	}
	window := int64(t.Window()) << s.snd.shift
	switch {
	case ack > s.snd.una:
		s.acknowledged(ack, now, out)
	case ack == s.snd.una && segmentLen(t) == 0 && window == s.snd.window && s.snd.nxt > s.snd.una:
		if s.snd.duplicate(ack) {
			s.retransmit(now, out)
		}
	}
	if ack >= s.snd.una {
		s.snd.opened(window)
	}
	return true
}

// acknowledged handles an acknowledgment of new bytes.
func (s *Stream) acknowledged(ack int64, now time.Duration, out Output) {
	resend := s.snd.acknowledged(ack, now)
	if s.snd.una == s.snd.nxt {
		s.of.via.link.timers.stop(&s.rtx)
	} else {
		s.setRetransmit(now + s.snd.retransmission.rto)
	}
	if resend {
		s.retransmit(now, out)
	}
}
