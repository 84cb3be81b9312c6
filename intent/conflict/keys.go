package conflict

import (
	"encoding/binary"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/weirnet/weir/hashtab"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// keyIndex finds intents with the same rule key: switch, in port, priority and match. Rule keys are stored
// only of matches that more than one intent has.
type keyIndex struct {
	seed      maphash.Seed
	groups    hashtab.Table[uint32, struct{}] // by priority and match: its intents, once for each leg
	contested map[uint64]bool                 // groups that have, or had, more than one intent
	holders   map[ruleKey]holder              // of groups in several
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

func newKeyIndex(seed maphash.Seed) *keyIndex {
	return &keyIndex{seed: seed, contested: make(map[uint64]bool), holders: make(map[ruleKey]holder)}
}

func (p *keyIndex) hash(priority uint16, match []byte) uint64 {
	var b [2 + spec.MaxSelector + 64]byte
	return maphash.Bytes(p.seed, append(binary.BigEndian.AppendUint16(b[:0], priority), match...))
}

// group returns the part of a hash by which groups distinguishes groups.
func group(h uint64) uint64 { return h>>58<<31 | h&(1<<31-1) }

// otherIn returns another intent with a match; 0 without one.
func (p *keyIndex) otherIn(h uint64, n uint32) (other uint32) {
	p.groups.Find(h, func(m uint32) bool {
		if m != n {
			other = m
		}
		return other == 0
	})
	return other
}

// conflicting returns another intent that has a rule key of a rule set; 0 without one.
func (p *keyIndex) conflicting(g *ruleset.Set) uint32 {
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

// track starts storing the rule keys of a rule set's matches that another intent has too. It must
// precede conflicting.
func (p *keyIndex) track(g *ruleset.Set, sets Sets) {
	for h := range p.legs(g) {
		if p.contested[group(h)] || p.otherIn(h, g.Number) == 0 {
			continue
		}
		p.contested[group(h)] = true
		var members []uint32
		p.groups.Find(h, func(n uint32) bool { members = append(members, n); return true })
		slices.Sort(members)
		for _, n := range slices.Compact(members) {
			for q := range sets(n) {
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
func (p *keyIndex) legs(g *ruleset.Set) iter.Seq2[uint64, *ruleset.Leg] {
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
		for _, hop := range matching(leg.Route) {
			if !yield(ruleKey{h, netview.Point{DPID: hop.DPID, Port: hop.In}}) {
				return
			}
		}
	}
}

// addHolders stores the rule keys of an intent's leg.
func (p *keyIndex) addHolders(h uint64, leg *ruleset.Leg, n uint32) {
	for key := range ruleKeys(h, leg) {
		p.holders[key] = holder{n, p.holders[key].count + 1}
	}
}

// add indexes a rule set.
func (p *keyIndex) add(g *ruleset.Set) {
	for h, leg := range p.legs(g) {
		if p.groups.Add(h, g.Number, struct{}{}); p.contested[group(h)] {
			p.addHolders(h, leg, g.Number)
		}
	}
}

// remove removes a rule set whose rules are gone.
func (p *keyIndex) remove(g *ruleset.Set) {
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
