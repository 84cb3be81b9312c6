package discovery

import (
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// Core decides what the network looks like. It has one owner at a time, and works inside one of its
// transactions:
//
//	facts.Update(func(tx *netview.FactsTx) {
//		core.Begin(tx, now)
//		core.SwitchUp(…), core.PortStatus(…), …   in the order in which they happened
//		core.Tick()
//	})
//	core.Sends(send), core.Barriers(ask),         after the transaction
//	core.Alarms(sink), core.SilentHosts(inUse)
//	core.Next()                                   when to begin the next one if nothing happens before
type Core struct {
	*deviceTable
	cfg   Config
	seen  *seenCache
	out   *outbox
	tasks []task

	control    controlNetwork
	strangers  strangers
	prober     prober
	pace       *pace
	links      linkTable
	cables     cableTrust
	classifier classifier
	settling   settling
	hosts      *hostTable
	deferred   *deferredSightings
	queries    *hostQueries
	occupancy  occupancy
	claims     heldClaims
	hijacks    deadlines[hijack]
	unverified unverifiedMoves
	sweeper    hostSweeper

	blocks deadlines[netview.Point] // to unblock a port

	arrival arrival // of the probe being handled
}

// NewCore returns an empty core.
func NewCore(cfg Config, now time.Time) *Core {
	cfg = cfg.withDefaults()
	t := newTransaction(cfg.Limits, now)
	devices := &deviceTable{transaction: t, devices: make(map[netview.DPID]*device)}
	seen, out := newSeenCache(cfg.Limits.Known), new(outbox)
	hosts := newHostTable(devices, seen)
	deferred := &deferredSightings{transaction: t, seen: seen, at: make(map[netview.Point][]sighting)}
	pace := newPace(t, &cfg)
	queries := &hostQueries{hostTable: hosts, out: out, open: make(map[netview.HostID]*query)}
	c := &Core{
		deviceTable: devices, cfg: cfg, seen: seen, out: out,
		control:   controlNetwork{deviceTable: devices, missing: make(map[netview.DPID]bool)},
		strangers: strangers{deviceTable: devices},
		prober: prober{
			deviceTable: devices, pace: pace, out: out, lastNumber: cfg.Seed,
			codec: newProbeCodec(cfg.Key, cfg.Domain, ttlOf(cfg.Period)),
		},
		pace:       pace,
		links:      linkTable{transaction: t},
		cables:     cableTrust{transaction: t, pace: pace},
		classifier: classifier{deviceTable: devices, pace: pace, deferred: deferred},
		settling:   settling{deviceTable: devices, pace: pace},
		hosts:      hosts,
		deferred:   deferred,
		queries:    queries,
		occupancy:  occupancy{hostTable: hosts, pace: pace, queries: queries},
		claims:     heldClaims{transaction: t, seen: seen},
		unverified: unverifiedMoves{transaction: t, from: make(map[netview.HostID]netview.Point)},
		sweeper:    hostSweeper{hostTable: hosts, expiry: cfg.Expiry},
	}
	c.tasks = c.newTasks()
	c.sweeper.at.add(now.Add(sweepEvery), now)
	return c
}

// Begin starts a transaction at a time.
func (c *Core) Begin(tx *netview.FactsTx, now time.Time) {
	c.begin(tx, now)
	c.out.reset()
	c.queries.begin()
	c.seen.setClock(now.Sub(c.started))
	c.applySettings(tx.Settings())
	if c.pace.adapt() {
		c.prober.codec.ttl.Store(uint32(ttlOf(c.pace.period)))
	}
}

// Frame handles the key of a frame that came in at a port.
func (c *Core) Frame(at netview.Point, k *packet.Key) {
	if s, ok := parseSighting(at, k); ok {
		c.handleSighting(&s)
	}
}

// SendTime sets the time at which the next frame is sent. It is for the function that Sends calls.
func (c *Core) SendTime(now time.Time) { c.prober.sendTime = now }

// Sends calls send for each frame of the last transaction, in order; send returns whether the frame
// was sent. Frames are valid until the next Begin.
func (c *Core) Sends(send func(at netview.Point, frame []byte) bool) {
	for i := range c.out.sends {
		s := &c.out.sends[i]
		c.frameSent(s, send(s.at, c.out.frames[s.begin:s.end]))
	}
}

// Alarms hands the alarms of the last transaction, and of sending its frames, to a sink.
func (c *Core) Alarms(to alarm.Sink) { c.alarms.flush(to) }

// handle handles an input of the inbox.
func (c *Core) handle(in *input) {
	switch in.kind {
	case inputUp:
		c.SwitchUp(in.facts)
	case inputDown:
		c.SwitchDown(in.dpid)
	case inputPort:
		c.PortStatus(in.dpid, in.reason, in.port)
	case inputFormerLinks:
		c.FormerLinkPorts(in.dpid, in.ports)
	case inputProbe:
		c.arrival = in.arrival
		c.Counts.countProbe(c.probeHeard(in.at, in.probe))
	case inputFrame:
		c.handleSighting(&in.sighting)
	case inputAddress:
		c.hosts.learnAddress(&in.sighting)
	case inputBarrier:
		c.BarrierReply(in.dpid, in.number)
	case inputForget:
		c.handleForget(in.forget)
	}
}
