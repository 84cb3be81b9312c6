package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// If two rules of one priority overlap and differ, the switch chooses which one a packet of both
// takes (OpenFlow 1.3.5 section 5.3). So no two intents may have such rules at one in port, if a
// packet may match both: because both have the same ingress port, or because one does not fix the
// sender (as wide intents do not). Two that fix the sender and have different ingress ports share
// no packet, whatever their matches: ipv4_src of one host, and eth_src of another. Matches with the
// same fields and masks, as most have, either are equal (conflicts.go) or have no packet in common;
// so a search is needed only where matches of several shapes meet.

// shape is which bits a match looks at. Two matches of one shape are equal, or have no packet in
// common.
type shape struct {
	fields uint64 // by number
	masks  uint64 // hash of the fields with masks and of these; 0 without any
	source bool   // it fixes the sender; follows from the other two
}

const sourceFields = 1<<openflow.FieldEthSrc | 1<<openflow.FieldIPv4Src | 1<<openflow.FieldIPv6Src | 1<<openflow.FieldARPSPA

// shapeOf returns the shape of a canonical match.
func shapeOf(match []byte) (s shape) {
	for rest := match; len(rest) > 0; {
		n := 4 + int(rest[3])
		field := uint64(1) << (rest[2] >> 1 & 63)
		s.fields |= field
		if rest[2]&1 == 0 {
			s.source = s.source || field&sourceFields != 0
		} else {
			s.masks = mix(s.masks, uint64(rest[2]))
			for _, b := range rest[4+(n-4)/2 : n] {
				s.masks = mix(s.masks, uint64(b))
			}
		}
		rest = rest[n:]
	}
	return s
}

// addRules indexes a rule set whose rules may be in switches from now on.
func (c *Core) addRules(g *ruleset.Set) {
	for i := range g.Legs {
		path, k := c.paths.forRoute(g.Legs[i].Route), c.classes.intern(classOf(g, i))
		if !path.classes.add(k) {
			continue
		}
		c.classes.addPaths(k, 1)
		for _, h := range path.route.Hops {
			c.paths.inPorts.ofHop(h).classes.add(k)
		}
	}
}

// addRetiring indexes a rule set that is being removed, along with others of the intent.
func (c *Core) addRetiring(n uint32, g *ruleset.Set, others []retiring) {
	for r := range routes(g) {
		if !holdsRoute(others, r) {
			c.paths.retiring.add(hashOf(r), n)
		}
	}
}

// removeRules removes a rule set from the index when its rules are gone; others are the rule sets
// of the intent that are still being removed.
func (c *Core) removeRules(n uint32, g *ruleset.Set, others ...[]retiring) {
	for i := range g.Legs {
		path, k := c.paths.forRoute(g.Legs[i].Route), c.classes.find(classOf(g, i))
		if !path.classes.remove(k) {
			continue
		}
		for _, h := range path.route.Hops {
			c.paths.inPorts.ofHop(h).classes.remove(k)
		}
		c.classes.addPaths(k, -1)
	}
	for r := range routes(g) {
		if !slices.ContainsFunc(others, func(list []retiring) bool { return holdsRoute(list, r) }) {
			c.paths.retiring.Remove(hashOf(r), n)
		}
	}
}

func classOf(g *ruleset.Set, leg int) ruleClass {
	return ruleClass{g.Priority, shapeOf(g.Legs[leg].Match)}
}

func holdsRoute(list []retiring, r *ruleset.Route) bool {
	return slices.ContainsFunc(list, func(p retiring) bool { return usesRoute(p.rules, r) })
}

// eachHolder yields the intents with rules along a path, including retiring ones, until yield
// returns false: some twice, and possibly some that have none.
func (c *Core) eachHolder(path *sharedPath, yield func(uint32) bool) {
	for _, n := range path.users.list {
		if !yield(n) {
			return
		}
	}
	c.paths.retiring.Find(hashOf(&path.route), yield)
}

// holdsPath reports whether an intent has a desired or retiring rule set along a route.
func (c *Core) holdsPath(n uint32, r *ruleset.Route) bool {
	e := c.entries.at(n)
	return usesRoute(e.rules, r) && !e.has(restorable) || e.transition != nil && holdsRoute(e.transition.retiring, r)
}

// overlapping returns another intent with a rule of the same priority at one in port that may match
// the same packets as a rule set, and the port; 0 without one.
func (c *Core) overlapping(g *ruleset.Set) (who uint32, place netview.Point) {
	for i := range g.Legs {
		of, own := classOf(g, i), c.paths.forRoute(g.Legs[i].Route)
		if len(c.searched) > 0 {
			clear(c.searched)
		}
		for k, h := range own.route.Hops {
			at := c.paths.inPorts.ofHop(h)
			if !c.classes.othersMayOverlap(at.classes, of, own.ingress(k)) {
				continue
			}
			if who := c.overlappingAt(g, i, at); who != 0 {
				return who, at.point
			}
		}
	}
	return 0, netview.Point{}
}

// overlappingAt checks the paths through an in port that have not been checked for this leg.
func (c *Core) overlappingAt(g *ruleset.Set, leg int, at *inPort) (who uint32) {
	of, match, own := classOf(g, leg), g.Legs[leg].Match, c.paths.forRoute(g.Legs[leg].Route)
	for _, id := range at.paths {
		path := c.paths.list[id]
		if c.searched[id] || !c.classes.othersMayOverlap(path.classes, of, true) {
			continue
		}
		c.searched[id] = true
		c.searches++
		meet := !of.shape.source || meetAtIngress(own, path)
		c.eachHolder(path, func(n uint32) bool {
			if n != g.Number && c.overlaps(n, &path.route, g.Priority, match, meet) {
				who = n
			}
			return who == 0
		})
		if who != 0 {
			return who
		}
	}
	return 0
}

// meetAtIngress reports whether two paths have an ingress port in common.
func meetAtIngress(v, path *sharedPath) bool {
	for i, h := range v.route.Hops {
		if v.ingress(i) && enters(path, h.ID) {
			return true
		}
	}
	return false
}

func enters(path *sharedPath, spot uint32) bool {
	k := slices.IndexFunc(path.route.Hops, func(h *ruleset.Hop) bool { return h.ID == spot })
	return k >= 0 && path.ingress(k)
}

// overlaps reports whether an intent has a rule along a route, in a priority, whose match differs
// from a match and overlaps it. Unless the two meet at an ingress, only a match that does not fix
// the sender counts.
func (c *Core) overlaps(n uint32, r *ruleset.Route, priority uint16, match []byte, meet bool) bool {
	e := c.entries.at(n)
	if e.rules != nil && !e.has(restorable) && overlapsIn(e.rules, r, priority, match, meet) {
		return true
	}
	return e.transition != nil && slices.ContainsFunc(e.transition.retiring,
		func(p retiring) bool { return overlapsIn(p.rules, r, priority, match, meet) })
}

func overlapsIn(g *ruleset.Set, r *ruleset.Route, priority uint16, match []byte, meet bool) bool {
	return g.Priority == priority && slices.ContainsFunc(g.Legs, func(l ruleset.Leg) bool {
		return l.Route == r && string(l.Match) != string(match) && (meet || !shapeOf(l.Match).source) &&
			(openflow.Match{OXM: l.Match}).Overlaps(openflow.Match{OXM: match})
	})
}
