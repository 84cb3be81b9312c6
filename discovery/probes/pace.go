package probes

import (
	"cmp"
	"math"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
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

// Pace is how fast discovery goes.
type Pace struct {
	*inventory.Transaction
	basePeriod   time.Duration // Config.Period
	baseSettle   time.Duration // Config.Settle
	Period       time.Duration // between two probes of a port: basePeriod or Settings.ProbePeriod, stretched
	Settle       time.Duration // how long a port must have been silent to be an edge: baseSettle, stretched
	lag          time.Duration // moving average of the time from creating a probe to handling it
	lagUpdated   time.Time     // when a probe was last heard: without any, lag is halved each second
	nextFree     time.Time     // when the next probe for an event may be sent, regardless of burst
	Ports        int           // of connected switches
	stretchShift int           // the period is stretched by 1<<stretchShift
	slackSince   time.Time     // since when less would do
	drops        uint64        // probes dropped by the inbox so far
	droppedAt    time.Time     // when some last were
}

func newPace(t *inventory.Transaction, period, settle time.Duration) *Pace {
	return &Pace{Transaction: t, basePeriod: period, baseSettle: settle, Period: period, Settle: settle}
}

// ObserveLag adds the time that a link's probe took.
func (p *Pace) ObserveLag(d time.Duration) {
	lag := p.currentLag()
	p.lag, p.lagUpdated = lag+(min(d, maxLag)-lag)/lagWeight, p.Now
}

// currentLag returns the lag by now.
func (p *Pace) currentLag() time.Duration {
	if since := p.Now.Sub(p.lagUpdated); p.lag > 0 && since > 0 {
		return time.Duration(float64(p.lag) * math.Exp2(-since.Seconds()))
	}
	return p.lag
}

// Reserve returns when some probes for an event may be sent, and reserves that time.
func (p *Pace) Reserve(probes int) time.Time {
	each := max(time.Second/eventRate, p.currentLag()/burst)
	if earliest := p.Now.Add(-burst * each); p.nextFree.Before(earliest) {
		p.nextFree = earliest
	}
	at := p.nextFree
	if at.Before(p.Now) {
		at = p.Now
	}
	p.nextFree = p.nextFree.Add(time.Duration(probes) * each)
	return at
}

// BlockTime is how long a port stays blocked after the last unexpected probe.
func (p *Pace) BlockTime() time.Duration { return inventory.MissedProbes*p.Period + p.Settle }

// DroppedLately reports whether probes that came in were dropped in this period or the last.
func (p *Pace) DroppedLately() bool {
	return !p.droppedAt.IsZero() && p.Now.Sub(p.droppedAt) <= 2*p.Period
}

// adapt adapts the probe period, and the timeouts for silence, to the measured lag of probes. It
// reports whether the period has changed.
func (p *Pace) adapt() (changed bool) {
	period := cmp.Or(p.Settings.ProbePeriod, p.basePeriod)
	if drops := p.Counts.DroppedProbes.Load(); drops != p.drops {
		p.drops, p.droppedAt = drops, p.Now
		p.lag, p.lagUpdated = max(p.currentLag(), min(period, maxLag)), p.Now
	}
	lag := p.currentLag()
	need := max(period, time.Duration(p.Ports)*time.Second/roundRate, lagFactor*lag)
	slow := 0
	for ; period<<slow < need; slow++ {
	}
	switch {
	case slow >= p.stretchShift:
		p.slackSince = p.Now
	case p.Now.Sub(p.slackSince) < relaxAfter:
		slow = p.stretchShift
	}
	p.Settle = max(p.baseSettle, lagFactor*lag)
	changed = p.Period != period<<slow
	p.Period = period << slow
	p.stretchShift = slow
	p.Counts.Period.Store(int64(p.Period))
	p.Counts.Lag.Store(int64(lag))
	return changed
}
