package discovery

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// device is what the core keeps of a switch besides its row.
type device struct {
	dpid              netview.DPID
	connected         bool
	connectedAt       time.Time // time of the last handshake
	disconnectedAt    time.Time // time of the last loss of its session
	settled           bool
	ports             []*port   // sorted by number
	scheduledSegments int       // segments of them that have a timer for rounds
	handshakePorts    int       // number of ports in its last handshake
	slot              int       // in the period, of its first segment
	created           time.Time // when it was first connected, or loaded
	established       bool      // it once had a session for establishedAfter, or was loaded
	formerLinksKnown  bool      // FormerLinkPorts was called
	removed           map[uint32]removedPort
	received          *atomic.Uint64 // bytes, in its session; nil if unknown, or while disconnected
	bytesAtRound      uint64         // received at its last round
	lastSilentRound   time.Time      // end of the last period in which it sent nothing
	activeRounds      uint64         // number of periods in which it sent something
	lastBarrier       uint64         // number of the last barrier sent
	awaitingBarrier   []*query       // queries without a barrier reply
	successor         *device        // while disconnected: the switch that has its cables now
	predecessor       *device        // the switch that had its cables before
	wasPredecessor    bool           // it has been the predecessor of another
}

// removedPort is what is kept of a deleted port, in case it is added again.
type removedPort struct {
	port    netview.Port
	history linkHistory
	peer    netview.Point
}

