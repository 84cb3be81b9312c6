package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// receive handles a segment of the stream, with the checks of RFC 9293, 3.10.7, in their order.
func (s *Stream) receive(h *Host, t packet.TCP, now time.Duration, out Output) {
	s.last = now
	flags, length := t.Flags(), segmentLen(t)
	if s.stage == connecting {
		s.receiveAnswer(h, t, now, out)
		return
	}
	seq := unwrap(t.Seq(), s.irs, s.rcv)
	switch {
	case s.stage == closed:
		if flags&packet.TCPRst == 0 && length > 0 {
			s.ack(h, now, out)
		}
	case s.stage == accepting && flags&packet.TCPSyn != 0 && seq == 0:
		s.sendSYN(h, now, out) // the SYN-ACK was lost, or is late
	case !s.acceptable(seq, length):
		if flags&packet.TCPRst == 0 {
			s.countRefused(t, seq)
			s.ack(h, now, out)
		}
	case flags&packet.TCPRst != 0 && seq == s.rcv:
		s.fail(h, now, ErrReset)
	case flags&(packet.TCPRst|packet.TCPSyn) != 0:
		s.ack(h, now, out) // a challenge (RFC 5961, 3.2 and 4.2)
	case flags&packet.TCPAck == 0:
	default:
		s.receiveSegment(h, t, seq, now, out)
	}
}

// unwrap is the offset of a sequence number that is nearest to near.
func unwrap(n, first uint32, near int64) int64 { return near + int64(int32(n-first-uint32(near))) }

// acceptable reports whether a part of a segment is within the window.
func (s *Stream) acceptable(seq, length int64) bool {
	end := s.rcv + s.receiveWindow()
	if length == 0 {
		return seq >= s.rcv && seq < end
	}
	return seq < end && seq+length > s.rcv
}

// countRefused counts a segment that is not acceptable: a duplicate, or one outside the window.
func (s *Stream) countRefused(t packet.TCP, seq int64) {
	if n := int64(len(t.Payload())); n > 0 && seq+n <= s.rcv {
		s.counts.segmentsIn++
		s.counts.duplicateIn++
		return
	}
	s.counts.outside++
}

// receiveAnswer handles the answer to the SYN: a SYN-ACK, or a reset.
func (s *Stream) receiveAnswer(h *Host, t packet.TCP, now time.Duration, out Output) {
	const syn, rst, ack = packet.TCPSyn, packet.TCPRst, packet.TCPAck
	if t.Flags()&ack == 0 || t.Ack() != s.iss+1 || s.highest == 0 {
		h.counters.Unmatched++
		return
	}
	switch t.Flags() & (syn | rst) {
	case rst:
		s.fail(h, now, ErrRefused)
	case syn:
		s.irs, s.rcv = t.Seq(), 1
		s.readOptions(h, t)
		s.una = 1
		s.measure(1, now)
		s.window = int64(t.Window()) // not shifted in a SYN (RFC 7323, 2.2)
		s.established(h, now)
		if !s.output(h, now, out) {
			s.ack(h, now, out)
		}
	}
}

// receiveSegment handles an acceptable segment: its acknowledgment, then its bytes, then its FIN.
func (s *Stream) receiveSegment(h *Host, t packet.TCP, seq int64, now time.Duration, out Output) {
	if !s.receiveAck(h, t, now, out) {
		return
	}
	answer := s.receiveBytes(h, t.Payload(), seq)
	if t.Flags()&packet.TCPFin != 0 {
		answer = true
		s.fin = seq + int64(len(t.Payload()))
	}
	if s.fin > 0 && s.rcv == s.fin {
		s.rcv++
		s.closing = s.closing || !s.active // an accepting application sends nothing
	}
	if sent := s.output(h, now, out); answer && !sent {
		s.ack(h, now, out)
	}
	s.finishIfClosed(h, now)
}

// receiveAck handles a segment's acknowledgment and window; ok is false if the segment is dropped.
func (s *Stream) receiveAck(h *Host, t packet.TCP, now time.Duration, out Output) (ok bool) {
	ack := unwrap(t.Ack(), s.iss, s.una)
	if ack > s.highest {
		s.ack(h, now, out)
		return false
	}
	if s.stage == accepting {
		if ack != 1 {
			return false
		}
		s.una = 1
		s.measure(1, now)
		s.established(h, now)
	}
	window := int64(t.Window())
	if s.scaled {
		window <<= s.shift
	}
	switch {
	case ack > s.una:
		s.acknowledged(h, ack, now, out)
	case ack == s.una && segmentLen(t) == 0 && window == s.window && s.nxt > s.una:
		s.counts.duplicateAcks++
		if s.congestion.duplicate(ack, s.nxt-s.una, s.highest) {
			s.counts.fastRetransmits++
			s.retransmit(h, now, out)
		}
	}
	if ack >= s.una {
		if s.window == 0 {
			s.retries = 0 // the peer is alive, and may have dropped the byte of the window probe
			s.nxt = s.una
		}
		s.window = window
	}
	return true
}

// acknowledged handles an acknowledgment of new bytes.
func (s *Stream) acknowledged(h *Host, ack int64, now time.Duration, out Output) {
	n := ack - s.una
	s.una, s.nxt, s.retries = ack, max(s.nxt, ack), 0
	s.measure(ack, now)
	if s.una == s.nxt {
		h.timers.stop(&s.rtx)
	} else {
		h.timers.set(&s.rtx, (*streamRetransmit)(s), now+s.retransmission.rto)
	}
	if s.congestion.acknowledged(n, ack) && s.nxt > s.una {
		s.retransmit(h, now, out)
	}
}

// measure records a round trip if ack covers the segment that is timed.
func (s *Stream) measure(ack int64, now time.Duration) {
	if s.timing && ack >= s.timedEnd {
		s.timing = false
		s.retransmission.sample(now - s.timedAt)
		s.rtt.record(now - s.timedAt)
	}
}

// receiveBytes checks and counts the payload at an offset; answer reports whether it is to be
// acknowledged.
func (s *Stream) receiveBytes(h *Host, b []byte, seq int64) (answer bool) {
	if len(b) == 0 {
		return false
	}
	s.counts.segmentsIn++
	b = b[:min(int64(len(b)), s.rcv+s.receiveWindow()-seq)]
	to := seq + int64(len(b))
	switch {
	case to <= s.rcv:
		s.counts.duplicateIn++
		return true
	case seq > s.rcv:
		if fresh, ok := s.outOfOrder.add(span{seq, to}); !ok {
			return true
		} else if !fresh {
			s.counts.duplicateIn++
			return true
		}
		s.counts.earlyIn++
	default:
		s.deliver(h, to)
	}
	s.counts.misplaced += misplaced(b, uint64(seq-1))
	return true
}

// deliver counts the bytes up to an offset as delivered, and those received out of order behind it.
func (s *Stream) deliver(h *Host, to int64) {
	to = s.outOfOrder.take(to)
	n := uint64(to - s.rcv)
	s.counts.delivered += n
	h.counters.TCPBytesIn += n
	s.rcv = to
}
