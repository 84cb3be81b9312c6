package discovery

import (
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
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
	*inventory.Table
	cfg      Config
	out      *inventory.Outbox
	schedule *inventory.Schedule

	prober   *probes.Prober
	hosts    *hosts.Tracker
	links    *links
	ports    *ports
	switches *switches
}

// NewCore returns an empty core.
func NewCore(cfg Config, now time.Time) *Core {
	cfg = cfg.withDefaults()
	t := inventory.NewTransaction(cfg.Limits, now)
	table := inventory.NewTable(t)
	c := &Core{Table: table, cfg: cfg, out: new(inventory.Outbox), schedule: inventory.NewSchedule(t)}
	control := inventory.NewControlNetwork(table)
	strangers := &strangers{Table: table}
	c.prober = probes.New(table, control, c.out, probes.Config{
		Domain: cfg.Domain, Key: cfg.Key, Seed: cfg.Seed, Period: cfg.Period, Settle: cfg.Settle,
	})
	pace := c.prober.Pace
	c.hosts = hosts.New(table, control, c.prober, c.schedule, cfg.Expiry)
	cables := &cableTrust{Transaction: t, pace: pace}
	settling := &settling{Table: table, pace: pace, hosts: c.hosts}
	roles := &roles{
		Table: table, pace: pace, prober: c.prober, hosts: c.hosts, cables: cables, settling: settling,
		classifier: classifier{Table: table, pace: pace, deferred: c.hosts.Deferred},
	}
	c.links = &links{
		Table: table, control: control, pace: pace, prober: c.prober, hosts: c.hosts, cables: cables,
		settling: settling, roles: roles, table: linkTable{Transaction: t},
	}
	c.links.widths = &widths{Table: table, pace: pace, table: &c.links.table}
	c.ports = &ports{
		Table: table, pace: pace, prober: c.prober, hosts: c.hosts, roles: roles, links: c.links,
		strangers: strangers,
	}
	c.switches = &switches{
		Table: table, control: control, pace: pace, prober: c.prober, hosts: c.hosts, cables: cables,
		settling: settling, roles: roles, links: c.links, ports: c.ports, strangers: strangers,
	}
	c.schedule.Add(c.prober.Tasks(c.links.dueRound)...)
	c.schedule.Add(settling.tasks()...)
	c.schedule.Add(roles.tasks()...)
	c.schedule.Add(c.links.tasks()...)
	c.schedule.Add(c.switches.tasks()...)
	return c
}

// Begin starts a transaction at a time.
func (c *Core) Begin(tx *netview.FactsTx, now time.Time) {
	c.Table.Begin(tx, now)
	c.out.Reset()
	c.hosts.Begin()
	c.applySettings(tx.Settings())
	c.prober.Adapt()
}

// Tick does what is due, the earliest first.
func (c *Core) Tick() {
	c.hosts.DeleteUnused()
	c.schedule.Run()
}

// Next returns when Tick is due; false if never.
func (c *Core) Next() (time.Time, bool) {
	if c.hosts.HasUnused() {
		return c.Now, true
	}
	return c.schedule.Next()
}

// SwitchUp handles a handshake: of a new switch, or one that reconnects.
func (c *Core) SwitchUp(f *SwitchFacts) { c.switches.up(f) }

// SwitchDown handles the loss of a session.
func (c *Core) SwitchDown(dpid netview.DPID) { c.switches.down(dpid) }

// PortStatus handles a port that was added, deleted or modified.
func (c *Core) PortStatus(dpid netview.DPID, reason openflow.PortReason, p *openflow.Port) {
	c.ports.status(dpid, reason, p)
}

// FormerLinkPorts notes which ports of a switch led to other switches before the restart.
func (c *Core) FormerLinkPorts(dpid netview.DPID, ports []uint32) {
	c.switches.formerLinks(dpid, ports)
}

// Frame handles the key of a frame that came in at a port.
func (c *Core) Frame(at netview.Point, k *packet.Key) {
	if s, ok := hosts.ParseSighting(at, k); ok {
		c.hosts.Handle(&s)
	}
}

// SendTime sets the time at which the next frame is sent. It is for the function that Sends calls.
func (c *Core) SendTime(now time.Time) { c.prober.SendTime = now }

// Sends calls send for each frame of the last transaction, in order; send returns whether the frame
// was sent. Frames are valid until the next Begin.
func (c *Core) Sends(send func(at netview.Point, frame []byte) bool) {
	c.out.Flush(func(at netview.Point, frame []byte) bool {
		ok := send(at, frame)
		if !ok {
			c.Counts.Unsent.Add(1)
		}
		return ok
	})
}

// Barriers calls ask for each switch that is to be sent a barrier, after the frames of Sends, with
// its number, which BarrierReply expects.
func (c *Core) Barriers(ask func(dpid netview.DPID, number uint64)) { c.hosts.BarriersDue(ask) }

// BarrierReply handles a barrier reply.
func (c *Core) BarrierReply(dpid netview.DPID, number uint64) {
	c.hosts.BarrierPassed(dpid, number)
}

// SilentHosts asks of the hosts that did not answer in the last transaction which are in use: rules
// forward their packets. The next transaction deletes the others, unless they are heard before.
func (c *Core) SilentHosts(inUse func(netview.HostID, netview.Point) bool) {
	c.hosts.KeepUsed(inUse)
}

// Alarms hands the alarms of the last transaction, and of sending its frames, to a sink.
func (c *Core) Alarms(to alarm.Sink) { c.Table.Alarms.Flush(to) }

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
		c.prober.Count(c.links.probeHeard(in.at, in.probe, in.arrival))
	case inputFrame:
		c.hosts.Handle(&in.sighting)
	case inputAddress:
		c.hosts.Rows.LearnAddress(&in.sighting)
	case inputBarrier:
		c.BarrierReply(in.dpid, in.number)
	case inputForget:
		c.handleForget(in.forget)
	}
}
