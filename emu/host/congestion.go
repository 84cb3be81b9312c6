package host

// congestion is how much a sender has in flight (RFC 5681, with the recovery of RFC 6582,
// "NewReno"). All are bytes.
type congestion struct {
	mss        int64
	cwnd       int64
	ssthresh   int64
	duplicates int   // acknowledgments in a row that acknowledge nothing new
	recovering bool  // from a loss that duplicates told of
	recover    int64 // where what was in flight then ends
}

const (
	initialSegments = 10      // RFC 6928
	maxCwnd         = 1 << 30 // the largest window there is (RFC 7323)
	duplicateLimit  = 3       // duplicates that tell of a loss
)

func (c *congestion) begin(mss int) {
	*c = congestion{mss: int64(mss), cwnd: initialSegments * int64(mss), ssthresh: maxCwnd, recover: -1}
}

// acknowledged takes in that n bytes up to offset ack are there. resend is true if the next one
// behind is lost, too.
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

// duplicate takes in an acknowledgment of nothing new, with flight bytes under way up to offset
// highest. resend is true if the segment after ack is to be sent again.
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

// timedOut begins anew, with one segment.
func (c *congestion) timedOut(flight, highest int64) {
	c.ssthresh = max(flight/2, 2*c.mss)
	c.cwnd = c.mss
	c.recovering, c.recover, c.duplicates = false, highest, 0
}
