package conflict

import (
	"fmt"
	"slices"
)

// Check compares what is counted with the rule sets of all intents of numbers below end.
func (x *Index) Check(end uint32) error {
	legs, byPath, byPort, paths := 0, map[uint32]classCounts{}, map[uint32]classCounts{}, map[ruleClass]int{}
	for n := range end {
		for g := range x.sets(n) {
			legs += len(g.Legs)
			for i := range g.Legs {
				route, k := g.Legs[i].Route, x.classes.find(classOf(g, i))
				if !count(byPath, route.ID, k) {
					continue
				}
				paths[classOf(g, i)]++
				for _, h := range matching(route) {
					count(byPort, h.ID, k)
				}
			}
		}
	}
	if legs != x.keys.groups.Len() {
		return fmt.Errorf("%d legs are known, there are %d", x.keys.groups.Len(), legs)
	}
	if len(x.classes.byClass) != len(paths) {
		return fmt.Errorf("%d classes of rules, there are %d", len(x.classes.byClass), len(paths))
	}
	for of, number := range x.classes.byClass {
		if c := x.classes.at(number); c.ruleClass != of || c.paths != paths[of] {
			return fmt.Errorf("class %v: %v, there are %d paths", of, *c, paths[of])
		}
	}
	for id := range x.byPath.End() {
		if have := *x.byPath.At(id); !have.same(byPath[id]) {
			return fmt.Errorf("path number %d: %v, there are %v", id, have, byPath[id])
		}
	}
	for id := range x.byPort.End() {
		if have := *x.byPort.At(id); !have.same(byPort[id]) {
			return fmt.Errorf("port number %d: %v, there are %v", id, have, byPort[id])
		}
	}
	return nil
}

// count counts one of a class, and reports whether it is the first.
func count(by map[uint32]classCounts, id, class uint32) bool {
	list := by[id]
	first := list.add(class)
	by[id] = list
	return first
}

// same reports whether two counts are the same, in any order.
func (t classCounts) same(other classCounts) bool {
	return len(t) == len(other) && !slices.ContainsFunc(t, func(k classCount) bool { return !slices.Contains(other, k) })
}
