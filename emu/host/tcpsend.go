package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// sendSYN sends a SYN, or the SYN-ACK that answers one.
func (s *Stream) sendSYN(h *Host, now time.Duration, out Output) {
	k := s.template(h, packet.TCPSyn)
	ack := uint32(0)
	if s.stage == accepting {
		k.TCPFlags |= packet.TCPAck
		ack = s.irs + uint32(s.rcv)
	}
	mss := h.mss(s.key.peer)
	options := [8]byte{packet.TCPOptMSS, 4, byte(mss >> 8), byte(mss), packet.TCPOptNop, packet.TCPOptWindowScale, 3, windowShift}
	n := len(options)
	if s.stage == accepting && !s.scaled {
		n = 4
	}
	if s.highest > 0 {
		s.counts.retransmitted++
		s.timing = false
	} else {
		s.timing, s.timedEnd, s.timedAt = true, 1, now
	}
	s.nxt, s.highest = 1, 1
	h.timers.set(&s.rtx, (*streamRetransmit)(s), now+s.retransmission.rto)
	h.buf = packet.AppendTCPOptions(h.frame(), &k, s.iss, ack, uint16(min(defaultWindow, 0xffff)), options[:n], nil)
	h.deliver(s.key.peer, h.buf, &s.tally, now, out)
}

// template is the key of a segment to the peer.
func (s *Stream) template(h *Host, flags uint16) packet.Key {
	k := h.key(s.key.peer)
	k.SrcPort, k.DstPort, k.TCPFlags = s.key.local, s.key.peerPort, flags
	return k
}

// windowField is the window field of a segment. This end's window is always fully open, since
// received bytes are checked and dropped.
func (s *Stream) windowField() uint16 {
	if s.scaled {
		return defaultWindow >> windowShift
	}
	return min(defaultWindow, 0xffff)
}

// receiveWindow is the size of this end's window, in bytes.
func (s *Stream) receiveWindow() int64 {
	if s.scaled {
		return defaultWindow
	}
	return 0xffff
}

// ack sends an acknowledgment alone.
func (s *Stream) ack(h *Host, now time.Duration, out Output) {
	k := s.template(h, packet.TCPAck)
	h.buf = packet.AppendTCP(h.frame(), &k, s.iss+uint32(s.nxt), s.irs+uint32(s.rcv), s.windowField(), nil)
	h.deliver(s.key.peer, h.buf, &s.tally, now, out)
}

// output sends as many bytes as the windows allow, then the FIN; sent is false if there were none.
func (s *Stream) output(h *Host, now time.Duration, out Output) (sent bool) {
	end := s.dataEnd()
	for {
		left := end - s.nxt
		n := min(left, s.congestion.mss, s.una+min(s.congestion.cwnd, s.window)-s.nxt)
		if n < left && n < s.congestion.mss && s.nxt > s.una || n <= 0 && left > 0 {
			break // wait for a whole segment's room (RFC 9293, 3.8.6.2.1)
		}
		fin := s.closing && n == left
		if left < 0 || n == 0 && !fin {
			break
		}
		s.segment(h, s.nxt, n, fin, now, out)
		sent = true
	}
	if s.rtx.place == 0 && (s.nxt > s.una || end > s.nxt) { // unacknowledged, or behind a closed window
		h.timers.set(&s.rtx, (*streamRetransmit)(s), now+s.retransmission.rto)
	}
	return sent
}

// segment sends n bytes from an offset, and the FIN after them.
func (s *Stream) segment(h *Host, from, n int64, fin bool, now time.Duration, out Output) {
	to := from + n
	k := s.template(h, packet.TCPAck)
	if to == s.dataEnd() && n > 0 {
		k.TCPFlags |= packet.TCPPsh
	}
	if fin {
		k.TCPFlags |= packet.TCPFin
		to++
	}
	if from < s.highest {
		s.counts.retransmitted++
		s.timing = s.timing && s.timedEnd <= from
	} else if !s.timing {
		s.timing, s.timedEnd, s.timedAt = true, to, now
	}
	s.nxt, s.highest = max(s.nxt, to), max(s.highest, to)
	payload := h.payload(int(n))
	Content(payload, uint64(from-1))
	h.buf = packet.AppendTCP(h.buf[:0], &k, s.iss+uint32(from), s.irs+uint32(s.rcv), s.windowField(), payload)
	h.deliver(s.key.peer, h.buf, &s.tally, now, out)
}

// retransmit sends the first unacknowledged segment again.
func (s *Stream) retransmit(h *Host, now time.Duration, out Output) {
	n := min(s.dataEnd()-s.una, s.congestion.mss, s.highest-s.una)
	s.segment(h, s.una, n, s.closing && s.una+n == s.dataEnd() && s.highest > s.dataEnd(), now, out)
}

// streamRetransmit is a Stream as the owner of its retransmission timer.
type streamRetransmit Stream

// wake opens the stream, or retransmits from the first unacknowledged byte. It probes a closed
// window with one byte (RFC 9293, 3.8.6.1).
func (r *streamRetransmit) wake(h *Host, now time.Duration, out Output) {
	s := (*Stream)(r)
	if s.stage == connecting && s.highest == 0 {
		s.sendSYN(h, now, out)
		return
	}
	s.retries++
	if s.stage < open && s.retries > synTries || s.retries > segmentTries {
		s.fail(h, now, ErrTimedOut)
		return
	}
	s.counts.timeouts++
	s.retransmission.backOff()
	if s.stage < open {
		s.sendSYN(h, now, out)
		return
	}
	s.congestion.timedOut(s.nxt-s.una, s.highest)
	s.nxt = s.una
	if s.window == 0 && s.dataEnd() > s.una {
		s.segment(h, s.una, 1, false, now, out)
	}
	s.output(h, now, out)
}
