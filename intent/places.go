package intent

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
)

// places finds intents that want, or have, rules in one place: the same switch, port in, priority and match. Where a match belongs to one
// intent alone, as most do, only that is known; places are kept of the others.
type places struct {
	seed    maphash.Seed
	groups  index             // by priority and match: the intents that have programs with it, as often as they have
	several map[uint64]bool   // groups that have, or had, more than one intent
	held    map[place]holding // of groups in several
}

// place is a place of a rule; match is the hash of priority and match.
type place struct {
	match uint64
	at    netview.Point
}

type holding struct {
	number uint32
	times  uint32 // programs of the intent that have a rule there
}

func newPlaces(seed maphash.Seed) *places {
	return &places{seed: seed, several: make(map[uint64]bool), held: make(map[place]holding)}
}

func (p *places) hash(priority uint16, match []byte) uint64 {
	var b [2 + spec.MaxSelector + 64]byte
	return maphash.Bytes(p.seed, append(binary.BigEndian.AppendUint16(b[:0], priority), match...))
}

// group is what index tells groups apart by.
func group(h uint64) uint64 { return h>>58<<32 | h&(1<<32-1) }

// others finds the first other intent with a match; 0 without one.
func (p *places) others(h uint64, n uint32) (other uint32) {
	p.groups.find(h, func(m uint32) bool {
		if m != n {
			other = m
		}
		return other == 0
	})
	return other
}

// holder finds another intent that has a place which a program would take; 0 without one.
func (p *places) holder(g *program.Program) uint32 {
	for i := range g.Legs {
		leg := &g.Legs[i]
		h := p.hash(g.Priority, leg.Match)
		if !p.several[group(h)] {
			continue
		}
		for k := range leg.Route.Hops {
			hop := leg.Route.Hops[k]
			if was, ok := p.held[place{h, netview.Point{DPID: hop.DPID, Port: hop.In}}]; ok && was.number != g.Number {
				return was.number
			}
		}
	}
	return 0
}

// open has the places of a program's matches kept where another intent has one of them; programs are those of another intent that it has
// or is leaving. It comes before holder.
func (p *places) open(g *program.Program, programs func(uint32) []*program.Program) {
	for i := range g.Legs {
		h := p.hash(g.Priority, g.Legs[i].Match)
		if p.several[group(h)] {
			continue
		}
		other := p.others(h, g.Number)
		if other == 0 {
			continue
		}
		p.several[group(h)] = true
		var members []uint32
		p.groups.find(h, func(n uint32) bool { members = append(members, n); return true })
		slices.Sort(members)
		for _, n := range slices.Compact(members) {
			for _, q := range programs(n) {
				p.each(q, func(k uint64, at place) {
					if group(k) == group(h) {
						p.hold(at, n)
					}
				})
			}
		}
	}
}

// each yields the places of a program, and the hashes of their matches.
func (p *places) each(g *program.Program, yield func(uint64, place)) {
	for i := range g.Legs {
		leg := &g.Legs[i]
		h := p.hash(g.Priority, leg.Match)
		for k := range leg.Route.Hops {
			yield(h, place{h, netview.Point{DPID: leg.Route.Hops[k].DPID, Port: leg.Route.Hops[k].In}})
		}
	}
}

func (p *places) hold(at place, n uint32) {
	was := p.held[at]
	p.held[at] = holding{n, was.times + 1}
}

// take notes a program.
func (p *places) take(g *program.Program) {
	for i := range g.Legs {
		leg := &g.Legs[i]
		h := p.hash(g.Priority, leg.Match)
		p.groups.add(h, g.Number)
		if !p.several[group(h)] {
			continue
		}
		for k := range leg.Route.Hops {
			p.hold(place{h, netview.Point{DPID: leg.Route.Hops[k].DPID, Port: leg.Route.Hops[k].In}}, g.Number)
		}
	}
}

// leave forgets a program whose rules are gone.
func (p *places) leave(g *program.Program) {
	for i := range g.Legs {
		leg := &g.Legs[i]
		h := p.hash(g.Priority, leg.Match)
		p.groups.remove(h, g.Number)
		if !p.several[group(h)] {
			continue
		}
		for k := range leg.Route.Hops {
			at := place{h, netview.Point{DPID: leg.Route.Hops[k].DPID, Port: leg.Route.Hops[k].In}}
			if was := p.held[at]; was.times > 1 {
				p.held[at] = holding{was.number, was.times - 1}
			} else {
				delete(p.held, at)
			}
		}
		if p.others(h, 0) == 0 {
			delete(p.several, group(h))
		}
	}
}
