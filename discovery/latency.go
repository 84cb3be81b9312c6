package discovery

import (
	"time"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// The latency of a link is measured with probes: a probe takes one way to the source's switch, the
// link, and one way from the destination's switch. One way is assumed to be half of a switch's
// control round trip. Noise only adds, so the minimum of recent samples counts: of the last twenty
// probes, and of the last eight echoes, which is about the same time. What this cannot measure:
// whether the way to a switch takes longer than the way back (half of the difference is added to
// the links from it, and subtracted from those to it), and how much longer a switch takes for a
// packet than for an echo.

// latencyStep is the least change that is published.
const latencyStep = 50 * time.Microsecond

// arrival is when a session had read a probe, and the control round trips of the switches at both
// ends of its link, then. What is zero is unknown.
type arrival struct {
	at               time.Time
	srcTrip, dstTrip time.Duration
}

// measureLatency adds the sample of a probe, and writes the link's latency if it has changed.
func (t *linkTable) measureLatency(e *inventory.Link, r *inventory.SentProbe, a arrival) {
	if r.Departed == 0 || a.at.IsZero() {
		return
	}
	if e.Transits == nil {
		e.Transits = new(inventory.TransitTimes)
	}
	e.Transits.Add(a.at.Sub(t.Started)-r.Departed, e.Src.Device.ConnectedAt, e.Dst.Device.ConnectedAt)
	least, enough := e.Transits.Least()
	if src, dst := a.srcTrip, a.dstTrip; enough && src != 0 && dst != 0 {
		t.putLatency(e.Key(), max(least-(src+dst)/2, time.Microsecond))
	}
}

// putLatency writes a link's measured latency if it changed by more than a tenth and 50 µs.
func (t *linkTable) putLatency(key netview.LinkKey, latency time.Duration) {
	row, ok := t.Tx.Link(key)
	if !ok {
		return
	}
	old := time.Duration(row.MeasuredUS) * time.Microsecond
	if old != 0 && (latency-old).Abs() <= max(old/10, latencyStep) {
		return
	}
	next := *row
	next.MeasuredUS = uint64(max(latency.Round(time.Microsecond)/time.Microsecond, 1))
	t.Tx.PutLink(&next)
}
