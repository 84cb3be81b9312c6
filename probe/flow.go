package probe

import "time"

// Flow is what a path does to a stream of packets that go one way.
type Flow struct {
	Sent, Received, Lost, Doubled, Reordered int
	// Throughput is what came after the first packet, in bits of IP's payload a second, until the
	// last one; 0 of fewer than two.
	Throughput float64
	// Jitter is the interarrival jitter of RFC 3550, section 6.4.1, at the end of the stream. No
	// clocks need to agree.
	Jitter time.Duration
}

// Flow sums a way up.
func (w *Way) Flow() Flow {
	f := Flow{Sent: w.Sent(), Received: len(w.Trips), Lost: w.Lost, Doubled: w.Doubled, Reordered: w.Reordered}
	if len(w.Trips) == 0 {
		return f
	}
	first, last, bytes, jitter := &w.Trips[0].Came, &w.Trips[0].Came, 0, 0.0
	for i := range w.Trips {
		came := &w.Trips[i].Came
		if bytes += came.Bytes; came.Last < first.Last {
			first = came
		}
		if came.Last > last.Last {
			last = came
		}
		if i > 0 { // J += (|D| − J) / 16
			jitter += (w.difference(i).Abs().Seconds() - jitter) / 16
		}
	}
	if f.Jitter = time.Duration(jitter * float64(time.Second)); last.Last > first.Last {
		f.Throughput = float64(bytes-first.Bytes) * 8 / last.Last.Sub(first.Last).Seconds()
	}
	return f
}

// difference is D(i−1,i) of RFC 3550: how much further apart two packets came than they left.
func (w *Way) difference(i int) time.Duration {
	a, b := &w.Trips[i-1], &w.Trips[i]
	return b.Came.Last.Sub(a.Came.Last) - b.Left.First.Sub(a.Left.First)
}
