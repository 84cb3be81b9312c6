package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// device is what the core keeps of a switch besides its row.
type device struct {
	dpid      netview.DPID
	connected bool
	since     time.Time // of connecting
	lost      time.Time // when its session was lost last
	settled   bool
	ports     []*port   // in order of number
	segments  int       // how many of them have rounds on the agenda
	slot      int       // of the period, of its first segment
	made      time.Time // when it was first heard of, or remembered
	proven    bool      // it had a session for long enough, once, or is remembered
	recalled  bool      // what it held from an earlier life is known
	gone      map[uint32]former
	heard     uint64    // bytes from it, at its last turn
	still     time.Time // when a period had gone by in which it said nothing, last
	turns     uint64    // of the rounds, since which it has said something
	barrier   uint64    // the last one that it was sent
	asking    []*ask    // whose barrier did not come back yet
	heir      *device   // that has its cables, if it has no session
	before    *device   // whose cables it has
}

// former is what is remembered of a port that was deleted, in case it comes again.
type former struct {
	port netview.Port
	past past
	peer netview.Point
}

// port is what the core keeps of a port besides its row.
type port struct {
	at     netview.Point
	device *device
	name   string
	mac    packet.MAC
	up     bool
	role   netview.PortRole
	quiet  time.Time     // since when nothing was heard here that makes it a link: it came up, or lost its link
	past   past          // what is known of a link that was here
	said   [2]uint64     // by its switch, and by that at the other end, when it had been silent for long enough
	judged time.Time     // quiet, when said was noted
	peer   netview.Point // that link's other end; none of pastNone and pastRows
	fast   int           // next step of its fast start; len(fastStart) when done
	fastAt time.Time     // when that is due
	turned bool          // it was this port's turn then
	sent   *probings     // the latest first; nil: none was
	forgot time.Time     // when sent was last emptied
	came   time.Duration // since the core's start, when it came during a session; 0: it was there when that began
	out    []*edge       // links from here
	in     []*edge       // links to here
	hosts  int           // rows at it

	edge    bool          // configured as one: never a link's
	proved  netview.Point // where a cable from here led that was believed
	idle    time.Time     // since when it has been an edge, or a link that is not believed, with carrier all the time; zero: it is not
	turns   uint64        // of its switch, then
	blocked time.Time     // when a probe was last heard that should not be, of PortBlocked
	probed  time.Time     // when a probe was last heard here, or of it elsewhere, that makes no link because of hosts
	asked   time.Time     // when its hosts were last asked because of such a probe
	asking  bool          // and no answer is due yet
	alive   bool          // one of them has spoken since
	vacated time.Time     // when they were found to be silent

	stray stray // the last probe heard here for which there is hardly a link
}

// probings are the probes that were sent last: more than half of what a port takes in memory.
type probings [16]probing

// probing is a probe that was sent. The fast start and answers send several in one period.
type probing struct {
	number uint64
	at     time.Duration // since the core's start; 0: none
	left   time.Duration // the same, when it was handed to its session; 0: not noted
	first  *port         // where it was heard first
}

// edge is what the core keeps of a link that is up, besides its row.
type edge struct {
	src, dst *port
	transits *transits         // nil before the first is timed
	missed   int               // periodic probes that left since it was heard last
	heard    int               // times since both ends are connected, up to 2
	born     time.Time         // when it was heard first
	last     time.Time         // when it was heard last
	near     bool              // near probes pass; true until surelyFar says otherwise
	fars     int               // far probes heard since the last near one, up to surelyFar
	told     netview.AlarmKind // of the alarm that says why it is not used
	unproven bool              // it appeared though nothing was plugged in (unproven.go)
	said     [2]uint64         // by source and destination when the probe was missed that was one too many
}

func (e *edge) key() netview.LinkKey { return netview.LinkKey{Src: e.src.at, Dst: e.dst.at} }

// live is true while the sessions of both ends are up: only then does silence mean anything.
func (e *edge) live() bool { return e.src.device.connected && e.dst.device.connected }

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

func (c *Core) port(at netview.Point) *port {
	if d := c.devices[at.DPID]; d != nil {
		return d.port(at.Port)
	}
	return nil
}

// newPort makes a port. If it was deleted under this number it is that, and another cable may be in it. If another one was, the
// hosts behind that one are not here.
func (c *Core) newPort(d *device, r *netview.Port) *port {
	at := netview.Point{DPID: d.dpid, Port: r.Number}
	p := &port{at: at, device: d, name: r.Name, mac: r.MAC, fast: len(fastStart), edge: r.Edge}
	if f, ok := d.gone[r.Number]; ok {
		if f.port.Is(r) {
			p.past, p.peer = f.past, f.peer
		} else {
			c.expelHosts(p)
		}
		delete(d.gone, r.Number)
	}
	return p
}

// is reports whether a row is of this port.
func (p *port) is(r *netview.Port) bool {
	own := netview.Port{Number: p.at.Port, Name: p.name, MAC: p.mac}
	return own.Is(r)
}

// deleted remembers a port that went, if it had a link or hosts.
func (c *Core) deleted(d *device, p *port) {
	p.carrierLost()
	switch {
	case p.past == pastNone && p.hosts == 0:
		return
	case len(d.gone) >= goneMax:
		c.expelHosts(p)
		return
	}
	if d.gone == nil {
		d.gone = make(map[uint32]former)
	}
	d.gone[p.at.Port] = former{netview.Port{Number: p.at.Port, Name: p.name, MAC: p.mac}, p.past, p.peer}
}

