package discovery

import (
	"math"
	"time"
)

// Probes can drown who sends them: ten thousand switches have forty thousand ports, and all of them may come up in the same
// second. What is heard late then looks like what is not heard, links are lost that are there, and are probed anew for it.
// So discovery goes no faster than what it sends comes back:
//
//   - Probes that answer events (a port that came up) are spaced: burst at once, then eventRate a second, or fewer where
//     they take long to be heard, so that about burst of them are on their way.
//   - Rounds are stretched so that no more than roundRate probes a second are made of them.
//   - Whatever waits for silence waits at least patience times as long as probes take to be heard.
const (
	burst        = 8192
	eventRate    = 25_000 // probes a second
	roundRate    = 5_000  // probes a second
	patience     = 4
	mostLag      = 5 * time.Second  // more is not believed: somebody may hold probes back
	lagWeight    = 32               // probes, of which the lag is the moving average
	calm         = 10 * time.Second // how long before all is faster again
	probesOfPort = 2                // near and far
)

// pace is how fast discovery goes.
type pace struct {
	lag   time.Duration // how long probes of links took lately, from being made to being handled
	noted time.Time     // when one was heard last: if nothing is, lag is halved each second
	free  time.Time     // when the next probe that answers an event may be sent, if there was no burst
	ports int           // of switches that are connected
	slow  int           // the period is stretched by 2 to this power
	since time.Time     // since when it need not be
	drops uint64        // of the inbox, so far
}

// heard notes how long a link's probe took.
func (p *pace) heard(d time.Duration, now time.Time) {
	lag := p.lagAt(now)
	p.lag, p.noted = lag+(min(d, mostLag)-lag)/lagWeight, now
}

// lagAt is how long probes take.
func (p *pace) lagAt(now time.Time) time.Duration {
	if since := now.Sub(p.noted); p.lag > 0 && since > 0 {
		return time.Duration(float64(p.lag) * math.Exp2(-since.Seconds()))
	}
	return p.lag
}

// turn says when some probes may be sent that answer an event, and takes that turn.
func (p *pace) turn(probes int, now time.Time) time.Time {
	each := max(time.Second/eventRate, p.lagAt(now)/burst)
	if earliest := now.Add(-burst * each); p.free.Before(earliest) {
		p.free = earliest
	}
	at := later(p.free, now)
	p.free = p.free.Add(time.Duration(probes) * each)
	return at
}

// probesSoon is true if a port's fast start will probe it without being asked, while all are in a hurry.
func (c *Core) probesSoon(p *port) bool {
	return p.fast < len(fastStart) && c.pace.free.After(c.now)
}

// stretch brings the period of rounds, and the time after which silence means something, to how fast probes are heard.
func (c *Core) stretch() {
	period := or(c.settings.ProbePeriod, c.period)
	if drops := c.Counts.DroppedProbes.Load(); drops != c.pace.drops {
		c.pace.drops = drops
		c.pace.lag, c.pace.noted = max(c.pace.lagAt(c.now), min(period, mostLag)), c.now
	}
	lag := c.pace.lagAt(c.now)
	need := max(period, time.Duration(c.pace.ports)*time.Second/roundRate, patience*lag)
	slow := 0
	for ; period<<slow < need; slow++ {
	}
	switch {
	case slow >= c.pace.slow:
		c.pace.since = c.now
	case c.now.Sub(c.pace.since) < calm:
		slow = c.pace.slow
	}
	c.cfg.Settle = max(c.quiet, patience*lag)
	if stretched := period << slow; stretched != c.cfg.Period {
		c.cfg.Period = stretched
		c.sealer.ttl.Store(uint32(ttlOf(stretched)))
	}
	c.pace.slow = slow
	c.Counts.Period.Store(int64(c.cfg.Period))
	c.Counts.Lag.Store(int64(lag))
}
