package host

import "github.com/weirnet/weir/packet"

// receiver is the receiving half of a stream: which of the peer's bytes have come (RCV of RFC 9293, section 3.3.1).
// None are kept: they are checked by their place and counted. Those in outOfOrder are behind next.
type receiver struct {
	irs        uint32
	next       int64 // the next offset expected
	fin        int64 // the offset of the peer's FIN, if it came; 0: not yet
	scaled     bool  // both ends shift windows
	outOfOrder spans

	segments, duplicates, early, delivered, misplaced, outside uint64
}

// begin records the peer's SYN.
func (q *receiver) begin(irs uint32) { q.irs, q.next = irs, 1 }

// ack is the sequence number that acknowledges what has come.
func (q *receiver) ack() uint32 { return q.irs + uint32(q.next) }

// offset is that of a segment.
func (q *receiver) offset(t packet.TCP) int64 { return unwrap(t.Seq(), q.irs, q.next) }

// finCame reports whether the peer's FIN has come in order.
func (q *receiver) finCame() bool { return q.fin > 0 && q.next > q.fin }

// windowField is the window field of a segment. This end's window is always fully open, since
// received bytes are checked and dropped.
func (q *receiver) windowField() uint16 {
	if q.scaled {
		return defaultWindow >> windowShift
	}
	return min(defaultWindow, 0xffff)
}

// window is the size of this end's window, in bytes.
func (q *receiver) window() int64 {
	if q.scaled {
		return defaultWindow
	}
	return 0xffff
}

// acceptable reports whether a part of a segment is within the window.
func (q *receiver) acceptable(seq, length int64) bool {
	end := q.next + q.window()
	if length == 0 {
		return seq >= q.next && seq < end
	}
	return seq < end && seq+length > q.next
}

// countRefused counts a segment that is not acceptable: a duplicate, or one outside the window.
func (q *receiver) countRefused(t packet.TCP, seq int64) {
	if n := int64(len(t.Payload())); n > 0 && seq+n <= q.next {
		q.segments++
		q.duplicates++
		return
	}
	q.outside++
}

// take checks and counts the payload at an offset; answer reports whether it is to be acknowledged.
func (q *receiver) take(b []byte, seq int64) (answer bool) {
	if len(b) == 0 {
		return false
	}
	q.segments++
	b = b[:min(int64(len(b)), q.next+q.window()-seq)]
	to := seq + int64(len(b))
	switch {
	case to <= q.next:
		q.duplicates++
		return true
	case seq > q.next:
		if fresh, ok := q.outOfOrder.add(span{seq, to}); !ok {
			return true
		} else if !fresh {
			q.duplicates++
			return true
		}
		q.early++
	default:
		q.deliver(to)
	}
	q.misplaced += misplaced(b, uint64(seq-1))
	return true
}

// deliver counts the bytes up to an offset as delivered, and those received out of order behind it.
func (q *receiver) deliver(to int64) {
	to = q.outOfOrder.take(to)
	q.delivered += uint64(to - q.next)
	q.next = to
}

// takeFIN takes the peer's FIN in its turn; true if that is now.
func (q *receiver) takeFIN() bool {
	if q.fin == 0 || q.next != q.fin {
		return false
	}
	q.next++
	return true
}
