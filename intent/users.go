package intent

import (
	"iter"
	"slices"

	"github.com/weirnet/weir/ruleset"
)

// userList is a list of intent numbers. Removal from a long list is lazy: it may contain stale
// numbers, and some twice, so callers that range over it check each.
type userList struct {
	list  []uint32
	stale int // removed numbers that are still in the list
}

// maxSearched is the length up to which removal searches the list.
const maxSearched = 32

func (u *userList) add(n uint32) { u.list = append(u.list, n) }

// count returns the number of users.
func (u *userList) count() int { return len(u.list) - u.stale }

// remove removes a number; there reports of each whether it is still a user.
func (u *userList) remove(n uint32, there func(uint32) bool) {
	if len(u.list) <= maxSearched {
		if i := slices.Index(u.list, n); i >= 0 {
			last := len(u.list) - 1
			u.list[i] = u.list[last]
			u.list = u.list[:last]
		}
		return
	}
	if u.stale++; 2*u.stale > len(u.list) {
		slices.Sort(u.list)
		u.list = slices.DeleteFunc(slices.Compact(u.list), func(n uint32) bool { return !there(n) })
		u.list = slices.Clip(u.list)
		u.stale = 0
	}
}

// inOrder sorts numbers, and drops those that are there twice.
func inOrder(list []uint32) []uint32 {
	slices.Sort(list)
	return slices.Compact(list)
}

// addPathUsers registers an intent with the paths of its rule set.
func (c *Core) addPathUsers(n uint32, g *ruleset.Set) {
	for r := range routes(g) {
		path := c.paths.forRoute(r)
		c.paths.addUser(path, n)
		if path.evaluatedOn != c.m {
			c.paths.evaluate(path, c.m, c.settled)
		}
	}
}

// removePathUsers undoes addPathUsers.
func (c *Core) removePathUsers(n uint32, e *coreEntry) {
	for r := range routes(e.rules) {
		c.paths.removeUser(c.paths.forRoute(r), n,
			func(u uint32) bool { return u != n && usesRoute(c.entries.at(u).rules, r) })
	}
}

// usesRoute reports whether a rule set has a leg along a route.
func usesRoute(g *ruleset.Set, r *ruleset.Route) bool {
	return g != nil && slices.ContainsFunc(g.Legs, func(l ruleset.Leg) bool { return l.Route == r })
}

// routes yields the routes of a rule set: the legs of one route follow each other.
func routes(g *ruleset.Set) iter.Seq[*ruleset.Route] {
	return func(yield func(*ruleset.Route) bool) {
		for i := range g.Legs {
			if r := g.Legs[i].Route; (i == 0 || r != g.Legs[i-1].Route) && !yield(r) {
				return
			}
		}
	}
}
