package discovery

import (
	"cmp"
	"math"
	"time"
)

// Probes can overload their sender: ten thousand switches have forty thousand ports, which may all
// come up in the same second. Probes heard late look like probes not heard, so links would be
// removed that exist, and be probed again. So discovery sends no faster than its probes come back:
//
//   - Probes for events (a port that came up) are rate-limited: burst at once, then eventRate a
//     second, or fewer if the lag is high, so that about burst of them are in flight.
//   - Rounds are stretched so that no more than roundRate probes a second are made of them.
//   - Timeouts for silence are at least lagFactor times the lag.
const (
	burst        = 8192
	eventRate    = 25_000 // probes a second
	roundRate    = 5_000  // probes a second
	lagFactor    = 4
	maxLag       = 5 * time.Second  // upper bound: somebody may delay probes
	lagWeight    = 32               // window of the lag's moving average, in probes
	relaxAfter   = 10 * time.Second // how long there must be slack before the period is shortened
	probesOfPort = 2                // near and far
)

// pace is how fast discovery goes.
type pace struct {
	period       time.Duration // between two probes of a port: that of Config or Settings, stretched
	settle       time.Duration // how long a port must have been silent to be an edge: that of Config, stretched
	lag          time.Duration // moving average of the time from creating a probe to handling it
	lagUpdated   time.Time     // when a probe was last heard: without any, lag is halved each second
	nextFree     time.Time     // when the next probe for an event may be sent, regardless of burst
	ports        int           // of connected switches
	stretchShift int           // the period is stretched by 1<<stretchShift
	slackSince   time.Time     // since when less would do
	drops        uint64        // probes dropped by the inbox so far
}

// observeLag adds the time that a link's probe took.
func (p *pace) observeLag(d time.Duration, now time.Time) {
	lag := p.lagAt(now)
	p.lag, p.lagUpdated = lag+(min(d, maxLag)-lag)/lagWeight, now
}

// lagAt returns the lag at a time.
func (p *pace) lagAt(now time.Time) time.Duration {
	if since := now.Sub(p.lagUpdated); p.lag > 0 && since > 0 {
		return time.Duration(float64(p.lag) * math.Exp2(-since.Seconds()))
	}
	return p.lag
}

// reserve returns when some probes for an event may be sent, and reserves that time.
func (p *pace) reserve(probes int, now time.Time) time.Time {
	each := max(time.Second/eventRate, p.lagAt(now)/burst)
	if earliest := now.Add(-burst * each); p.nextFree.Before(earliest) {
		p.nextFree = earliest
	}
	at := later(p.nextFree, now)
	p.nextFree = p.nextFree.Add(time.Duration(probes) * each)
	return at
}

// probesSoon reports whether a port's fast start will probe it soon, while the rate limit is in
// effect.
func (c *Core) probesSoon(p *port) bool {
	return p.fastStep < len(fastStartTimes) && c.pace.nextFree.After(c.now)
}

// adaptPeriod adapts the probe period, and the timeouts for silence, to the measured lag of probes.
func (c *Core) adaptPeriod() {
	period := cmp.Or(c.settings.ProbePeriod, c.cfg.Period)
	if drops := c.Counts.DroppedProbes.Load(); drops != c.pace.drops {
		c.pace.drops = drops
		c.pace.lag, c.pace.lagUpdated = max(c.pace.lagAt(c.now), min(period, maxLag)), c.now
	}
	lag := c.pace.lagAt(c.now)
	need := max(period, time.Duration(c.pace.ports)*time.Second/roundRate, lagFactor*lag)
	slow := 0
	for ; period<<slow < need; slow++ {
	}
	switch {
	case slow >= c.pace.stretchShift:
		c.pace.slackSince = c.now
	case c.now.Sub(c.pace.slackSince) < relaxAfter:
		slow = c.pace.stretchShift
	}
	c.pace.settle = max(c.cfg.Settle, lagFactor*lag)
	if stretched := period << slow; stretched != c.pace.period {
		c.pace.period = stretched
		c.codec.ttl.Store(uint32(ttlOf(stretched)))
	}
	c.pace.stretchShift = slow
	c.Counts.Period.Store(int64(c.pace.period))
	c.Counts.Lag.Store(int64(lag))
}
