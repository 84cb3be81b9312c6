package host

// congestion is the congestion control of a sender (RFC 5681, with the recovery of RFC 6582,
// "NewReno"). All amounts are bytes.
type congestion struct {
	mss        int64
	cwnd       int64
	ssthresh   int64
	duplicates int   // consecutive duplicate acknowledgments
	recovering bool  // in fast recovery
	recover    int64 // end of the bytes in flight when recovery began
}

const (
	initialSegments = 10      // RFC 6928
	maxCwnd         = 1 << 30 // the largest window there is (RFC 7323)
	duplicateLimit  = 3       // duplicates that indicate a loss
)

func (c *congestion) begin(mss int) {
	*c = congestion{mss: int64(mss), cwnd: initialSegments * int64(mss), ssthresh: maxCwnd, recover: -1}
}

// acknowledged handles the acknowledgment of n new bytes up to offset ack. resend is true if the
// next segment is lost too (partial acknowledgment).
func (c *congestion) acknowledged(n, ack int64) (resend bool) {
	c.duplicates = 0
	switch {
	case c.recovering && ack < c.recover:
		c.cwnd = max(c.cwnd-n+c.mss, c.mss)
		return true
	case c.recovering:
		c.recovering = false
		c.cwnd = c.ssthresh
	case c.cwnd < c.ssthresh:
		c.cwnd += min(n, 2*c.mss)
	default:
		c.cwnd += max(c.mss*c.mss/c.cwnd, 1)
	}
	c.cwnd = min(c.cwnd, maxCwnd)
	return false
}

// duplicate handles a duplicate acknowledgment with flight bytes outstanding up to offset highest.
// resend is true if the segment after ack is to be retransmitted.
func (c *congestion) duplicate(ack, flight, highest int64) (resend bool) {
	c.duplicates++
	if c.recovering {
		c.cwnd = min(c.cwnd+c.mss, maxCwnd)
		return false
	}
	if c.duplicates != duplicateLimit || ack <= c.recover {
		return false
	}
	c.recovering, c.recover = true, highest
	c.ssthresh = max(flight/2, 2*c.mss)
	c.cwnd = c.ssthresh + duplicateLimit*c.mss
	return true
}

// timedOut returns to slow start with one segment.
func (c *congestion) timedOut(flight, highest int64) {
	c.ssthresh = max(flight/2, 2*c.mss)
	c.cwnd = c.mss
	c.recovering, c.recover, c.duplicates = false, highest, 0
}
