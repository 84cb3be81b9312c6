package emu

import (
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/random"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/session"
)

// Switch is one emulated switch. Its methods may be called from any goroutine.
type Switch struct {
	Index int // in Network.Switches

	identity
	net     *Network
	profile *profile.Profile // nil: ideal
	engine  *engine
	ports   ports
	hosts   []*Host // at them
	power   atomic.Bool
	// powerMu is held, outside of all other locks, while the power goes on or off: if it came back
	// before the links have seen that it was gone, the new tables would never hear of their
	// carrier.
	powerMu      sync.Mutex
	misbehaviour misbehaving

	// mu guards the two sides of the switch and all that follows, and the links' ways that begin here. Under it
	// nobody waits, and no lock is taken but those of inboxes and of sessions' queues.
	mu        sync.Mutex
	data      datapath
	control   Control
	behaviour *behaviour     // nil without power, and of an ideal switch
	roles     *session.Roles // nil without power
	announced bool           // its hosts have announced themselves, or are about to
}

// newSwitch makes a switch without ports.
func (n *Network) newSwitch(i int, spec *topo.Switch, e *engine) *Switch {
	sw := &Switch{Index: i, net: n, identity: identity{name: spec.Name, id: spec.DPID, serial: n.serial}, engine: e}
	sw.misbehaviour.random = random.Seeded(n.cfg.Seed, seedMisbehaviour, i)
	sw.misbehaviour.counts, sw.data.engine, sw.control.of = &e.counts, e, spec.Name
	sw.data.timer.owner = sw
	if sw.profile = spec.Profile; sw.profile == nil {
		sw.profile = &n.cfg.Profile
	}
	if sw.profile.Ideal() {
		sw.profile = nil
	} else {
		e.fine = true
	}
	for i, address := range n.cfg.Controllers {
		sw.control.channels = append(sw.control.channels, newChannel(sw, i, address))
	}
	return sw
}

// Name is the switch's in the topology.
func (sw *Switch) Name() string { return sw.name }

// DatapathID is the switch's.
func (sw *Switch) DatapathID() uint64 { return sw.id }

// Entries is how many flow entries the switch holds.
func (sw *Switch) Entries() int {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	return sw.data.entries
}

// Connected is how many controllers the switch is connected to.
func (sw *Switch) Connected() int {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	return len(sw.control.conns)
}

// Link is that of a port; nil if there is no such port.
func (sw *Switch) Link(number uint32) *Link {
	if p := sw.ports.find(number); p != nil {
		return p.link
	}
	return nil
}

// Ports are the numbers of the ports, ascending.
func (sw *Switch) Ports() []uint32 {
	list := make([]uint32, len(sw.ports))
	for i, p := range sw.ports {
		list[i] = p.number
	}
	return list
}

// process runs a frame that came in at a port through the tables. Its engine calls it.
func (sw *Switch) process(e *engine, port uint32, frame []byte) {
	sw.mu.Lock()
	if sw.data.table == nil {
		e.counts.drops[LostAtDeadSwitch].Add(1)
	} else {
		e.counts.hops.Add(1)
		e.output.sw, e.output.now, e.output.from = sw, sw.data.clock(e.now), e.from
		if b := sw.behaviour; b != nil {
			b.model.Enter(frame, e.from)
		}
		sw.data.table.Receive(port, frame, e.output.now, &e.output)
		if b := sw.behaviour; b != nil {
			b.model.Exit()
		}
	}
	sw.mu.Unlock()
}

// wake lets entries run out.
func (sw *Switch) wake(e *engine) {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.data.table == nil {
		sw.data.expires = 0
		return
	}
	e.output.sw, e.output.now, e.output.from = sw, sw.data.clock(e.now), 0
	sw.data.wake(e, &e.output)
}

// carrier tells the tables that a port has a carrier, or has lost it.
func (sw *Switch) carrier(p *port, up bool) {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.data.table != nil {
		now := sw.data.clock(sw.net.now())
		sw.data.table.SetPortState(p.number, up, now, &output{sw: sw, now: now})
	}
}

// addPort adds a port while the network is made.
func (sw *Switch) addPort(number uint32, l *Link) *port {
	p := &port{sw: sw, number: number, link: l}
	sw.ports = append(sw.ports, p)
	return p
}
