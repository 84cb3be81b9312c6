package intent

import (
	"encoding/binary"
	"hash/maphash"
	"iter"

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
	for h, leg := range p.legs(g) {
		if !p.contested[group(h)] {
			continue
		}
		for key := range ruleKeys(h, leg) {
			if was, ok := p.holders[key]; ok && was.number != g.Number {
				return was.number
			}
		}
	}
	return 0
}

// track starts storing the rule keys of a rule set's matches that another intent has too; sets
// returns the desired and retiring rule sets of an intent. It must precede conflicting.
func (p *conflictIndex) track(g *ruleset.Set, sets func(uint32) []*ruleset.Set) {
	for h := range p.legs(g) {
		if p.contested[group(h)] || p.otherIn(h, g.Number) == 0 {
			continue
		}
		p.contested[group(h)] = true
		var members []uint32
		p.groups.Find(h, func(n uint32) bool { members = append(members, n); return true })
		for _, n := range inOrder(members) {
			for _, q := range sets(n) {
				for k, leg := range p.legs(q) {
					if group(k) == group(h) {
						p.addHolders(k, leg, n)
					}
				}
			}
		}
	}
}

// legs yields the legs of a rule set, with the hashes of their matches.
func (p *conflictIndex) legs(g *ruleset.Set) iter.Seq2[uint64, *ruleset.Leg] {
	return func(yield func(uint64, *ruleset.Leg) bool) {
		for i := range g.Legs {
			if leg := &g.Legs[i]; !yield(p.hash(g.Priority, leg.Match), leg) {
				return
			}
		}
	}
}

// ruleKeys yields the rule keys of a leg whose match has a hash.
func ruleKeys(h uint64, leg *ruleset.Leg) iter.Seq[ruleKey] {
	return func(yield func(ruleKey) bool) {
		for _, hop := range leg.Route.Hops {
			if !yield(ruleKey{h, netview.Point{DPID: hop.DPID, Port: hop.In}}) {
				return
			}
		}
	}
}

// addHolders stores the rule keys of an intent's leg.
func (p *conflictIndex) addHolders(h uint64, leg *ruleset.Leg, n uint32) {
	for key := range ruleKeys(h, leg) {
		p.holders[key] = holder{n, p.holders[key].count + 1}
	}
}

// add indexes a rule set.
func (p *conflictIndex) add(g *ruleset.Set) {
	for h, leg := range p.legs(g) {
		if p.groups.add(h, g.Number); p.contested[group(h)] {
			p.addHolders(h, leg, g.Number)
		}
	}
}

// remove removes a rule set whose rules are gone.
func (p *conflictIndex) remove(g *ruleset.Set) {
	for h, leg := range p.legs(g) {
		p.groups.Remove(h, g.Number)
		if !p.contested[group(h)] {
			continue
		}
		for key := range ruleKeys(h, leg) {
			if was := p.holders[key]; was.count > 1 {
				p.holders[key] = holder{was.number, was.count - 1}
			} else {
				delete(p.holders, key)
			}
		}
		if p.otherIn(h, 0) == 0 {
			delete(p.contested, group(h))
		}
	}
}
