package probes

import (
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// segmentPorts is how many ports of a switch are probed at one time.
const segmentPorts = 64

// fastStartTimes are when a port is probed after it comes up. The first probe may be lost because
// the rule that sends it to us is not installed yet.
var fastStartTimes = [...]time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond, 400 * time.Millisecond, time.Second}

// Prober sends probes out of ports: some at once when a port comes up (its fast start), then one in
// each round.
type Prober struct {
	*inventory.Table
	control    *inventory.ControlNetwork
	Pace       *Pace
	Out        *inventory.Outbox
	Codec      *Codec
	LastNumber uint64 // of the last probe
	fastStarts inventory.Deadlines[fastStart]
	rounds     inventory.Deadlines[Round]
	suspects   inventory.Deadlines[netview.Point] // to probe for suspicion of a loop
	SendTime   time.Time                          // of the frame being sent; zero: unknown
}

// Config configures a prober.
type Config struct {
	Domain uint16        // of the switch plan
	Key    []byte        // of the cluster
	Seed   uint64        // the number before the first
	Period time.Duration // between two probes of a port, unless Settings.ProbePeriod says otherwise
	Settle time.Duration // how long a port must have been silent to be an edge
}

// New returns a prober, which adds its frames to an outbox.
func New(t *inventory.Table, n *inventory.ControlNetwork, out *inventory.Outbox, cfg Config) *Prober {
	return &Prober{
		Table: t, control: n, Pace: newPace(t.Transaction, cfg.Period, cfg.Settle), Out: out, LastNumber: cfg.Seed,
		Codec: NewCodec(cfg.Key, cfg.Domain, ttlOf(cfg.Period)),
	}
}

// Tasks returns what is done at some time. What is done in a round is its caller's: it begins with PortsOf and
// ends with Repeat.
func (b *Prober) Tasks(dueRound func(Round)) []inventory.Task {
	return []inventory.Task{
		b.rounds.On(b.Transaction, dueRound),
		b.fastStarts.On(b.Transaction, b.dueFastStart),
		b.suspects.On(b.Transaction, b.dueSuspect),
	}
}

// Adapt adapts the pace to what was heard.
func (b *Prober) Adapt() {
	if b.Pace.adapt() {
		b.Codec.ttl.Store(uint32(ttlOf(b.Pace.Period)))
	}
}

// Start starts a port's fast start, when the pace allows it. A port that has reserved a time
// keeps it: one that flaps takes no more than one reservation.
func (b *Prober) Start(p *inventory.Port) {
	p.FastStep = 0
	if p.HasTurn && p.FastDue.After(b.Now) {
		return
	}
	p.HasTurn = false
	b.fastProbe(p)
}

// fastProbe sends the next probe of a fast start if its time has come, and sets the time of the
// one after it: when that is due and this one could have been heard. It ends early when both
// directions have been heard twice.
func (b *Prober) fastProbe(p *inventory.Port) {
	if p.LinksConfirmed() {
		p.FastStep = len(fastStartTimes)
		return
	}
	if !p.HasTurn {
		if at := b.Pace.Reserve(probesOfPort); at.After(b.Now) {
			p.HasTurn = true
			b.fastAt(p, at)
			return
		}
	}
	p.HasTurn = false
	b.probe(p, nearAndFar, false)
	p.FastStep++
	if p.FastStep < len(fastStartTimes) {
		b.fastAt(p, b.Now.Add(max(fastStartTimes[p.FastStep]-fastStartTimes[p.FastStep-1], lagFactor/2*b.Pace.currentLag())))
	}
}

func (b *Prober) fastAt(p *inventory.Port, at time.Time) {
	p.FastDue = at
	b.fastStarts.Add(at, fastStart{p.At, at})
}

// fastStart is a port in its fast start, and when its next probe is due.
type fastStart struct {
	at  netview.Point
	due time.Time
}

