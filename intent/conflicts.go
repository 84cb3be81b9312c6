package intent

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// conflictIndex finds intents with the same rule key: switch, in port, priority and match. For a
// match that belongs to one intent alone, as most do, only the intent is indexed; rule keys are
// stored for the others only.
type conflictIndex struct {
	seed      maphash.Seed
	groups    index              // by priority and match: the intents that have rule sets with it, once for each leg
	contested map[uint64]bool    // groups that have, or had, more than one intent
	holders   map[ruleKey]holder // of groups in several
}

// ruleKey identifies a rule; match is the hash of priority and match.
type ruleKey struct {
	match uint64
	at    netview.Point
}

type holder struct {
	number uint32
	count  uint32 // rule sets of the intent that have the rule
}

func newConflictIndex(seed maphash.Seed) *conflictIndex {
	return &conflictIndex{seed: seed, contested: make(map[uint64]bool), holders: make(map[ruleKey]holder)}
}

func (p *conflictIndex) hash(priority uint16, match []byte) uint64 {
	var b [2 + spec.MaxSelector + 64]byte
	return maphash.Bytes(p.seed, append(binary.BigEndian.AppendUint16(b[:0], priority), match...))
}

// group returns the part of a hash by which index distinguishes groups.
func group(h uint64) uint64 { return h>>58<<31 | h&(1<<31-1) }

// otherIn returns another intent with a match; 0 without one.
func (p *conflictIndex) otherIn(h uint64, n uint32) (other uint32) {
	p.groups.Find(h, func(m uint32) bool {
		if m != n {
			other = m
		}
		return other == 0
	})
	return other
}

// conflicting returns another intent that has a rule key of a rule set; 0 without one.
func (p *conflictIndex) conflicting(g *ruleset.Set) uint32 {
	for i := range g.Legs {
		leg := &g.Legs[i]
		h := p.hash(g.Priority, leg.Match)
		if !p.contested[group(h)] {
			continue
		}
		for k := range leg.Route.Hops {
			hop := leg.Route.Hops[k]
			if was, ok := p.holders[ruleKey{h, netview.Point{DPID: hop.DPID, Port: hop.In}}]; ok && was.number != g.Number {
				return was.number
			}
		}
	}
	return 0
}

// track starts storing the rule keys of a rule set's matches that another intent has too; sets
// returns the desired and retiring rule sets of an intent. It must precede conflicting.
func (p *conflictIndex) track(g *ruleset.Set, sets func(uint32) []*ruleset.Set) {
	for i := range g.Legs {
		h := p.hash(g.Priority, g.Legs[i].Match)
		if p.contested[group(h)] {
			continue
		}
		other := p.otherIn(h, g.Number)
		if other == 0 {
			continue
		}
		p.contested[group(h)] = true
		var members []uint32
		p.groups.Find(h, func(n uint32) bool { members = append(members, n); return true })
		slices.Sort(members)
		for _, n := range slices.Compact(members) {
			for _, q := range sets(n) {
				p.each(q, func(k uint64, at ruleKey) {
					if group(k) == group(h) {
						p.addHolder(at, n)
					}
				})
			}
		}
	}
}

// each yields the rule keys of a rule set, and the hashes of their matches.
func (p *conflictIndex) each(g *ruleset.Set, yield func(uint64, ruleKey)) {
	for i := range g.Legs {
		leg := &g.Legs[i]
		h := p.hash(g.Priority, leg.Match)
		for k := range leg.Route.Hops {
			yield(h, ruleKey{h, netview.Point{DPID: leg.Route.Hops[k].DPID, Port: leg.Route.Hops[k].In}})
		}
	}
}

func (p *conflictIndex) addHolder(at ruleKey, n uint32) {
	was := p.holders[at]
	p.holders[at] = holder{n, was.count + 1}
}

// add indexes a rule set.
func (p *conflictIndex) add(g *ruleset.Set) {
	for i := range g.Legs {
		leg := &g.Legs[i]
		h := p.hash(g.Priority, leg.Match)
		p.groups.add(h, g.Number)
		if !p.contested[group(h)] {
			continue
		}
		for k := range leg.Route.Hops {
			p.addHolder(ruleKey{h, netview.Point{DPID: leg.Route.Hops[k].DPID, Port: leg.Route.Hops[k].In}}, g.Number)
		}
	}
}

// remove removes a rule set whose rules are gone.
func (p *conflictIndex) remove(g *ruleset.Set) {
	for i := range g.Legs {
		leg := &g.Legs[i]
		h := p.hash(g.Priority, leg.Match)
		p.groups.Remove(h, g.Number)
		if !p.contested[group(h)] {
			continue
		}
		for k := range leg.Route.Hops {
			at := ruleKey{h, netview.Point{DPID: leg.Route.Hops[k].DPID, Port: leg.Route.Hops[k].In}}
			if was := p.holders[at]; was.count > 1 {
				p.holders[at] = holder{was.number, was.count - 1}
			} else {
				delete(p.holders, at)
			}
		}
		if p.otherIn(h, 0) == 0 {
			delete(p.contested, group(h))
		}
	}
}
