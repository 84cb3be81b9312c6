package discovery

import "github.com/weirnet/weir/netview"

// outbox keeps the frames of a transaction until it has ended.
type outbox struct {
	frames []byte
	sends  []outgoing
}

// outgoing is a probe, or a query to a host, to send out of a port.
type outgoing struct {
	at         netview.Point
	number     uint64 // of the probe
	periodic   bool   // of the periodic round: counts as missed until heard
	query      *query // nil for probes
	try        int    // of the query
	begin, end int    // of its frame
}

func (o *outbox) reset() { o.frames, o.sends = o.frames[:0], o.sends[:0] }

// add adds what was appended to frames since the last call.
func (o *outbox) add(s outgoing) {
	if n := len(o.sends); n > 0 {
		s.begin = o.sends[n-1].end
	}
	s.end = len(o.frames)
	o.sends = append(o.sends, s)
}
