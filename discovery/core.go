package discovery

import (
	"net/netip"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// Core decides what the network looks like. It has one owner at a time, and works inside one of its transactions:
//
//	facts.Update(func(tx *netview.FactsTx) {
//		core.Begin(tx, now)
//		core.SwitchUp(…), core.PortStatus(…), …   in the order in which they happened
//		core.Tick()
//	})
//	core.Sends(send), core.Barriers(ask)          after the transaction
//	core.Next()                                   when to begin the next one if nothing happens before
type Core struct {
	cfg    Config
	Counts *Counts
	sealer *sealer
	known  *known
	start  time.Time

	// Of the transaction that runs.
	tx     *netview.FactsTx
	now    time.Time
	edited map[netview.DPID]*netview.Switch // rows made in it, that may still be changed

	devices map[netview.DPID]*device
	passing []*device // disconnected, and not proven, the first to go first
	ready   int       // devices that are connected
	settled int       // of them, those that have settled
	newest  time.Time // when the last new switch connected
	slot    int       // of the next new switch
	number  uint64    // the last one-time number
	agenda  agenda

	hosts    int                             // rows
	ages     map[netview.HostID][]netip.Addr // addresses told by ARP and ND or data, the longest ago first
	notes    map[netview.HostID]note
	asks     map[netview.HostID]*ask
	unasked  map[netview.HostID]netview.Point // where hosts were before they moved without being asked there
	barriers uint64                           // number of those of the transaction
	behind   []*device                        // that get one
	swept    netview.HostID                   // where the next sweep begins
	pending  map[netview.Point][]sighting
	waiting  int // sightings in pending
	hostRows []*netview.Host
	// crowdedPort is true if the last sweep came across a port that has nearly as many hosts as it may.
	crowdedPort bool

	losses []loss                // of sessions, lately
	away   map[netview.DPID]bool // switches that vanished at once, and are not back
	back   int                   // of them, those that are
	swaps  int                   // of these, those that are other devices now

	suspected time.Time // since when they are away

	settings *netview.Settings
	period   time.Duration // as Config says; settings may say otherwise, and it may be stretched
	quiet    time.Duration // Settle, as Config says; it may be stretched
	pace     pace

	frames []byte
	sends  []send

	departed time.Time // when the frame that is sent leaves; zero: nobody said
	arrived  time.Time // when the probe that is handled came; zero: nobody said
}

// send is a probe, or a question to a host, to send out of a port.
type send struct {
	at         netview.Point
	number     uint64
	round      bool // of the periodic round: its silence counts
	ask        *ask // whose question it is; nil for probes
	try        int  // of the ask
	begin, end int
}

// NewCore returns a core that knows nothing.
func NewCore(cfg Config, now time.Time) *Core {
	cfg = cfg.withDefaults()
	c := &Core{
		cfg: cfg, Counts: new(Counts), start: now, number: cfg.Seed, settings: new(netview.Settings), period: cfg.Period, quiet: cfg.Settle,
		sealer:  newSealer(cfg.Key, cfg.Domain, ttlOf(cfg.Period)),
		known:   newKnown(cfg.Limits.Known),
		edited:  make(map[netview.DPID]*netview.Switch),
		devices: make(map[netview.DPID]*device),
		ages:    make(map[netview.HostID][]netip.Addr),
		notes:   make(map[netview.HostID]note),
		asks:    make(map[netview.HostID]*ask),
		unasked: make(map[netview.HostID]netview.Point),
		away:    make(map[netview.DPID]bool),
		pending: make(map[netview.Point][]sighting),
	}
	c.agenda.add(appointment{at: now.Add(sweepEvery), duty: dutySweep})
	return c
}

// since is the time since the core's start.
func (c *Core) since() time.Duration { return c.now.Sub(c.start) }

// Begin starts a transaction at a time.
func (c *Core) Begin(tx *netview.FactsTx, now time.Time) {
	c.tx, c.now = tx, now
	clear(c.edited)
	c.frames, c.sends = c.frames[:0], c.sends[:0]
	c.barriers++
	c.behind = c.behind[:0]
	c.known.tick(now.Sub(c.start))
	c.configure(tx.Settings())
	c.stretch()
}

// SwitchUp handles a handshake.
func (c *Core) SwitchUp(f *SwitchFacts) { c.switchUp(f) }

// SwitchDown handles the loss of a session.
func (c *Core) SwitchDown(dpid netview.DPID) { c.switchDown(dpid) }

// PortStatus handles a port that came, went or changed.
func (c *Core) PortStatus(dpid netview.DPID, reason openflow.PortReason, p *openflow.Port) {
	c.portStatus(dpid, reason, p)
}

// Remembered handles what a switch was found to hold: these ports led to other switches in an earlier life.
func (c *Core) Remembered(dpid netview.DPID, ports []uint32) { c.recall(dpid, ports) }

// LLDP handles an LLDP frame that came in at a port. The error says why it makes no link; it has been counted.
func (c *Core) LLDP(at netview.Point, frame []byte) error {
	p, err := c.sealer.open(frame)
	if err == nil {
		err = c.heard(at, p)
	} else {
		c.cfg.refused(at, err)
	}
	c.Counts.probe(err)
	return err
}

// Frame handles the key of a frame that came in at a port.
func (c *Core) Frame(at netview.Point, k *packet.Key) {
	if s, ok := sight(at, k); ok {
		c.sighted(&s)
	}
}

// Tick does what is due.
func (c *Core) Tick() {
	for {
		a, ok := c.agenda.due(c.now)
		if !ok {
			return
		}
		switch a.duty {
		case dutyProbe:
			c.dueProbe(a)
		case dutyRound:
			c.dueRound(a)
		case dutyEdge:
			c.edgeOrNot(a)
		case dutySettled:
			c.dueSettled(a)
		case dutyPurge:
			c.duePurge(a)
		case dutyUnblock:
			c.dueUnblock(a)
		case dutyAsk:
			c.dueAsk(a)
		case dutyPort:
			c.duePort(a)
		case dutyRecheck:
			c.dueRecheck(a)
		case dutyPassing:
			c.duePassing(a)
		case dutySweep:
			c.sweep()
		}
	}
}

// Next is when Tick is due; false if never.
func (c *Core) Next() (time.Time, bool) { return c.agenda.next() }

// Sends hands over what the last transaction sends, in order; send returns whether the frame left. Frames are valid until
// the next Begin.
func (c *Core) Sends(send func(at netview.Point, frame []byte) bool) {
	for i := range c.sends {
		s := &c.sends[i]
		c.left(s, send(s.at, c.frames[s.begin:s.end]))
	}
}

// edit is a switch's row, to be changed inside this transaction.
func (c *Core) edit(dpid netview.DPID) *netview.Switch {
	row := c.edited[dpid]
	if row == nil {
		old, _ := c.tx.Switch(dpid)
		next := *old
		next.Ports = slices.Clone(old.Ports)
		row = &next
		c.tx.PutSwitch(row)
		row, _ = c.tx.Switch(dpid)
		c.edited[dpid] = row
	}
	return row
}

// handle handles an input of the inbox.
func (c *Core) handle(in *input) {
	switch in.kind {
	case inputUp:
		c.switchUp(in.facts)
	case inputDown:
		c.switchDown(in.dpid)
	case inputPort:
		c.portStatus(in.dpid, in.reason, in.port)
	case inputRemembered:
		c.recall(in.dpid, in.ports)
	case inputProbe:
		c.arrived = in.came
		c.Counts.probe(c.heard(in.at, in.probe))
	case inputFrame:
		c.sighted(&in.sighting)
	case inputAddress:
		c.addressed(&in.sighting)
	case inputPassed:
		c.Passed(in.dpid, in.number)
	case inputForget:
		c.obey(in.forget)
	}
}
