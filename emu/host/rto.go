package host

import "time"

// retransmission is the timer's length (RFC 6298): 2.1 to begin with, 2.2 and 2.3 with a sample,
// 5.5 after a time-out. Its least value is Linux's instead of the one second of 2.4.
type retransmission struct {
	srtt, rttvar time.Duration
	rto          time.Duration
}

const (
	initialRTO = time.Second
	minRTO     = 200 * time.Millisecond
	maxRTO     = 60 * time.Second
)

// sample takes in a round trip of a segment that was sent once (Karn: RFC 6298, section 3).
func (r *retransmission) sample(rtt time.Duration) {
	if r.srtt == 0 {
		r.srtt, r.rttvar = rtt, rtt/2
	} else {
		r.rttvar += ((r.srtt - rtt).Abs() - r.rttvar) / 4
		r.srtt += (rtt - r.srtt) / 8
	}
	r.rto = min(max(r.srtt+4*r.rttvar, minRTO), maxRTO)
}

// backOff doubles the timer.
func (r *retransmission) backOff() { r.rto = min(2*r.rto, maxRTO) }
