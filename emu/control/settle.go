package control

import (
	"time"

	"github.com/weirnet/weir/emu/host"
)

// What is in flight when a flow ends gets time to arrive: twice as long as the slowest took that
// did arrive, and quiet, since the last one; but not more than grace since the end.
const (
	grace = 2 * time.Second
	quiet = 200 * time.Millisecond
)

// settled reports whether nothing is to be expected any more of a flow that is done: all has
// arrived, or has had the time for it. The sink is nil before anything has arrived.
func settled(f *host.FlowReport, s *host.SinkReport, now time.Duration) bool {
	switch {
	case now-f.Ended >= grace:
		return true
	case f.Issued > f.Sent+f.Unsent: // some wait for the neighbour's answer
		return false
	case f.Sent == 0:
		return true
	case s == nil:
		return false
	case s.Received >= f.Sent && (f.DstPort != host.EchoPort || f.Echoed >= f.Sent):
		return true
	}
	return now-max(f.Ended, s.Last) >= quiet+2*max(s.Latency.Max, f.RTT.Max)
}
