package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/netview"
)

// prober sends probes out of ports: some at once when a port comes up (its fast start), then one in
// each round.
type prober struct {
	*deviceTable
	pace       *pace
	out        *outbox
	codec      *probeCodec
	lastNumber uint64
	fastStarts deadlines[fastStart]
	rounds     deadlines[round]
	suspects   deadlines[netview.Point] // to probe for suspicion of a loop
	sendTime   time.Time                // of the frame being sent; zero: unknown
}

// probing is the fast start of a port, and what was sent out of it.
type probing struct {
	fastStep    int         // next step of its fast start; len(fastStartTimes) when done
	fastDue     time.Time   // when that is due
	hasTurn     bool        // it has reserved a probe at that time
	sent        *sentProbes // the latest first; nil without any
	sentCleared time.Time   // when sent was last cleared
	// suspected is when it was last probed for suspicion of a loop, or will be, since the core's start,
	// whether or not the session took the probe; 0: never.
	suspected time.Duration
}

// sentProbes are the last probes sent: more than half of a port's memory.
type sentProbes [16]sentProbe

// sentAt returns when the nth-last probe was sent; 0 if there are fewer.
func (s *sentProbes) sentAt(nth int) time.Duration {
	if s == nil {
		return 0
	}
	return s[nth].at
}

// sentProbe is a probe that was sent. The fast start and replies send several in one period.
type sentProbe struct {
	number   uint64
	at       time.Duration // since the core's start; 0: none
	departed time.Duration // since the core's start, when it was handed to its session; 0: unknown
	heardAt  *port         // the port where it was first heard
}

// start starts a port's fast start, when the pace allows it. A port that has reserved a time
// keeps it: one that flaps takes no more than one reservation.
func (b *prober) start(p *port) {
	p.fastStep = 0
	if p.hasTurn && p.fastDue.After(b.now) {
		return
	}
	p.hasTurn = false
	b.fastProbe(p)
}

// fastProbe sends the next probe of a fast start if its time has come, and sets the time of the
// one after it: when that is due and this one could have been heard. It ends early when both
// directions have been heard twice.
func (b *prober) fastProbe(p *port) {
	if p.linksConfirmed() {
		p.fastStep = len(fastStartTimes)
		return
	}
	if !p.hasTurn {
		if at := b.pace.reserve(probesOfPort); at.After(b.now) {
			p.hasTurn = true
			b.fastAt(p, at)
			return
		}
	}
	p.hasTurn = false
	b.probe(p, nearAndFar, false)
	p.fastStep++
	if p.fastStep < len(fastStartTimes) {
		b.fastAt(p, b.now.Add(max(fastStartTimes[p.fastStep]-fastStartTimes[p.fastStep-1], lagFactor/2*b.pace.currentLag())))
	}
}

func (b *prober) fastAt(p *port, at time.Time) {
	p.fastDue = at
	b.fastStarts.add(at, fastStart{p.at, at})
}

func (p *port) linksConfirmed() bool {
	if len(p.in) == 0 || len(p.out) == 0 {
		return false
	}
	for _, e := range p.links() {
		if e.heardCount < 2 {
			return false
		}
	}
	return true
}

// fastStart is a port in its fast start, and when its next probe is due.
type fastStart struct {
	at  netview.Point
	due time.Time
}

func (b *prober) dueFastStart(s fastStart) {
	// else it was restarted or stopped
	if p := b.port(s.at); p != nil && p.fastStep < len(fastStartTimes) && p.fastDue.Equal(s.due) {
		b.fastProbe(p)
	}
}

// probeReach is which probes are sent: near ones, which no bridge forwards, far ones, which every
// bridge does, or both. Of both the near one is first, so that a cable is recognised before it can
// be mistaken for something else.
type probeReach uint8

const (
	onlyNear probeReach = iota
	onlyFar
	nearAndFar
)

// periodicReach returns what a port sends in a periodic round. Along a cable a near probe is
// enough. At an edge a far one is enough to detect something; further probes find out what.
func (p *port) periodicReach() probeReach {
	switch {
	case p.role == netview.PortEdge || p.role == netview.PortBlocked:
		return onlyFar
	case p.role == netview.PortLink && len(p.out) == 1 && p.out[0].near && !p.out[0].shared():
		return onlyNear
	}
	return nearAndFar
}

// probe sends a probe out of a port.
func (b *prober) probe(p *port, r probeReach, round bool) {
	if !p.up || !p.device.connected {
		return
	}
	if r != onlyFar {
		b.sendProbe(p, false, round && r == onlyNear)
	}
	if r != onlyNear {
		b.sendProbe(p, true, round)
	}
}

// sendProbe sends one probe, with a new number.
func (b *prober) sendProbe(p *port, far, round bool) {
	b.lastNumber++
	if p.sent == nil {
		p.sent = new(sentProbes)
	}
	copy(p.sent[1:], p.sent[:])
	p.sent[0] = sentProbe{number: b.lastNumber, at: max(b.sinceStart(), 1)}
	b.out.frames = b.codec.encode(b.out.frames, probe{p.at, b.lastNumber, far}, p.mac)
	b.out.add(outgoing{at: p.at, number: b.lastNumber, periodic: round})
}

