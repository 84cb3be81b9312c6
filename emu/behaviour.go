package emu

import (
	"bytes"
	"math"
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/flowtable"
)

// behaviour delays what a switch does as its profile demands, from power on to power off. It
// belongs to the switch, under its lock. Delayed actions are jobs of the engine.
type behaviour struct {
	*profile.Profile
	sw        *Switch
	random    random
	fragments fragments
	current   arrival // of the packet that is in the tables; 0: of none that was waited for

	forwarded      capacity       // of all ports
	traffic        traffic        // of all ports
	pathChance     profile.Chance // of one way
	setupChance    profile.Chance // of one flow
	toController   rateLimiter
	fromController rateLimiter
	waiting        int // packet-ins that are to be sent
	setups         setups
	installer      installer
	counters       time.Duration // when the last answer with counters is sent
}

// maxPacketIns is how many packet-ins of one switch wait for their time, whatever its profile says.
const maxPacketIns = 8192

// behave is how a switch behaves that has power from now on; nil if it does everything at once.
func (sw *Switch) behave() *behaviour {
	if sw.profile == nil {
		return nil
	}
	b := &behaviour{Profile: sw.profile, sw: sw, random: seeded(sw.net.cfg.Seed, seedBehaviour, sw.Index)}
	b.toController, b.fromController = newRateLimiter(b.PacketIn), newRateLimiter(b.PacketOut)
	b.installer.Install = b.Install
	b.pathChance, b.setupChance = b.PathLatency.Chance().EachWay(), b.FlowSetup.Chance().EachWay()
	return b
}

// delays reports whether frames take their time through the switch.
func (sw *Switch) delays() bool { return sw.profile != nil && sw.profile.Delays() }

// normal is a normally distributed number (Box and Muller, 1958).
func (r *random) normal() float64 {
	return math.Sqrt(-2*math.Log(1-r.float())) * math.Cos(2*math.Pi*r.float())
}

// randomFactor is what chance makes of a time now.
func (b *behaviour) randomFactor(c profile.Chance) float64 {
	if c == (profile.Chance{}) {
		return 1
	}
	return c.Times(b.random.normal())
}

// arrives records a frame that enters the tables, and when it arrived.
func (b *behaviour) arrives(frame []byte, at time.Duration) {
	b.current = arrival{at, 1}
	if len(b.PathLatency.Points) == 0 {
		return
	}
	b.current.chance = b.randomFactor(b.pathChance)
	if c := payloadOf(frame); c.fragment != (fragmentKey{}) {
		b.current = b.fragments.since(c.fragment, b.current)
	}
}

// departs is when a frame leaves through a port; false if the switch cannot forward it in time. What the
// path latency says of one frame includes its own time to be forwarded: the longer of both counts.
func (b *behaviour) departs(o *output, p *port, frame []byte) (time.Duration, bool) {
	from := o.leaves()
	served := from
	for _, way := range []struct {
		*capacity
		limit *profile.Throughput
	}{{&b.forwarded, &b.Forwarding.Switch}, {&p.capacity, &b.Forwarding.Port}} {
		var ok bool
		if served, ok = way.serve(way.limit, len(frame), served); !ok {
			b.sw.engine.counts.drops[LostToForwarding].Add(1)
			return 0, false
		}
	}
	leaves := max(b.latency(p, frame, from), served)
	if p.link.outer != nil { // until then it is at the device
		leaves = max(leaves-b.sw.net.wakeLatency.typical(), from)
	}
	if !p.out.absorbs {
		p.out.engine.ahead.Add(int64(leaves - from))
	}
	return leaves, true
}

// latency is when a frame leaves by a port of a switch that has nothing else to do.
func (b *behaviour) latency(p *port, frame []byte, from time.Duration) time.Duration {
	if len(b.PathLatency.Points) == 0 {
		return from
	}
	since := b.current
	if since.at == 0 {
		since = arrival{from, b.randomFactor(b.pathChance)}
	}
	c := payloadOf(frame)
	took := float64(c.along(&b.PathLatency)) / 2 * since.chance
	bps := b.rate(p, len(frame), from)
	if len(b.Load.Points) > 0 {
		took *= c.loaded(&b.Load, bps)
	}
	if p.link.outer != nil {
		took -= float64(b.Load.Devices(bps, c.devices(b.PathLatency.Devices), c.devices)) / 2
	}
	return max(since.at+time.Duration(took), from)
}

