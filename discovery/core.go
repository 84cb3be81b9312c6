package discovery

import (
	"net/netip"
	"time"

	"github.com/weirnet/weir/alarm"
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
//	core.Sends(send), core.Barriers(ask),         after the transaction
//	core.Alarms(sink), core.SilentHosts(inUse)
//	core.Next()                                   when to begin the next one if nothing happens before
type Core struct {
	*transaction
	cfg   Config
	tasks []task
	codec *probeCodec
	seen  *seenCache

	control controlNetwork
	pace    pace

	// The deadlines of the tasks.
	fastStarts      deadlines[fastStart]     // probe a port that came up
	rounds          deadlines[round]         // probe the ports of a segment
	classifications deadlines[deadline]      // make a silent port an edge
	settlings       deadlines[deadline]      // settle a switch
	downLinks       deadlines[downLink]      // delete a link that is down
	blocks          deadlines[netview.Point] // unblock a port
	queryTries      deadlines[*query]        // query a host again, or conclude that it is silent
	portQueries     deadlines[deadline]      // conclude the queries to a port's hosts
	heldClaims      deadlines[sighting]      // end the hold of a rejected claim
	shortLivedEnds  deadlines[deadline]      // delete a short-lived switch
	sweeps          deadlines[time.Time]     // check some of the hosts

	devices        map[netview.DPID]*device
	shortLived     []*device // disconnected and not established, in the order of disconnection
	growing        []*device // not established, and reported more ports than are free after their handshake
	connectedCount int       // devices
	settledCount   int       // connected devices that have settled
	lastNewSwitch  time.Time // time
	nextSlot       int       // for the next new switch
	lastNumber     uint64    // of the probes

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

	silent []*netview.Host // found silent in this transaction; deleted unless they are in use
	unused []*netview.Host // to be deleted in the next one

	frames []byte
	sends  []outgoing

	sendTime time.Time // of the frame being sent; zero: unknown
	arrival  arrival   // of the probe being handled
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
	t := newTransaction(cfg.Limits, now)
	c := &Core{
		transaction: t, cfg: cfg, lastNumber: cfg.Seed,
		control:     controlNetwork{transaction: t, missing: make(map[netview.DPID]bool)},
		pace:        pace{period: cfg.Period, settle: cfg.Settle},
		codec:       newProbeCodec(cfg.Key, cfg.Domain, ttlOf(cfg.Period)),
		seen:        newSeenCache(cfg.Limits.Known),
		devices:     make(map[netview.DPID]*device),
		addressAges: make(map[netview.HostID][]netip.Addr),
		hostNotes:   make(map[netview.HostID]hostNote),
		queries:     make(map[netview.HostID]*query),
		unverified:  make(map[netview.HostID]netview.Point),
		pending:     make(map[netview.Point][]sighting),
	}
	c.tasks = c.newTasks()
	c.sweeps.add(now.Add(sweepEvery), now)
	return c
}

// Begin starts a transaction at a time.
func (c *Core) Begin(tx *netview.FactsTx, now time.Time) {
	c.transaction.begin(tx, now)
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

// Sends calls send for each frame of the last transaction, in order; send returns whether the frame
// was sent. Frames are valid until the next Begin.
func (c *Core) Sends(send func(at netview.Point, frame []byte) bool) {
	for i := range c.sends {
		s := &c.sends[i]
		c.frameSent(s, send(s.at, c.frames[s.begin:s.end]))
	}
}

// Alarms hands the alarms of the last transaction, and of sending its frames, to a sink.
func (c *Core) Alarms(to alarm.Sink) { c.alarms.flush(to) }

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
		c.arrival = in.arrival
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
