package host

import "time"

// sender is the sending half of a stream: which of the bytes that the application has written are sent and
// acknowledged (SND of RFC 9293, section 3.3.1), and which are to be sent next. una <= nxt <= highest always holds.
type sender struct {
	iss               uint32
	una, nxt, highest int64  // the first byte not acknowledged, the next to send, the first never sent
	written           uint64 // bytes that the application has given
	closing           bool   // the FIN is to follow them
	window            int64  // the peer's, in bytes
	shift             uint8  // of the peer's windows
	retries           int
	timing            bool // a segment that ends at timedEnd and was sent at timedAt is being timed
	timedEnd          int64
	timedAt           time.Duration
	congestion        congestion
	retransmission    retransmission
	rtt               latency

	retransmitted, timeouts, fastRetransmits, duplicateAcks uint64
}

// begin is a sender whose SYN has not been sent; segments have mss bytes of payload at most.
func (q *sender) begin(iss uint32, mss int) {
	q.iss = iss
	q.retransmission.rto = initialRTO
	q.congestion.begin(mss)
}

// seq is the sequence number of an offset.
func (q *sender) seq(offset int64) uint32 { return q.iss + uint32(offset) }

// dataEnd is the offset after the last byte written: the FIN's, once closing.
func (q *sender) dataEnd() int64 { return int64(q.written) + 1 }

// finAcked reports whether the peer has acknowledged the FIN.
func (q *sender) finAcked() bool { return q.closing && q.una > q.dataEnd() }

// acked is how many bytes the peer has acknowledged.
func (q *sender) acked() uint64 {
	n := uint64(max(q.una-1, 0))
	if q.finAcked() {
		n--
	}
	return n
}

// next is how many bytes the windows allow the next segment, and whether the FIN goes with them; false if none is
// to be sent.
func (q *sender) next() (n int64, fin, ok bool) {
	left := q.dataEnd() - q.nxt
	n = min(left, q.congestion.mss, q.una+min(q.congestion.cwnd, q.window)-q.nxt)
	if n < left && n < q.congestion.mss && q.nxt > q.una || n <= 0 && left > 0 {
		return 0, false, false // wait for a whole segment's room (RFC 9293, 3.8.6.2.1)
	}
	fin = q.closing && n == left
	return n, fin, left >= 0 && (n > 0 || fin)
}

// first is the first segment that is not acknowledged, as next.
func (q *sender) first() (n int64, fin bool) {
	n = min(q.dataEnd()-q.una, q.congestion.mss, q.highest-q.una)
	return n, q.closing && q.una+n == q.dataEnd() && q.highest > q.dataEnd()
}

// waits reports whether something is to be sent, or sent again: what is not acknowledged, or is behind a closed
// window.
func (q *sender) waits() bool { return q.nxt > q.una || q.dataEnd() > q.nxt }

// sentSYN records that the SYN is sent.
func (q *sender) sentSYN(now time.Duration) {
	if q.highest > 0 {
		q.retransmitted++
		q.timing = false
	} else {
		q.timing, q.timedEnd, q.timedAt = true, 1, now
	}
	q.nxt, q.highest = 1, 1
}

// sent records that a segment is sent, the FIN included in its end.
func (q *sender) sent(from, to int64, now time.Duration) {
	if from < q.highest {
		q.retransmitted++
		q.timing = q.timing && q.timedEnd <= from
	} else if !q.timing {
		q.timing, q.timedEnd, q.timedAt = true, to, now
	}
	q.nxt, q.highest = max(q.nxt, to), max(q.highest, to)
}

// synAcked records that the SYN is acknowledged.
func (q *sender) synAcked(now time.Duration) {
	q.una = 1
	q.measure(1, now)
}

// acknowledged records an acknowledgment of new bytes; resend is true if the first segment that is not acknowledged
// is lost too.
func (q *sender) acknowledged(ack int64, now time.Duration) (resend bool) {
	n := ack - q.una
	q.una, q.nxt, q.retries = ack, max(q.nxt, ack), 0
	q.measure(ack, now)
	return q.congestion.acknowledged(n, ack) && q.nxt > q.una
}

// duplicate records an acknowledgment of nothing new; resend is true if a segment is lost.
func (q *sender) duplicate(ack int64) (resend bool) {
	q.duplicateAcks++
	if !q.congestion.duplicate(ack, q.nxt-q.una, q.highest) {
		return false
	}
	q.fastRetransmits++
	return true
}

// opened records the window that an acknowledgment has told.
func (q *sender) opened(window int64) {
	if q.window == 0 {
		q.retries = 0 // the peer is alive, and may have dropped the byte of the window probe
		q.nxt = q.una
	}
	q.window = window
}

// measure records a round trip if ack covers the segment that is timed.
func (q *sender) measure(ack int64, now time.Duration) {
	if q.timing && ack >= q.timedEnd {
		q.timing = false
		q.retransmission.sample(now - q.timedAt)
		q.rtt.record(now - q.timedAt)
	}
}

// timedOut records that nothing was acknowledged in time.
func (q *sender) timedOut() {
	q.timeouts++
	q.retransmission.backOff()
}

// restart sends anew from the first byte that is not acknowledged.
func (q *sender) restart() {
	q.congestion.timedOut(q.nxt-q.una, q.highest)
	q.nxt = q.una
}
