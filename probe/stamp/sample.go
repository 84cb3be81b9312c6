package stamp

import "time"

// Sample is what comes of one round trip.
type Sample struct {
	Seq       uint32
	RoundTrip time.Duration // at the sender, from sending to receiving
	Residence time.Duration // at the reflector, from receiving to sending
	// Path is the time spent between both, there and back: no clocks need to agree.
	Path time.Duration
	// Forward and Backward are the ways there and back by the times of both clocks: they are wrong
	// by as much as these differ, the one by more and the other by less.
	Forward, Backward time.Duration
	// Synchronised says that both ends claim that something outside keeps their clocks right.
	Synchronised bool
	TTL          uint8 // with which the request came to the reflector
}

// Sample is what comes of a reply, with the times at which the sender knows that the request left
// and the reply came.
func (r *Reply) Sample(left, came time.Time) Sample {
	s := Sample{Seq: r.Request.Seq, RoundTrip: came.Sub(left), Residence: r.Sent.Sub(r.Received),
		Forward: r.Received.Sub(left), Backward: came.Sub(r.Sent),
		Synchronised: r.Accuracy.Synchronised && r.Request.Accuracy.Synchronised, TTL: r.TTL}
	s.Path = s.RoundTrip - s.Residence
	return s
}
