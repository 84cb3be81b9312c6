package discovery

import (
	"net/netip"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
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
//	core.Sends(send), core.Barriers(ask)          after the transaction
//	core.Next()                                   when to begin the next one if nothing happens before
type Core struct {
	cfg     Config
	Counts  *Counts
	codec   *probeCodec
	seen    *seenCache
	started time.Time

	// Of the current transaction.
	tx         *netview.FactsTx
	now        time.Time
	editedRows map[netview.DPID]*netview.Switch // rows created in it, still mutable

	devices        map[netview.DPID]*device
	shortLived     []*device // disconnected and not established, in the order of disconnection
	growing        []*device // not established, and reported more ports than are free after their handshake
	connectedCount int       // devices
	settledCount   int       // connected devices that have settled
	lastNewSwitch  time.Time // time
	nextSlot       int       // for the next new switch
	lastNumber     uint64    // of the probes
	agenda         agenda

	hostCount      int                             // rows
	addressAges    map[netview.HostID][]netip.Addr // addresses, the least recently seen first
	hostNotes      map[netview.HostID]hostNote
	queries        map[netview.HostID]*query
	unverified     map[netview.HostID]netview.Point // locations of hosts before unverified moves
	barrierNumber  uint64                           // number of the transaction's barriers
	barrierDevices []*device                        // to be sent one
	sweepFrom      netview.HostID                   // start of the next sweep
	pending        map[netview.Point][]sighting
	pendingCount   int // sightings in pending
	hostRows       []*netview.Host
	// crowdedPort is true if the last sweep found a port near Limits.AtPort.
	crowdedPort bool

	losses        []loss                // recent losses of sessions
	missing       map[netview.DPID]bool // switches that disconnected at once, and are not back
	returnedCount int                   // of them, number of those that are back
	replacedCount int                   // of these, number of those with a different serial number

	suspectedSince time.Time // when the suspicion began

	settings   *netview.Settings
	basePeriod time.Duration // Config.Period; Settings override it, and adaptPeriod stretches it
	baseSettle time.Duration // Config.Settle; adaptPeriod stretches it
	pace       pace

	frames []byte
	sends  []outgoing

	sendTime    time.Time // of the frame being sent; zero: unknown
	arrivalTime time.Time // of the probe being handled; zero: unknown
}

// outgoing is a probe, or a query to a host, to send out of a port.
type outgoing struct {
	at         netview.Point
	number     uint64
	periodic   bool   // of the periodic round: counts as missed until heard
	query      *query // nil for probes
	try        int    // of the query
	begin, end int
}

// NewCore returns an empty core.
func NewCore(cfg Config, now time.Time) *Core {
	cfg = cfg.withDefaults()
	c := &Core{
		cfg: cfg, Counts: new(Counts), started: now, lastNumber: cfg.Seed, settings: new(netview.Settings),
		basePeriod: cfg.Period, baseSettle: cfg.Settle,
		codec:       newProbeCodec(cfg.Key, cfg.Domain, ttlOf(cfg.Period)),
		seen:        newSeenCache(cfg.Limits.Known),
		editedRows:  make(map[netview.DPID]*netview.Switch),
		devices:     make(map[netview.DPID]*device),
		addressAges: make(map[netview.HostID][]netip.Addr),
		hostNotes:   make(map[netview.HostID]hostNote),
		queries:     make(map[netview.HostID]*query),
		unverified:  make(map[netview.HostID]netview.Point),
		missing:     make(map[netview.DPID]bool),
		pending:     make(map[netview.Point][]sighting),
	}
	c.agenda.add(appointment{at: now.Add(sweepEvery), duty: dutySweep})
	return c
}

// sinceStart returns the time since the core's start.
func (c *Core) sinceStart() time.Duration { return c.now.Sub(c.started) }

// Begin starts a transaction at a time.
func (c *Core) Begin(tx *netview.FactsTx, now time.Time) {
	c.tx, c.now = tx, now
	clear(c.editedRows)
	c.frames, c.sends = c.frames[:0], c.sends[:0]
	c.barrierNumber++
	c.barrierDevices = c.barrierDevices[:0]
	c.seen.setClock(now.Sub(c.started))
	c.applySettings(tx.Settings())
	c.adaptPeriod()
}

// PortStatus handles a port that was added, deleted or modified.
func (c *Core) PortStatus(dpid netview.DPID, reason openflow.PortReason, p *openflow.Port) {
	c.portStatus(dpid, reason, p)
}

// FormerLinkPorts handles the ports which, according to the rules found on a switch, led to other
// switches before the restart.
func (c *Core) FormerLinkPorts(dpid netview.DPID, ports []uint32) { c.formerLinkPorts(dpid, ports) }

// Frame handles the key of a frame that came in at a port.
func (c *Core) Frame(at netview.Point, k *packet.Key) {
	if s, ok := parseSighting(at, k); ok {
		c.handleSighting(&s)
	}
}

// Tick runs the due timers.
func (c *Core) Tick() {
	for {
		a, ok := c.agenda.Due(c.now)
		if !ok {
			return
		}
		switch a.duty {
		case dutyProbe:
			c.dueProbe(a)
		case dutyRound:
			c.dueRound(a)
		case dutyEdge:
			c.classifyPort(a)
		case dutySettled:
			c.dueSettled(a)
		case dutyPurge:
			c.duePurge(a)
		case dutyUnblock:
			c.dueUnblock(a)
		case dutyAsk:
			c.dueQuery(a)
		case dutyPort:
			c.duePortQuery(a)
		case dutyRecheck:
			c.dueRecheck(a)
		case dutyPassing:
			c.dueShortLived(a)
		case dutySweep:
			c.sweep()
		}
	}
}

// Next returns when Tick is due; false if never.
func (c *Core) Next() (time.Time, bool) {
	at, _, ok := c.agenda.First()
	return at, ok
}

// Sends calls send for each frame of the last transaction, in order; send returns whether the frame
// was sent. Frames are valid until the next Begin.
func (c *Core) Sends(send func(at netview.Point, frame []byte) bool) {
	for i := range c.sends {
		s := &c.sends[i]
		c.frameSent(s, send(s.at, c.frames[s.begin:s.end]))
	}
}

// editRow returns a switch's row, mutable within this transaction.
func (c *Core) editRow(dpid netview.DPID) *netview.Switch {
	row := c.editedRows[dpid]
	if row == nil {
		old, _ := c.tx.Switch(dpid)
		next := *old
		next.Ports = slices.Clone(old.Ports)
		row = &next
		c.tx.PutSwitch(row)
		row, _ = c.tx.Switch(dpid)
		c.editedRows[dpid] = row
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
	case inputFormerLinks:
		c.formerLinkPorts(in.dpid, in.ports)
	case inputProbe:
		c.arrivalTime = in.arrived
		c.Counts.countProbe(c.probeHeard(in.at, in.probe))
	case inputFrame:
		c.handleSighting(&in.sighting)
	case inputAddress:
		c.hostAddress(&in.sighting)
	case inputBarrier:
		c.BarrierReply(in.dpid, in.number)
	case inputForget:
		c.handleForget(in.forget)
	}
}
