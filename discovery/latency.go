package discovery

import (
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
	least := t.list[0]
	for _, d := range t.list {
		least = min(least, d)
	}
	return least, t.n >= transitWindow
}

// arrival is when a session had read a probe, and the control round trips of the switches at both
// ends of its link, then. What is zero is unknown.
type arrival struct {
	at               time.Time
	srcTrip, dstTrip time.Duration
}

// SendTime sets the time at which the next frame is sent. It is for the function that Sends calls.
func (c *Core) SendTime(now time.Time) { c.sendTime = now }

// noteSendTime notes when a probe was sent.
func (c *Core) noteSendTime(p *port, number uint64) {
	for i := 0; p.sent != nil && i < len(p.sent); i++ {
		if p.sent[i].number == number && !c.sendTime.IsZero() {
			p.sent[i].departed = max(c.sendTime.Sub(c.started), 1)
		}
	}
	c.sendTime = time.Time{}
}

// measureLatency adds the sample of a probe, and writes the link's latency if it has changed.
func (c *Core) measureLatency(e *link, r *sentProbe) {
	if r.departed == 0 || c.arrival.at.IsZero() {
		return
	}
	if e.transits == nil {
		e.transits = new(transitTimes)
	}
	e.transits.add(c.arrival.at.Sub(c.started)-r.departed, e.src.device.connectedAt, e.dst.device.connectedAt)
	least, enough := e.transits.least()
	if src, dst := c.arrival.srcTrip, c.arrival.dstTrip; enough && src != 0 && dst != 0 {
		c.putLatency(e.key(), max(least-(src+dst)/2, time.Microsecond))
	}
}

// putLatency writes a link's measured latency if it changed by more than a tenth and 50 µs.
func (c *Core) putLatency(key netview.LinkKey, latency time.Duration) {
	row, ok := c.tx.Link(key)
	if !ok {
		return
	}
	old := time.Duration(row.MeasuredUS) * time.Microsecond
	if old != 0 && (latency-old).Abs() <= max(old/10, latencyStep) {
		return
	}
	next := *row
	next.MeasuredUS = uint64(max(latency.Round(time.Microsecond)/time.Microsecond, 1))
	c.tx.PutLink(&next)
}
