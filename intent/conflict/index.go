package conflict

import (
	"hash/maphash"
	"iter"

	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/numbered"
	"github.com/weirnet/weir/ruleset"
)

// Sets yields the rule sets of an intent that may have rules in switches: the desired one and those that
// are being removed.
type Sets func(number uint32) iter.Seq[*ruleset.Set]

// Index has the rules that may be in switches.
type Index struct {
	registry *paths.Registry
	sets     Sets
	keys     *keyIndex
	classes  ruleClasses
	byPath   numbered.Table[classCounts] // by path, of rules along it
	byPort   numbered.Table[classCounts] // by in port, of paths whose rules match there

	searched map[uint32]bool // paths, in one search for overlaps
	searches int             // paths searched so far
}

// NewIndex returns an empty index of rules along the paths of a registry.
func NewIndex(seed maphash.Seed, r *paths.Registry, sets Sets) *Index {
	return &Index{registry: r, sets: sets, keys: newKeyIndex(seed), classes: newRuleClasses(), searched: make(map[uint32]bool)}
}

// Searches returns how many paths were searched for overlaps so far.
func (x *Index) Searches() int { return x.searches }

// Add indexes a rule set whose rules may be in switches from now on.
func (x *Index) Add(g *ruleset.Set) {
	x.keys.add(g)
	for i := range g.Legs {
		route, k := g.Legs[i].Route, x.classes.intern(classOf(g, i))
		if !x.byPath.At(route.ID).add(k) {
			continue
		}
		x.classes.addPaths(k, 1)
		for _, h := range matching(route) {
			x.byPort.At(h.ID).add(k)
		}
	}
}

// Remove removes a rule set whose rules are gone.
func (x *Index) Remove(g *ruleset.Set) {
	x.keys.remove(g)
	for i := range g.Legs {
		route, k := g.Legs[i].Route, x.classes.find(classOf(g, i))
		if !x.byPath.At(route.ID).remove(k) {
			continue
		}
		for _, h := range matching(route) {
			x.byPort.At(h.ID).remove(k)
		}
		x.classes.addPaths(k, -1)
	}
}

// Conflict is an intent that is in the way of a rule set. The zero Conflict is none.
type Conflict struct {
	Number  uint32
	Overlap bool          // the matches overlap and differ; else they are the same, in the same place
	At      netview.Point // of Overlap: where packets of both pass
}

// With returns an intent that is in the way of a rule set of another.
func (x *Index) With(g *ruleset.Set) Conflict {
	x.keys.track(g, x.sets)
	if n := x.keys.conflicting(g); n != 0 {
		return Conflict{Number: n}
	}
	if n, at := x.overlapping(g); n != 0 {
		return Conflict{Number: n, Overlap: true, At: at}
	}
	return Conflict{}
}
