package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// How long a link takes is found out from probes: a probe's time from here through both switches to here is one way to the
// source's switch, the link, and one way from the destination's. One way is taken to be half of a switch's control round
// trip. What is not the link's is noise that only adds, so of all three the least of late counts: of the last twenty
// probes, and of the last eight echoes, which is about as long.
//
// What this cannot know: whether one way to a switch takes longer than the way back (half of the difference goes into the
// links from it, and out of those to it), and how much longer a switch takes over a packet than over an echo.

// The window of probes, and what a change must be to be news.
const (
	transitWindow = 20
	latencyStep   = 50 * time.Microsecond
)

// transits are how long the last probes over a link took, from session to session.
type transits struct {
	src, dst time.Time // since when the ends' sessions are there: others may be further away
	list     [transitWindow]time.Duration
	n        int // so far
}

func (t *transits) add(d time.Duration, src, dst time.Time) {
	if !t.src.Equal(src) || !t.dst.Equal(dst) {
		*t = transits{src: src, dst: dst}
	}
	t.list[t.n%transitWindow] = d
	t.n++
}

// least is the shortest of them; false while there are too few.
func (t *transits) least() (time.Duration, bool) {
	least := t.list[0]
	for _, d := range t.list {
		least = min(least, d)
	}
	return least, t.n >= transitWindow
}

// Departing tells when the frame that is sent next leaves. It is for the function that Sends is given.
func (c *Core) Departing(now time.Time) { c.departed = now }

// timed notes when a probe left.
func (c *Core) timed(p *port, number uint64) {
	for i := 0; p.sent != nil && i < len(p.sent); i++ {
		if p.sent[i].number == number && !c.departed.IsZero() {
			p.sent[i].left = max(c.departed.Sub(c.start), 1)
		}
	}
	c.departed = time.Time{}
}

// transit takes a probe that came in at the time of arrival, and writes the link's latency if it is another than before.
func (c *Core) transit(e *edge, r *probing) {
	if c.cfg.RoundTrip == nil || r.left == 0 || c.arrived.IsZero() {
		return
	}
	if e.transits == nil {
		e.transits = new(transits)
	}
	e.transits.add(c.arrived.Sub(c.start)-r.left, e.src.device.since, e.dst.device.since)
	least, enough := e.transits.least()
	if !enough {
		return
	}
	near, far := c.cfg.RoundTrip(e.src.at.DPID), c.cfg.RoundTrip(e.dst.at.DPID)
	if near == 0 || far == 0 {
		return
	}
	c.putLatency(e.key(), max(least-(near+far)/2, time.Microsecond))
}

// putLatency writes a link's measured latency if it changed by more than a tenth and 50 µs: the view is for news.
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