// forget clears the sent probes of a port: whatever is heard of them is ignored.
func (b *prober) forget(p *port) {
	p.sent = nil
	p.fastStep = len(fastStartTimes)
	p.sentCleared = b.now
}

// sent notes whether a probe was really sent; one that was not is forgotten.
func (b *prober) sent(s *outgoing, ok bool) {
	count := &b.Counts.Sent
	if !ok {
		count = &b.Counts.Unsent
	}
	count.Add(1)
	switch p := b.port(s.at); {
	case p == nil:
	case ok:
		b.noteSendTime(p, s.number)
	default:
		p.forgetSent(s.number)
	}
}

func (p *port) forgetSent(number uint64) {
	if p.sent == nil {
		return
	}
	if i := slices.IndexFunc(p.sent[:], func(r sentProbe) bool { return r.number == number }); i >= 0 {
		copy(p.sent[i:], p.sent[i+1:])
		p.sent[len(p.sent)-1] = sentProbe{}
	}
}

// round probes a port in a round, unless its fast start does.
func (b *prober) round(p *port) {
	if p.up && p.fastStep >= len(fastStartTimes) {
		b.probe(p, p.periodicReach(), true)
	}
}

// scheduleRounds starts the rounds of new segments.
func (b *prober) scheduleRounds(d *device) {
	for ; d.scheduledSegments*segmentPorts < len(d.ports); d.scheduledSegments++ {
		b.scheduleRound(d, d.scheduledSegments, b.sinceStart())
	}
}

// scheduleRound sets the time of the next round of a segment: in the period after that of a time
// since the start. Switches, and the segments of large ones, are spread over the period by slots.
// Rounds missed during a suspend are not made up for.
func (b *prober) scheduleRound(d *device, segment int, after time.Duration) {
	period := b.pace.period
	slot := time.Duration((d.slot+segment)%roundSlots) * (period / roundSlots)
	phase := beat.Phase(b.started)
	at := (after + phase).Truncate(period) + period + slot - phase
	if at <= b.sinceStart() {
		at = (b.sinceStart() + phase).Truncate(period) + period + slot - phase
	}
	b.rounds.add(b.started.Add(at), round{d.dpid, d.created, segment, at})
}

// round is the periodic probing of a segment of a switch's ports.
type round struct {
	dpid    netview.DPID
	created time.Time // of its device
	segment int
	due     time.Duration // since the core's start
}

// suspectWait is the least time between two probes of a port for suspicion of a loop, with a period of
// the default.
const suspectWait = 250 * time.Millisecond

// suspectSpare is how many of the probes that a port remembers are left to rounds and the fast start.
const suspectSpare = 4

// suspectPause is the least time between two such probes: so few that no probe of the last two periods,
// which find looks for, is forgotten for later ones.
func (b *prober) suspectPause() time.Duration {
	return max(suspectWait, 2*b.pace.period/time.Duration(len(sentProbes{})-suspectSpare))
}

// suspectLoop probes an edge at which a host appeared that is known elsewhere: at once, or as soon as
// the pause and the rate limit allow it. Where something has begun to carry frames from another port
// of ours to this one, broadcasts circle until both ports are known to be joined: that must not wait
// for the next round.
func (b *prober) suspectLoop(p *port) {
	now := b.sinceStart()
	if p == nil || p.role != netview.PortEdge || p.suspected > now {
		return
	}
	at := max(now, b.pace.nextFree.Sub(b.started), 1)
	if last := max(p.sent.sentAt(0), p.suspected); last != 0 {
		at = max(at, last+b.suspectPause())
	}
	if p.suspected = at; at > now {
		b.suspects.add(b.started.Add(at), p.at)
		return
	}
	b.dueSuspect(p.at)
}

// dueSuspect probes a port for suspicion of a loop, if the rate limit leaves room for it.
func (b *prober) dueSuspect(at netview.Point) {
	if p := b.port(at); p != nil && p.role == netview.PortEdge && !b.pace.nextFree.After(b.now) {
		b.pace.reserve(1)
		b.probe(p, onlyFar, false)
	}
}

// probesSoon reports whether a port's fast start will probe it soon, while the rate limit is in
// effect.
func (b *prober) probesSoon(p *port) bool {
	return p.fastStep < len(fastStartTimes) && b.pace.nextFree.After(b.now)
}

// find returns a probe if it was sent in this period or the last.
func (b *prober) find(p *port, pr *probe) *sentProbe {
	for i := 0; p.sent != nil && i < len(p.sent); i++ {
		if s := &p.sent[i]; s.number == pr.number && s.at != 0 && b.sinceStart()-s.at <= 2*b.pace.period {
			return s
		}
	}
	return nil
}

// noteSendTime notes when a probe was sent.
func (b *prober) noteSendTime(p *port, number uint64) {
	for i := 0; p.sent != nil && i < len(p.sent); i++ {
		if p.sent[i].number == number && !b.sendTime.IsZero() {
			p.sent[i].departed = max(b.sendTime.Sub(b.started), 1)
		}
	}
	b.sendTime = time.Time{}
}