// switchUp handles a handshake: a new switch, or one that comes back. What was known of its ports stays known where the
// port is as it was.
func (c *Core) switchUp(f *SwitchFacts) {
	d := c.devices[f.DPID]
	if d == nil {
		c.makeRoom()
		d = c.newDevice(f.DPID)
		c.newest = c.now
		c.boundPorts(d, f)
	} else {
		c.switchDown(f.DPID) // in case its old session was not seen to end
		if c.devices[f.DPID] == nil {
			d = c.newDevice(f.DPID) // there was no room to remember it
		}
		if row, ok := c.tx.Switch(f.DPID); ok && exchanged(row.Desc.Serial, f.Desc.Serial) {
			c.exchange(d)
		}
		c.stays(d)
		c.boundPorts(d, f)
	}
	d.connected, d.since, d.settled, d.heir = true, c.now, false, nil
	c.ready++
	row := c.row(f)
	slices.SortFunc(row.Ports, func(a, b netview.Port) int { return cmpPorts(a.Number, b.Number) })
	row.Ports = slices.CompactFunc(row.Ports, func(a, b netview.Port) bool { return a.Number == b.Number })
	c.edited[d.dpid] = row
	c.mergePorts(d, row)
	c.pace.ports += len(d.ports)
	c.tx.PutSwitch(row)
	c.edited[d.dpid], _ = c.tx.Switch(d.dpid) // with what is configured of it
	c.returned(d.dpid)
	for _, p := range d.ports {
		p.fast = len(fastStart)
		for _, e := range p.edges() {
			e.missed, e.heard, e.fars = 0, 0, 0
		}
		p.blocked = c.now
		if p.role == netview.PortEdge {
			c.idles(p)
		}
		if p.up {
			if p.role == netview.PortUnknown && !p.quiet.Equal(c.now) {
				c.doubt(p)
			}
			c.startProbing(p)
		}
	}
	for _, p := range d.ports {
		for _, e := range p.edges() {
			c.writeStates(e) // what is not heard of yet is nobody's third port
		}
	}
	c.scheduleRounds(d)
	wait := 2 * c.cfg.Period
	c.agenda.add(appointment{at: c.now.Add(wait), duty: dutySettled, point: netview.Point{DPID: d.dpid}, stamp: c.now})
}

// newDevice makes the device of a switch that was not known.
func (c *Core) newDevice(dpid netview.DPID) *device {
	d := &device{dpid: dpid, slot: c.slot, made: c.now}
	c.slot = (c.slot + 1) % slots
	c.devices[dpid] = d
	return d
}

// row is the switch's row as its handshake describes it.
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

// mergePorts brings the device's ports to what the row says, and the row's roles to what the ports know. Links and
// hosts of ports that went or are down now are treated as by a port status.
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
			c.portWent(p)
		} else if !p.up && r.Up {
			c.portCame(p)
		}
	}
	for _, p := range old {
		if now := d.port(p.at.Port); now != p {
			if p.up {
				c.portWent(p)
			}
			if now == nil {
				c.deleted(d, p)
			} else {
				c.expelHosts(p)
			}
		}
	}
	for i, p := range d.ports { // now that all is known: a port's going may change another's role
		row.Ports[i].Role = p.role
	}
}

func cmpPorts(a, b uint32) int { return netview.Point{Port: a}.Compare(netview.Point{Port: b}) }

// switchDown handles the loss of a session. Nothing is known to be down: what is known becomes unconfirmed.
func (c *Core) switchDown(dpid netview.DPID) {
	d := c.devices[dpid]
	if d == nil || !d.connected {
		return
	}
	if d.settled {
		c.settled--
	}
	d.connected, d.settled, d.lost, d.asking = false, false, c.now, nil
	c.ready--
	c.pace.ports -= len(d.ports)
	c.vanished(dpid)
	row := c.edit(dpid)
	row.Connected, row.State, row.Since, row.Settled = false, netview.SwitchDisconnected, c.now, false
	c.dropSuperseded(d)
	for _, p := range d.ports {
		c.forgetProbes(p)
		p.sessionLost()
		p.idle = time.Time{} // nobody sees what the carrier does
		for _, e := range p.edges() {
			c.putLink(e.key(), true, e.state())
		}
		c.doubtHosts(p)
	}
	c.passes(d)
}

// edges lists the links from and to a port.
func (p *port) edges() []*edge { return slices.Concat(p.out, p.in) }

// portRow is a port's row, with what is configured of it; its role is unknown.
func (c *Core) portRow(dpid netview.DPID, p *openflow.Port) netview.Port {
	said := c.settings.Ports[netview.Point{DPID: dpid, Port: p.Number}]
	return netview.Port{
		Label: said.Label, Edge: said.Edge, Draining: said.Drained,
		Number: p.Number, Name: p.Name, MAC: p.HWAddr, SpeedMbps: speed(p),
		Up: p.Config&openflow.PortConfigDown == 0 && p.State&openflow.PortStateDown == 0,
	}
}

// speed is a port's speed in Mbit/s: the number that OpenFlow 1.3 gives, else the highest bit of its current features
// (enum ofp_port_features: half and full duplex of 10, 100, 1000 Mbit/s, then 10, 40, 100, 1000 Gbit/s).
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
