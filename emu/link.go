package emu

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/emu/topo"
)

// Direction is one of the two directions of a link.
type Direction int

// The directions of a link.
const (
	Forward Direction = iota // from A to B; of a host's link from the host to its switch
	Back
)

// Link joins two ports of switches, or a host and a port. Its methods may be called from any
// goroutine.
type Link struct {
	ID    string
	Index int // in Network.Links; -1 of a host's, or one to the outside

	net        *Network
	ends       [2]*port // A and B; a host's and the outside's are nil
	directions [2]simplex

	outer *Attachment // where it leads out of the network

	mu      sync.Mutex // held while it goes up or down, outside of the locks of switches
	cut     bool       // by SetUp
	carries atomic.Bool
}

// LinkStats count one way over a link since the network was made.
type LinkStats struct {
	Sent, Bytes uint64 // frames given to the link that were not lost at once
	InFlight    int    // frames in flight now
	Lost        Drops
}

// Set changes how one way carries frames. Those that are in flight already keep their delay;
// where they wait for the rate, they leave at the new one. The error is that of LinkSpec.Check.
func (l *Link) Set(way Direction, spec topo.LinkSpec) error {
	if err := spec.Check(); err != nil {
		return fmt.Errorf("link %s: %w", l.ID, err)
	}
	d := &l.directions[way&1]
	d.sender.Lock()
	defer d.sender.Unlock()
	d.respec(spec, l.net.now())
	return nil
}

// Spec is how one way carries frames.
func (l *Link) Spec(way Direction) topo.LinkSpec {
	d := &l.directions[way&1]
	d.sender.Lock()
	defer d.sender.Unlock()
	return d.spec
}

// SetUp cuts the link or restores it. Both ends lose the carrier, and tell their controllers;
// frames in flight are lost.
func (l *Link) SetUp(up bool) {
	l.mu.Lock()
	l.cut = !up
	l.mu.Unlock()
	l.refresh()
}

// Up reports whether the link carries frames: it is not cut, both its ends have power, and neither
// port is down.
func (l *Link) Up() bool { return l.carries.Load() }

// Cut reports whether the link was cut by SetUp.
func (l *Link) Cut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cut
}

// Stats are the counts of one way.
func (l *Link) Stats(way Direction) LinkStats {
	d := &l.directions[way&1]
	s := LinkStats{Sent: d.sent.Load(), Bytes: d.size.Load(), InFlight: int(d.held.Load())}
	for i := range s.Lost {
		s.Lost[i] = d.lost[i].Load()
	}
	return s
}

// Ends are the two ports: the switch and its port's number, nil and 0 for a host, or the outside.
func (l *Link) Ends() (a *Switch, aPort uint32, b *Switch, bPort uint32) {
	if p := l.ends[0]; p != nil {
		a, aPort = p.sw, p.number
	}
	if p := l.ends[1]; p != nil {
		b, bPort = p.sw, p.number
	}
	return a, aPort, b, bPort
}

// refresh has the ports see whether there is a carrier. No lock of a switch is held.
func (l *Link) refresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	carries := !l.cut
	for _, p := range l.ends {
		carries = carries && (p == nil || p.usable())
	}
	if l.outer != nil {
		carries = l.outer.updateCarrier(carries)
	}
	if carries == l.carries.Load() {
		return
	}
	l.carries.Store(carries)
	if l.Index >= 0 {
		if carries {
			l.net.linksUp.Add(1)
		} else {
			l.net.linksUp.Add(-1)
		}
	}
	l.directions[0].setUp(carries)
	l.directions[1].setUp(carries)
	for _, p := range l.ends {
		if p != nil {
			p.sw.carrier(p, carries)
		}
	}
}