func (b *Prober) dueFastStart(s fastStart) {
	// else it was restarted or stopped
	if p := b.Port(s.at); p != nil && p.FastStep < len(fastStartTimes) && p.FastDue.Equal(s.due) {
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
func periodicReach(p *inventory.Port) probeReach {
	switch {
	case p.Role == netview.PortEdge || p.Role == netview.PortBlocked:
		return onlyFar
	case p.Role == netview.PortLink && len(p.Out) == 1 && p.Out[0].Near && !p.Out[0].Shared():
		return onlyNear
	}
	return nearAndFar
}

// probe sends a probe out of a port.
func (b *Prober) probe(p *inventory.Port, r probeReach, round bool) {
	if !p.Up || !p.Device.Connected {
		return
	}
	if r != onlyFar {
		b.sendProbe(p, false, round && r == onlyNear, 0)
	}
	if r != onlyNear {
		b.sendProbe(p, true, round, 0)
	}
}

// sendProbe sends one probe, with a new number; a long one if length is not 0.
func (b *Prober) sendProbe(p *inventory.Port, far, round bool, length uint16) {
	b.LastNumber++
	if p.Sent == nil {
		p.Sent = new(inventory.SentProbes)
	}
	copy(p.Sent[1:], p.Sent[:])
	p.Sent[0] = inventory.SentProbe{Number: b.LastNumber, At: max(b.SinceStart(), 1)}
	b.Out.Bytes = b.Codec.Encode(b.Out.Bytes, Probe{p.At, b.LastNumber, far, length}, p.MAC)
	b.Out.Add(inventory.Frame{At: p.At, Number: b.LastNumber, Periodic: round, Long: length > 0, By: b})
}

// Idle ends a port's fast start.
func (b *Prober) Idle(p *inventory.Port) { p.FastStep = len(fastStartTimes) }

// Answer probes a port that was heard, so that the other direction is discovered too.
func (b *Prober) Answer(p *inventory.Port) {
	b.Pace.Reserve(probesOfPort)
	b.probe(p, nearAndFar, false)
}

// ProbeNear finds out whether a bridge is at a port.
func (b *Prober) ProbeNear(p *inventory.Port) { b.probe(p, onlyNear, false) }

// PortsOf returns the switch of a round and the ports to probe, none while it is not connected; no switch if
// it is gone.
func (b *Prober) PortsOf(r Round) (*inventory.Device, []*inventory.Port) {
	d := b.Devices[r.dpid]
	if d == nil || !d.Created.Equal(r.created) {
		return nil, nil
	}
	begin := r.Segment * segmentPorts // rounds go on even while the segment has no ports
	if !d.Connected || begin >= len(d.Ports) {
		return d, nil
	}
	return d, d.Ports[begin:min(begin+segmentPorts, len(d.Ports))]
}

// Repeat sets the time of the next round of a segment.
func (b *Prober) Repeat(r Round) { b.scheduleRound(b.Devices[r.dpid], r.Segment, r.due) }

// Forget clears the sent probes of a port: whatever is heard of them is ignored.
func (b *Prober) Forget(p *inventory.Port) {
	p.Sent = nil
	p.FastStep = len(fastStartTimes)
	p.SentCleared = b.Now
}

// Sent implements inventory.Sender: it notes whether a probe was really sent; one that was not is forgotten.
// One of a periodic round counts as missed until it is heard, unless the control network is suspected.
func (b *Prober) Sent(s *inventory.Frame, ok bool) {
	if ok {
		b.Counts.Sent.Add(1)
	}
	switch p := b.Port(s.At); {
	case p == nil:
	case ok:
		b.noteSendTime(p, s.Number)
		if b.control.Suspected() {
			return
		}
		if s.Periodic {
			p.CountMiss()
		}
		if s.Long {
			p.CountLongMiss(b.Now, s.Periodic)
		}
	default:
		p.Sent.Forget(s.Number)
	}
}

// Long is the long probe of a port's round: its length, 0 for none, and whether it may be sent in place of
// the short one.
type Long struct {
	Length uint16
	Alone  bool
}

// Round probes a port in a round, unless its fast start does. A long probe is sent before the short one: where
// that is heard and the long one is not, it did not pass.
func (b *Prober) Round(p *inventory.Port, long Long) {
	if !p.Up || p.FastStep < len(fastStartTimes) {
		return
	}
	reach := periodicReach(p)
	if long.Length > 0 {
		alone := long.Alone && reach == onlyNear
		if b.sendProbe(p, reach != onlyNear, alone, long.Length); alone {
			return
		}
	}
	b.probe(p, reach, true)
}

// ScheduleRounds starts the rounds of new segments.
func (b *Prober) ScheduleRounds(d *inventory.Device) {
	for ; d.ScheduledSegments*segmentPorts < len(d.Ports); d.ScheduledSegments++ {
		b.scheduleRound(d, d.ScheduledSegments, b.SinceStart())
	}
}

// scheduleRound sets the time of the next round of a segment: in the period after that of a time
// since the start. Switches, and the segments of large ones, are spread over the period by slots.
// Rounds missed during a suspend are not made up for.
func (b *Prober) scheduleRound(d *inventory.Device, segment int, after time.Duration) {
	period := b.Pace.Period
	slot := time.Duration((d.Slot+segment)%inventory.RoundSlots) * (period / inventory.RoundSlots)
	phase := beat.Phase(b.Started)
	at := (after + phase).Truncate(period) + period + slot - phase
	if at <= b.SinceStart() {
		at = (b.SinceStart() + phase).Truncate(period) + period + slot - phase
	}
	b.rounds.Add(b.Started.Add(at), Round{d.DPID, d.Created, segment, at})
}

// Round is the periodic probing of a segment of a switch's ports.
type Round struct {
	dpid    netview.DPID
	created time.Time // of its device
	Segment int
	due     time.Duration // since the core's start
}

// suspectWait is the least time between two probes of a port for suspicion of a loop, with a period of
// the default.
const suspectWait = 250 * time.Millisecond

// suspectSpare is how many of the probes that a port remembers are left to rounds and the fast start.
const suspectSpare = 4

// suspectPause is the least time between two such probes: so few that no probe of the last two periods,
// which Find looks for, is forgotten for later ones.
func (b *Prober) suspectPause() time.Duration {
	return max(suspectWait, 2*b.Pace.Period/time.Duration(len(inventory.SentProbes{})-suspectSpare))
}

// SuspectLoop probes an edge at which a host appeared that is known elsewhere: at once, or as soon as
// the pause and the rate limit allow it. Where something has begun to carry frames from another port
// of ours to this one, broadcasts circle until both ports are known to be joined: that must not wait
// for the next round.
func (b *Prober) SuspectLoop(p *inventory.Port) {
	now := b.SinceStart()
	if p == nil || p.Role != netview.PortEdge || p.Suspected > now {
		return
	}
	at := max(now, b.Pace.nextFree.Sub(b.Started), 1)
	if last := max(p.Sent.SentAt(0), p.Suspected); last != 0 {
		at = max(at, last+b.suspectPause())
	}
	if p.Suspected = at; at > now {
		b.suspects.Add(b.Started.Add(at), p.At)
		return
	}
	b.dueSuspect(p.At)
}

// dueSuspect probes a port for suspicion of a loop, if the rate limit leaves room for it.
func (b *Prober) dueSuspect(at netview.Point) {
	if p := b.Port(at); p != nil && p.Role == netview.PortEdge && !b.Pace.nextFree.After(b.Now) {
		b.Pace.Reserve(1)
		b.probe(p, onlyFar, false)
	}
}

// ProbesSoon reports whether a port's fast start will probe it soon, while the rate limit is in
// effect.
func (b *Prober) ProbesSoon(p *inventory.Port) bool {
	return p.FastStep < len(fastStartTimes) && b.Pace.nextFree.After(b.Now)
}

// Find returns a probe if it was sent in this period or the last.
func (b *Prober) Find(p *inventory.Port, pr *Probe) *inventory.SentProbe {
	for i := 0; p.Sent != nil && i < len(p.Sent); i++ {
		if s := &p.Sent[i]; s.Number == pr.Number && s.At != 0 && b.SinceStart()-s.At <= 2*b.Pace.Period {
			return s
		}
	}
	return nil
}

// noteSendTime notes when a probe was sent.
func (b *Prober) noteSendTime(p *inventory.Port, number uint64) {
	for i := 0; p.Sent != nil && i < len(p.Sent); i++ {
		if p.Sent[i].Number == number && !b.SendTime.IsZero() {
			p.Sent[i].Departed = max(b.SendTime.Sub(b.Started), 1)
		}
	}
	b.SendTime = time.Time{}
}

// ttlOf returns the TTL of probes, in seconds.
func ttlOf(period time.Duration) uint16 {
	return uint16(min((inventory.MissedProbes*period+time.Second-1)/time.Second, 65535))
}