// port is what the core keeps of a port besides its row.
type port struct {
	at             netview.Point
	device         *device
	name           string
	mac            packet.MAC
	up             bool
	role           netview.PortRole
	quietSince     time.Time     // since when no link was heard here: it came up, or lost its link
	history        linkHistory   // of the last link here
	bytesAtSilence [2]uint64     // bytes received from its switch and from the peer's, when it had been silent for long enough
	silenceNoted   time.Time     // quietSince, when bytesAtSilence was noted
	peer           netview.Point // that link's other end; zero for historyNone and historyRestored
	fastStep       int           // next step of its fast start; len(fastStartTimes) when done
	fastDue        time.Time     // when that is due
	hasTurn        bool          // it has reserved a probe at that time
	sent           *sentProbes   // the latest first; nil without any
	sentCleared    time.Time     // when sent was last cleared
	appeared       time.Duration // since the core's start, if it was added during a session; 0: it was in the handshake
	out            []*link       // links from here
	in             []*link       // links to here
	hosts          int           // rows at it

	configuredEdge bool          // configured as edge: never a link's
	provenPeer     netview.Point // the other end of the last confirmed cable
	// Since when it has been an edge, or the end of an unproven link, with carrier all the time;
	// zero: it is not.
	edgeSince  time.Time
	edgeRounds uint64    // activeRounds of its switch, then
	blockedAt  time.Time // of PortBlocked: when an unexpected probe was last heard
	probedAt   time.Time // when a probe was last heard, here or of it elsewhere, that makes no link because of hosts
	queriedAt  time.Time // when its hosts were last queried because of such a probe
	querying   bool      // that query is still open
	alive      bool      // one of them has spoken since
	vacatedAt  time.Time // when they were found silent

	stray strayProbe // the last probe here that was probably misforwarded
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

// link is what the core keeps of a link that is up, besides its row.
type link struct {
	src, dst        *port
	transits        *transitTimes     // nil before the first measurement
	missed          int               // periodic probes sent since it was last heard
	heardCount      int               // since both ends are connected, up to 2
	created         time.Time         // when it was first heard
	lastHeard       time.Time         // time
	near            bool              // near probes pass; true until minFarStreak is reached
	farStreak       int               // far probes heard since the last near one, up to minFarStreak
	alarm           netview.AlarmKind // the alarm raised for it
	unproven        bool              // it appeared without a change of carrier (unproven.go)
	bytesAtLastMiss [2]uint64         // bytes received from source and destination when missed reached missedProbes
}

func (e *link) key() netview.LinkKey { return netview.LinkKey{Src: e.src.at, Dst: e.dst.at} }

// bothConnected reports whether the sessions of both ends are up: only then is silence evidence.
func (e *link) bothConnected() bool { return e.src.device.connected && e.dst.device.connected }

func (d *device) search(number uint32) (int, bool) {
	return slices.BinarySearchFunc(d.ports, number, func(p *port, n uint32) int {
		return netview.Point{Port: p.at.Port}.Compare(netview.Point{Port: n})
	})
}

func (d *device) port(number uint32) *port {
	if i, ok := d.search(number); ok {
		return d.ports[i]
	}
	return nil
}

// newPort creates a port. If the same port was deleted before, its history is restored, though
// another cable may be in it. If a different one had this number, its hosts are deleted.
func (c *Core) newPort(d *device, r *netview.Port) *port {
	at := netview.Point{DPID: d.dpid, Port: r.Number}
	p := &port{at: at, device: d, name: r.Name, mac: r.MAC, fastStep: len(fastStartTimes), configuredEdge: r.Edge}
	if f, ok := d.removed[r.Number]; ok {
		if f.port.SamePort(r) {
			p.history, p.peer = f.history, f.peer
		} else {
			c.expelHosts(p)
		}
		delete(d.removed, r.Number)
	}
	return p
}

// is reports whether a row is of this port.
func (p *port) is(r *netview.Port) bool {
	own := netview.Port{Number: p.at.Port, Name: p.name, MAC: p.mac}
	return own.SamePort(r)
}

// rememberRemoved keeps the history of a deleted port, if it had a link or hosts. A probe that was
// heard at it, or of it, may have been another port's, which its switch had not reported yet.
func (c *Core) rememberRemoved(d *device, p *port) {
	p.noteCarrierLost()
	c.clearLinkAtHost(p)
	switch {
	case p.history == historyNone && p.hosts == 0:
		return
	case len(d.removed) >= maxRemovedPorts:
		c.expelHosts(p)
		return
	}
	if d.removed == nil {
		d.removed = make(map[uint32]removedPort)
	}
	d.removed[p.at.Port] = removedPort{netview.Port{Number: p.at.Port, Name: p.name, MAC: p.mac}, p.history, p.peer}
}

// switchUp handles a handshake: of a new switch, or one that reconnects. Unchanged ports keep their
// history.
func (c *Core) switchUp(f *SwitchFacts) {
	d := c.devices[f.DPID]
	if d == nil {
		c.makeRoom()
		d = c.newDevice(f.DPID)
		c.lastNewSwitch = c.now
		c.limitPorts(d, f)
	} else {
		c.switchDown(f.DPID) // in case the end of its old session was not reported
		if c.devices[f.DPID] == nil {
			d = c.newDevice(f.DPID) // it was evicted for lack of room
		}
		if row, ok := c.tx.Switch(f.DPID); ok && differentSerial(row.Desc.Serial, f.Desc.Serial) {
			c.deviceReplaced(d)
		}
		c.keepDevice(d)
		c.limitPorts(d, f)
	}
	d.connected, d.connectedAt, d.settled, d.successor = true, c.now, false, nil
	d.received = f.Received
	c.connected++
	row := c.row(f)
	slices.SortFunc(row.Ports, func(a, b netview.Port) int { return cmpPorts(a.Number, b.Number) })
	row.Ports = slices.CompactFunc(row.Ports, func(a, b netview.Port) bool { return a.Number == b.Number })
	c.edited[d.dpid] = row
	c.mergePorts(d, row)
	d.handshakePorts = len(d.ports)
	c.pace.ports += len(d.ports)
	c.putRow(row)
	c.control.sessionReturned(d.dpid)
	for _, p := range d.ports {
		p.fastStep = len(fastStartTimes)
		for _, e := range p.links() {
			e.missed, e.heardCount, e.farStreak = 0, 0, 0
		}
		p.blockedAt = c.now
		if p.role == netview.PortEdge {
			c.startEdgeTime(p)
		}
		if p.up {
			if p.role == netview.PortUnknown && !p.quietSince.Equal(c.now) {
				c.setUnknown(p)
			}
			c.startProbing(p)
		}
	}
	for _, p := range d.ports {
		for _, e := range p.links() {
			c.writeStates(e) // a link that was not heard yet shares no segment
		}
	}
	c.scheduleRounds(d)
	c.settlings.add(c.now.Add(2*c.pace.period), deadline{netview.Point{DPID: d.dpid}, c.now})
}

// row returns the switch's row as described by its handshake.
func (c *Core) row(f *SwitchFacts) *netview.Switch {
	row := &netview.Switch{
		DPID: f.DPID, State: netview.SwitchReady, Connected: true, Version: f.Version,
		Address: f.Address, Master: c.cfg.Instance, Desc: f.Desc, Buffers: f.Buffers, Tables: f.Tables,
		Capabilities: f.Capabilities, Since: c.now, Ports: make([]netview.Port, 0, len(f.Ports)),
	}
	row.Name = row.OwnName()
	for i := range f.Ports {
		row.Ports = append(row.Ports, c.portRow(f.DPID, &f.Ports[i]))
	}
	return row
}

// mergePorts updates the device's ports from a row, and the row's roles from the ports. Links and
// hosts of ports that were removed or are down now are treated as by a port status.
func (c *Core) mergePorts(d *device, row *netview.Switch) {
	old := d.ports
	c.Counts.Ports.Add(int64(len(row.Ports) - len(old)))
	d.ports = make([]*port, 0, len(row.Ports))
	for i := range row.Ports {
		r := &row.Ports[i]
		j, ok := slices.BinarySearchFunc(old, r.Number, func(p *port, n uint32) int { return cmpPorts(p.at.Port, n) })
		var p *port
		if ok && old[j].is(r) {
			p = old[j]
		} else {
			p = c.newPort(d, r)
		}
		d.ports = append(d.ports, p)
		if p.up && !r.Up {
			c.portDown(p)
		} else if !p.up && r.Up {
			c.portUp(p)
		}
	}
	for _, p := range old {
		if now := d.port(p.at.Port); now != p {
			if p.up {
				c.portDown(p)
			}
			if now == nil {
				c.rememberRemoved(d, p)
			} else {
				c.clearLinkAtHost(p)
				c.expelHosts(p)
			}
		}
	}
	for i, p := range d.ports { // last, because the removal of a port may change another's role
		row.Ports[i].Role = p.role
	}
}

func cmpPorts(a, b uint32) int { return netview.Point{Port: a}.Compare(netview.Point{Port: b}) }

// switchDown handles the loss of a session. Nothing is known to be down: links and hosts become
// unconfirmed.
func (c *Core) switchDown(dpid netview.DPID) {
	d := c.devices[dpid]
	if d == nil || !d.connected {
		return
	}
	if d.settled {
		c.settled--
	}
	d.connected, d.settled, d.disconnectedAt, d.awaitingBarrier = false, false, c.now, nil
	d.received = nil
	c.connected--
	c.pace.ports -= len(d.ports)
	row := c.editRow(dpid)
	row.Connected, row.State, row.Since, row.Settled = false, netview.SwitchDisconnected, c.now, false
	if c.removeSuperseded(d); d.successor == nil {
		c.control.sessionLost(dpid, c.connected)
	}
	for _, p := range d.ports {
		c.forgetProbes(p)
		p.noteSessionLost()
		p.edgeSince = time.Time{} // the carrier cannot be observed
		for _, e := range p.links() {
			c.putLink(e.key(), true, e.state())
		}
		c.hosts.setUnconfirmed(p)
	}
	c.checkShortLived(d)
}

// links returns the links from and to a port.
func (p *port) links() []*link { return slices.Concat(p.out, p.in) }

// portRow returns a port's row, with its configuration; its role is unknown.
func (c *Core) portRow(dpid netview.DPID, p *openflow.Port) netview.Port {
	said := c.settings.Ports[netview.Point{DPID: dpid, Port: p.Number}]
	return netview.Port{
		Label: said.Label, Edge: said.Edge, Draining: said.Drained,
		Number: p.Number, Name: p.Name, MAC: p.HWAddr, SpeedMbps: speed(p),
		Up: p.Config&openflow.PortConfigDown == 0 && p.State&openflow.PortStateDown == 0,
	}
}

// speed returns a port's speed in Mbit/s: curr_speed of OpenFlow 1.3, else the highest bit of its
// current features (enum ofp_port_features: half and full duplex of 10, 100, 1000 Mbit/s, then 10,
// 40, 100, 1000 Gbit/s).
func speed(p *openflow.Port) uint64 {
	if p.CurrSpeed != 0 {
		return uint64(p.CurrSpeed) / 1000
	}
	for bit, mbps := range slices.Backward([]uint64{10, 10, 100, 100, 1000, 1000, 10_000, 40_000, 100_000, 1_000_000}) {
		if p.Curr&(1<<bit) != 0 {
			return mbps
		}
	}
	return 0
}
