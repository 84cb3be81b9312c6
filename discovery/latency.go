package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// The latency of a link is measured with probes: a probe takes one way to the source's switch, the
// link, and one way from the destination's switch. One way is assumed to be half of a switch's
// control round trip. Noise only adds, so the minimum of recent samples counts: of the last twenty
// probes, and of the last eight echoes, which is about the same time. What this cannot measure:
// whether the way to a switch takes longer than the way back (half of the difference is added to
// the links from it, and subtracted from those to it), and how much longer a switch takes for a
// packet than for an echo.

// The window of probes, and the least change that is published.
const (
	transitWindow = 20
	latencyStep   = 50 * time.Microsecond
)

// transitTimes are how long the last probes over a link took, from session to session.
type transitTimes struct {
	src, dst time.Time // start of the ends' sessions: others may have another round trip
	list     [transitWindow]time.Duration
	n        int // so far
}

func (t *transitTimes) add(d time.Duration, src, dst time.Time) {
	if !t.src.Equal(src) || !t.dst.Equal(dst) {
		*t = transitTimes{src: src, dst: dst}
	}
	t.list[t.n%transitWindow] = d
	t.n++
}

// least returns the minimum; false while there are too few samples.
func (t *transitTimes) least() (time.Duration, bool) {
	return slices.Min(t.list[:]), t.n >= transitWindow
}

// arrival is when a session had read a probe, and the control round trips of the switches at both
// ends of its link, then. What is zero is unknown.
type arrival struct {
	at               time.Time
	srcTrip, dstTrip time.Duration
}

// measureLatency adds the sample of a probe, and writes the link's latency if it has changed.
func (t *linkTable) measureLatency(e *link, r *sentProbe, a arrival) {
	if r.departed == 0 || a.at.IsZero() {
		return
	}
	if e.transits == nil {
		e.transits = new(transitTimes)
	}
	e.transits.add(a.at.Sub(t.started)-r.departed, e.src.device.connectedAt, e.dst.device.connectedAt)
	least, enough := e.transits.least()
	if src, dst := a.srcTrip, a.dstTrip; enough && src != 0 && dst != 0 {
		t.putLatency(e.key(), max(least-(src+dst)/2, time.Microsecond))
	}
}

// putLatency writes a link's measured latency if it changed by more than a tenth and 50 µs.
func (t *linkTable) putLatency(key netview.LinkKey, latency time.Duration) {
	row, ok := t.tx.Link(key)
	if !ok {
		return
	}
	old := time.Duration(row.MeasuredUS) * time.Microsecond
	if old != 0 && (latency-old).Abs() <= max(old/10, latencyStep) {
		return
	}
	next := *row
	next.MeasuredUS = uint64(max(latency.Round(time.Microsecond)/time.Microsecond, 1))
	t.tx.PutLink(&next)
}
