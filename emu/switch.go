package emu

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/random"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/session"
)

// Switch is one emulated switch. Its methods may be called from any goroutine.
type Switch struct {
	Index int // in Network.Switches

	net     *Network
	name    string
	id      uint64
	mac     uint32           // what its ports' MAC addresses have in common, 24 bits
	profile *profile.Profile // nil: ideal
	engine  *engine
	ports   []*port // in order of their numbers
	hosts   []*Host // at them
	power   atomic.Bool
	// powerMu is held, outside of all other locks, while the power goes on or off: if it came back
	// before the links have seen that it was gone, the new tables would never hear of their
	// carrier.
	powerMu      sync.Mutex
	misbehaviour atomic.Pointer[Misbehaviour]

	// mu guards the tables and all that follows, and the links' ways that begin here. Under it
	// nobody waits, and no lock is taken but those of inboxes and of sessions' queues.
	mu                 sync.Mutex
	table              *flowtable.Switch // nil without power
	behaviour          *behaviour        // likewise, and of an ideal switch
	roles              *session.Roles    // likewise
	conns              []*conn           // that are connected, in the order in which they came
	channels           []*channel        // to all controllers
	entries            int               // that the counts know of
	announced          bool              // its hosts have announced themselves, or are about to
	expires            time.Duration     // when the engine looks for entries that run out; 0: it does not
	timer              timer
	misbehaviourRandom random.Source
	latest             time.Duration // of the times that the tables were given: they never go back
}

// newSwitch makes a switch without ports.
func (n *Network) newSwitch(i int, spec *topo.Switch, e *engine) *Switch {
	sw := &Switch{Index: i, net: n, name: spec.Name, id: spec.DPID, engine: e,
		misbehaviourRandom: random.Seeded(n.cfg.Seed, seedMisbehaviour, i)}
	sw.timer.owner = sw
	if sw.profile = spec.Profile; sw.profile == nil {
		sw.profile = &n.cfg.Profile
	}
	if sw.profile.Ideal() {
		sw.profile = nil
	} else {
		e.fine = true
	}
	for _, address := range n.cfg.Controllers {
		sw.channels = append(sw.channels, newChannel(sw, address))
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
	return sw.entries
}

// Connected is how many controllers the switch is connected to.
func (sw *Switch) Connected() int {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	return len(sw.conns)
}

// port finds a port by its number; nil if there is none. Numbers mostly are 1, 2, 3 …
func (sw *Switch) port(number uint32) *port {
	if i := number - 1; i < uint32(len(sw.ports)) && sw.ports[i].number == number {
		return sw.ports[i]
	}
	for _, p := range sw.ports {
		if p.number == number {
			return p
		}
	}
	return nil
}

// Link is that of a port; nil if there is no such port.
func (sw *Switch) Link(number uint32) *Link {
	if p := sw.port(number); p != nil {
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
	if sw.table == nil {
		e.counts.drops[LostAtDeadSwitch].Add(1)
	} else {
		e.counts.hops.Add(1)
		e.output.sw, e.output.now, e.output.from = sw, sw.clock(e.now), e.from
		if b := sw.behaviour; b != nil {
			b.model.Enter(frame, e.from)
		}
		sw.table.Receive(port, frame, e.output.now, &e.output)
		if b := sw.behaviour; b != nil {
			b.model.Exit()
		}
	}
	sw.mu.Unlock()
}

// clock is a time for the tables: the engine's, which is that of the beginning of its round, may be
// before that of a reader. The lock is held.
func (sw *Switch) clock(now time.Duration) time.Duration {
	sw.latest = max(sw.latest, now)
	return sw.latest
}

// wake lets entries run out.
func (sw *Switch) wake(e *engine) {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	sw.expires = 0
	if sw.table == nil {
		return
	}
	e.output.sw, e.output.now, e.output.from = sw, sw.clock(e.now), 0
	next, ok := sw.table.Expire(e.output.now, &e.output)
	sw.count()
	if ok {
		sw.expires = max(next, e.now+1)
		e.timers.set(&sw.timer, sw.expires)
	}
}

// expire has the engine look for entries that run out, after entries with time-outs were added. The
// lock is held.
func (sw *Switch) expire(now time.Duration, out *output) {
	next, ok := sw.table.Expire(now, out)
	if ok && (sw.expires == 0 || next < sw.expires) {
		sw.expires = max(next, now+1)
		sw.engine.schedule(&sw.timer, sw.expires)
	}
}

// count tells the engine's counts how many entries there are. The lock is held.
func (sw *Switch) count() {
	n := 0
	if sw.table != nil {
		n = sw.table.Entries()
	}
	if n != sw.entries {
		sw.engine.counts.entries.Add(int64(n - sw.entries))
		sw.entries = n
	}
}

// carrier tells the tables that a port has a carrier, or has lost it.
func (sw *Switch) carrier(p *port, up bool) {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.table != nil {
		now := sw.clock(sw.net.now())
		sw.table.SetPortState(p.number, up, now, &output{sw: sw, now: now})
	}
}

// addPort adds a port while the network is made.
func (sw *Switch) addPort(number uint32, l *Link) *port {
	p := &port{sw: sw, number: number, link: l}
	sw.ports = append(sw.ports, p)
	return p
}

func (sw *Switch) sortPorts() {
	slices.SortFunc(sw.ports, func(a, b *port) int { return cmp.Compare(a.number, b.number) })
}
