package delay

import (
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/random"
)

// Model is when one switch does what it does, from power on to power off. It has one owner, who serialises calls.
type Model struct {
	*profile.Profile
	random    random.Source
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
	counters       time.Duration // when the last answer with counters is sent
}

// Port is what a model keeps of one port. Its zero value is a port that nothing has left.
type Port struct {
	traffic  traffic
	capacity capacity
}

// MaxPacketIns is how many packet-ins of one switch wait for their time, whatever its profile says.
const MaxPacketIns = 8192

// New is the model of a switch that has power from now on.
func New(p *profile.Profile, r random.Source) *Model {
	m := &Model{Profile: p, random: r}
	m.toController, m.fromController = newRateLimiter(p.PacketIn), newRateLimiter(p.PacketOut)
	m.pathChance, m.setupChance = p.PathLatency.Chance().EachWay(), p.FlowSetup.Chance().EachWay()
	return m
}

// randomFactor is what chance makes of a time now.
func (m *Model) randomFactor(c profile.Chance) float64 {
	if c == (profile.Chance{}) {
		return 1
	}
	return c.Times(m.random.Normal())
}

// Enter records a frame that enters the tables, and when it arrived.
func (m *Model) Enter(frame []byte, at time.Duration) {
	m.current = arrival{at, 1}
	if len(m.PathLatency.Points) == 0 {
		return
	}
	m.current.chance = m.randomFactor(m.pathChance)
	if c := payloadOf(frame); c.fragment != (fragmentKey{}) {
		m.current = m.fragments.since(c.fragment, m.current)
	}
}

// Exit records that the frame has been through the tables: what leaves from now on follows from something else.
func (m *Model) Exit() { m.current = arrival{} }

// Departs is when a frame leaves through a port, as of a time; false if the switch cannot forward it in time. What the
// path latency says of one frame includes its own time to be forwarded: the longer of both counts. At a port that leads
// to a device of the machine it leaves earlier by the device's part.
func (m *Model) Departs(p *Port, frame []byte, from time.Duration, device bool) (time.Duration, bool) {
	served := from
	for _, way := range []struct {
		*capacity
		limit *profile.Throughput
	}{{&m.forwarded, &m.Forwarding.Switch}, {&p.capacity, &m.Forwarding.Port}} {
		var ok bool
		if served, ok = way.serve(way.limit, len(frame), served); !ok {
			return 0, false
		}
	}
	return max(m.latency(p, frame, from, device), served), true
}

// latency is when a frame leaves by a port of a switch that has nothing else to do.
func (m *Model) latency(p *Port, frame []byte, from time.Duration, device bool) time.Duration {
	if len(m.PathLatency.Points) == 0 {
		return from
	}
	since := m.current
	if since.at == 0 {
		since = arrival{from, m.randomFactor(m.pathChance)}
	}
	c := payloadOf(frame)
	took := float64(c.along(&m.PathLatency)) / 2 * since.chance
	bps := m.rate(p, len(frame), from)
	if len(m.Load.Points) > 0 {
		took *= c.loaded(&m.Load, bps)
	}
	if device {
		took -= float64(m.Load.Devices(bps, c.devices(m.PathLatency.Devices), c.devices)) / 2
	}
	return max(since.at+time.Duration(took), from)
}

// rate is the load that counts for a frame that leaves by a port, with it; 0 where none does.
func (m *Model) rate(p *Port, size int, now time.Duration) float64 {
	switch {
	case len(m.Load.Points) == 0:
		return 0
	case m.Load.Switch:
		return m.traffic.rate(size, now)
	}
	return p.traffic.rate(size, now)
}

// DelaysPacketIns reports whether packet-ins take their time.
func (m *Model) DelaysPacketIns() bool {
	return len(m.FlowSetup.Points) > 0 || m.toController.every != 0
}

// PacketIn is one that waits for its time.
type PacketIn struct {
	set *setup
	sum uint64
}

// PacketIn is when a packet-in is sent, as of a time: its buffer and frame, and whether it came from a device of the
// machine. False: it is lost, since they come faster than they may leave. Sent tells when it was.
func (m *Model) PacketIn(buffer uint32, frame []byte, from time.Duration, device bool) (at time.Duration, p PacketIn, ok bool) {
	at, ok = m.toController.admit(from)
	if !ok || m.waiting >= MaxPacketIns {
		return 0, PacketIn{}, false
	}
	x := setup{buffer: buffer, sum: sumOf(frame), flow: flowOf(frame),
		arrival: arrival{from, m.randomFactor(m.setupChance)}}
	if m.current.at != 0 {
		x.at = m.current.at
	}
	c := payloadOf(frame)
	devices := time.Duration(0)
	if device {
		devices = c.devices(m.FlowSetup.Devices) / 2
	}
	set := m.setups.begin(x, func(chance float64) time.Duration { return x.at + max(m.setupTime(&c, chance)-devices, 0) })
	m.waiting++
	return max(at, x.at+m.setupIn(set.due-x.at)), PacketIn{set, x.sum}, true
}

// Sent records that a packet-in was sent.
func (m *Model) Sent(p PacketIn, now time.Duration) {
	m.waiting--
	if p.set.sum == p.sum {
		p.set.sent = now
	}
}

// setupTime is the set-up of one flow for a packet.
func (m *Model) setupTime(c *payload, chance float64) time.Duration {
	return time.Duration(float64(c.along(&m.FlowSetup.Latency)) / 2 * chance)
}

// setupIn is the part of a flow's set-up before the packet-in.
func (m *Model) setupIn(whole time.Duration) time.Duration {
	return max(whole-m.FlowSetup.Controller, 0) / 2
}

// Released is when a packet goes on that a controller gives back now: by its bytes, or by the
// number of its buffer. What it has taken longer than the profile knows of comes on top.
func (m *Model) Released(buffer uint32, frame []byte, now time.Duration) time.Duration {
	if len(m.FlowSetup.Points) == 0 {
		return now
	}
	if x := m.setups.answer(buffer, frame); x != nil {
		return max(x.due+max(now-x.sent-m.FlowSetup.Controller, 0), now)
	}
	// the packet came to another switch, or was made by the controller: the way out is as long as
	// the way in
	c := payloadOf(frame)
	return now + m.setupIn(m.setupTime(&c, m.randomFactor(m.setupChance)))
}

// DelaysPacketOuts reports whether packet-outs take their time.
func (m *Model) DelaysPacketOuts() bool {
	return len(m.FlowSetup.Points) > 0 || m.fromController.every != 0
}

// PacketOut is when a packet-out is done that comes now: at the end of its flow's set-up. False: it is lost, since
// they come faster than the switch takes them.
func (m *Model) PacketOut(buffer uint32, frame []byte, now time.Duration) (time.Duration, bool) {
	at, ok := m.fromController.admit(now)
	if !ok {
		return 0, false
	}
	return max(at, m.Released(buffer, frame, now)), true
}

// Counters is when an answer with counters of so many items is sent; false if that is at once.
func (m *Model) Counters(items int, now time.Duration) (time.Duration, bool) {
	took := m.Statistics.Delay + time.Duration(items)*m.Statistics.Entry
	if took == 0 {
		return 0, false
	}
	m.counters = max(m.counters, now) + took
	return m.counters, true
}