// rate is the load that counts for a frame that leaves by a port, with it; 0 where none does.
func (b *behaviour) rate(p *port, size int, now time.Duration) float64 {
	switch {
	case len(b.Load.Points) == 0:
		return 0
	case b.Load.Switch:
		return b.traffic.rate(size, now)
	}
	return p.traffic.rate(size, now)
}

// packetIn schedules a packet-in; false if it is to be sent now.
func (b *behaviour) packetIn(o *output, p *flowtable.PacketIn) bool {
	if len(b.FlowSetup.Points) == 0 && b.toController.every == 0 {
		return false
	}
	from := o.leaves()
	at, ok := b.toController.admit(from)
	if !ok || b.waiting >= maxPacketIns {
		b.sw.engine.counts.drops[LostToRate].Add(1)
		return true
	}
	x := setup{buffer: p.Buffer, sum: sumOf(p.Frame), flow: flowOf(p.Frame),
		arrival: arrival{from, b.randomFactor(b.setupChance)}}
	if b.current.at != 0 {
		x.at = b.current.at
	}
	c := payloadOf(p.Frame)
	devices := time.Duration(0)
	if in := b.sw.port(p.InPort); in != nil && in.link.outer != nil {
		devices = c.devices(b.FlowSetup.Devices) / 2
	}
	set := b.setups.begin(x, func(chance float64) time.Duration { return x.at + max(b.setupTime(&c, chance)-devices, 0) })
	at = max(at, x.at+b.setupIn(set.due-x.at))
	b.waiting++
	kept := *p
	kept.Frame = bytes.Clone(p.Frame)
	b.later(at, at-from, func(_ *engine, at time.Duration) { b.show(&kept, set, x.sum, at) })
	return true
}

// setupTime is the set-up of one flow for a packet.
func (b *behaviour) setupTime(c *payload, chance float64) time.Duration {
	return time.Duration(float64(c.along(&b.FlowSetup.Latency)) / 2 * chance)
}

// setupIn is the part of a flow's set-up before the packet-in.
func (b *behaviour) setupIn(whole time.Duration) time.Duration {
	return max(whole-b.FlowSetup.Controller, 0) / 2
}

// show sends a scheduled packet-in.
func (b *behaviour) show(p *flowtable.PacketIn, set *setup, sum uint64, at time.Duration) {
	sw := b.sw
	sw.mu.Lock()
	defer sw.mu.Unlock()
	b.waiting--
	if sw.behaviour != b {
		return
	}
	now := sw.net.now()
	if set.sum == sum {
		set.sent = now
	}
	out := output{sw: sw, now: sw.clock(now), from: at}
	out.sendPacketIn(p)
}

// released is when a packet goes on that a controller gives back now: by its bytes, or by the
// number of its buffer. What it has taken longer than the profile knows of comes on top.
func (b *behaviour) released(buffer uint32, frame []byte, now time.Duration) time.Duration {
	if len(b.FlowSetup.Points) == 0 {
		return now
	}
	if x := b.setups.answer(buffer, frame); x != nil {
		return max(x.due+max(now-x.sent-b.FlowSetup.Controller, 0), now)
	}
	// the packet came to another switch, or was made by the controller: the way out is as long as
	// the way in
	c := payloadOf(frame)
	return now + b.setupIn(b.setupTime(&c, b.randomFactor(b.setupChance)))
}

// job is a delayed action of a switch.
type job struct {
	timer timer
	do    func(e *engine, at time.Duration)
}

// later has the engine call do at a time; promised is the delay until then. The switch's lock is
// not held during the call, which must not hold it for long.
func (b *behaviour) later(at, promised time.Duration, do func(e *engine, at time.Duration)) {
	j := &job{do: do}
	j.timer.owner, j.timer.exact = j, true
	e := b.sw.engine
	e.ahead.Add(int64(promised))
	e.schedule(&j.timer, at)
}

// wake does the job.
func (j *job) wake(e *engine) {
	e.due = append(e.due, j.timer.at)
	j.do(e, j.timer.at)
}

// traffic is how much leaves by a port, or by all: bits a second, an average in which what is older counts
// less.
type traffic struct {
	at  time.Duration
	bps float64
}

// trafficTime is how old a frame is when it counts a share of 1/e of a new one.
const trafficTime = 50 * time.Millisecond

// rate adds a frame, and is the rate with it.
func (t *traffic) rate(size int, now time.Duration) float64 {
	if now > t.at {
		t.bps *= math.Exp(-float64(now-t.at) / float64(trafficTime))
		t.at = now
	}
	t.bps += float64(size) * 8 / trafficTime.Seconds()
	return t.bps
}
