package pairs

import (
	"slices"
	"sync/atomic"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/topology"
)

// Path is the list of switches that a pair crosses, from its ingress on, each with the port in and out.
type Path struct {
	ID   uint32
	Hops []topology.Hop // not to be changed

	refs int32
	dead atomic.Bool
	outs []position // in the lists of the ports out, hop by hop
	// cookies are those of its rules, hop by hop, where an earlier run wrote them; else nil.
	cookies []uint64
}

// position is where a path is in the list of a port, by the port's number.
type position struct{ port, index uint32 }

// out returns the port by which the path leaves the switch of a hop.
func (p *Path) out(hop int) netview.Point {
	return netview.Point{DPID: p.Hops[hop].DPID, Port: p.Hops[hop].Out}
}

// moved takes a new position in the list of a port.
func (p *Path) moved(to position) {
	for i := range p.outs {
		if p.outs[i].port == to.port {
			p.outs[i] = to
		}
	}
}

// Dead reports whether a port that the path leaves a switch by is there no more, or is another one. Its rules
// mean nothing any more.
func (p *Path) Dead() bool { return p.dead.Load() }

// Ingress returns the switch where the path begins.
func (p *Path) Ingress() netview.DPID { return p.Hops[0].DPID }

// Egress returns where the path leaves the network.
func (p *Path) Egress() netview.Point {
	return p.out(len(p.Hops) - 1)
}

// EachLink yields the links of the path.
func (p *Path) EachLink(yield func(netview.LinkKey) bool) {
	for i := 0; i+1 < len(p.Hops); i++ {
		a, b := &p.Hops[i], &p.Hops[i+1]
		if !yield(netview.LinkKey{Src: netview.Point{DPID: a.DPID, Port: a.Out}, Dst: netview.Point{DPID: b.DPID, Port: b.In}}) {
			return
		}
	}
}

// Crosses reports whether the path uses a link of the set.
func (p *Path) Crosses(set map[netview.LinkKey]bool) bool {
	for key := range p.EachLink {
		if set[key] {
			return true
		}
	}
	return false
}

// LeavesBy reports whether the path leaves a switch by one of these ports.
func (p *Path) LeavesBy(ports map[netview.Point]bool) bool {
	return slices.ContainsFunc(p.Hops, func(h topology.Hop) bool { return ports[netview.Point{DPID: h.DPID, Port: h.Out}] })
}

// IndexOf returns the index of the hop at a switch, -1 if there is none.
func (p *Path) IndexOf(dpid netview.DPID) int {
	return slices.IndexFunc(p.Hops, func(h topology.Hop) bool { return h.DPID == dpid })
}

// Passes reports whether the path passes a switch or, unless the port is 0, one port of it.
func (p *Path) Passes(at netview.Point) bool {
	i := p.IndexOf(at.DPID)
	return i >= 0 && (at.Port == 0 || p.Hops[i].In == at.Port || p.Hops[i].Out == at.Port)
}

// Finds returns what a rule of another path finds at its switch while this one is in force; p may be nil.
func (p *Path) Finds(h topology.Hop) pathing.Finds {
	if p == nil {
		return pathing.Nothing
	}
	switch i := p.IndexOf(h.DPID); {
	case i < 0:
		return pathing.Nothing
	case p.Hops[i].Out != h.Out:
		return pathing.Other
	}
	return pathing.Same
}

// Usable reports whether all links of the path can be used.
func (p *Path) Usable(m *topology.Map) bool {
	_, ok := m.PathCost(p.Hops)
	return ok && !p.Dead()
}

// Drained reports whether the path crosses something that drains and another path would avoid.
func (p *Path) Drained(j pathing.Judge) bool {
	cost, ok := j.Map.PathCost(p.Hops)
	return ok && j.Drained(p.Ingress(), p.Egress().DPID, cost)
}

// Suboptimal reports whether the path could be shorter.
func (p *Path) Suboptimal(j pathing.Judge) bool {
	cost, ok := j.Map.PathCost(p.Hops)
	return ok && j.Suboptimal(p.Ingress(), p.Egress().DPID, cost)
}
