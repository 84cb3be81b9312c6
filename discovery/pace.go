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
	*transaction
	basePeriod   time.Duration // Config.Period
	baseSettle   time.Duration // Config.Settle
	period       time.Duration // between two probes of a port: basePeriod or Settings.ProbePeriod, stretched
	settle       time.Duration // how long a port must have been silent to be an edge: baseSettle, stretched
	lag          time.Duration // moving average of the time from creating a probe to handling it
	lagUpdated   time.Time     // when a probe was last heard: without any, lag is halved each second
	nextFree     time.Time     // when the next probe for an event may be sent, regardless of burst
	ports        int           // of connected switches
	stretchShift int           // the period is stretched by 1<<stretchShift
	slackSince   time.Time     // since when less would do
	drops        uint64        // probes dropped by the inbox so far
}

func newPace(t *transaction, cfg *Config) *pace {
	return &pace{
		transaction: t, basePeriod: cfg.Period, baseSettle: cfg.Settle, period: cfg.Period, settle: cfg.Settle,
	}
}

// observeLag adds the time that a link's probe took.
func (p *pace) observeLag(d time.Duration) {
	lag := p.currentLag()
	p.lag, p.lagUpdated = lag+(min(d, maxLag)-lag)/lagWeight, p.now
}

// currentLag returns the lag by now.
func (p *pace) currentLag() time.Duration {
	if since := p.now.Sub(p.lagUpdated); p.lag > 0 && since > 0 {
		return time.Duration(float64(p.lag) * math.Exp2(-since.Seconds()))
	}
	return p.lag
}

// reserve returns when some probes for an event may be sent, and reserves that time.
func (p *pace) reserve(probes int) time.Time {
	each := max(time.Second/eventRate, p.currentLag()/burst)
	if earliest := p.now.Add(-burst * each); p.nextFree.Before(earliest) {
		p.nextFree = earliest
	}
	at := later(p.nextFree, p.now)
	p.nextFree = p.nextFree.Add(time.Duration(probes) * each)
	return at
}

// adapt adapts the probe period, and the timeouts for silence, to the measured lag of probes. It
// reports whether the period has changed.
func (p *pace) adapt() (changed bool) {
	period := cmp.Or(p.settings.ProbePeriod, p.basePeriod)
	if drops := p.Counts.DroppedProbes.Load(); drops != p.drops {
		p.drops = drops
		p.lag, p.lagUpdated = max(p.currentLag(), min(period, maxLag)), p.now
	}
	lag := p.currentLag()
	need := max(period, time.Duration(p.ports)*time.Second/roundRate, lagFactor*lag)
	slow := 0
	for ; period<<slow < need; slow++ {
	}
	switch {
	case slow >= p.stretchShift:
		p.slackSince = p.now
	case p.now.Sub(p.slackSince) < relaxAfter:
		slow = p.stretchShift
	}
	p.settle = max(p.baseSettle, lagFactor*lag)
	changed = p.period != period<<slow
	p.period = period << slow
	p.stretchShift = slow
	p.Counts.Period.Store(int64(p.period))
	p.Counts.Lag.Store(int64(lag))
	return changed
}
