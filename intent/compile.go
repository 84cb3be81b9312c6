package intent

import (
	"fmt"

	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// problem is why an intent has no rule set. The zero problem is none.
type problem struct {
	code  Code
	text  string
	dpid  netview.DPID // of SwitchUnknown and PortUnknown
	other uint32       // of Conflicting: the other intent
}

// compiler computes rule sets: from a content, the network, and what is to be left out, and from nothing
// else. It changes no intent.
type compiler struct {
	step     *step
	network  *paths.Network
	registry *paths.Registry
	restorer *pathing.Restorer // the links that flap
	tags     *tags

	hops []topology.Hop // scratch: a path search
	legs []ruleset.Leg  // scratch: a rule set being built
}

// compile computes the rule set of an intent, with routes that leave some switches and links out; the
// version is not set.
func (c *compiler) compile(n uint32, s *spec.Spec, without topology.Filter) (*ruleset.Set, problem) {
	there, back, p := c.paths(n, s, without)
	if p.code == NoCode && c.tags.entries.At(n).has(wide) {
		there, p = c.onTags(n, s, there, without)
	}
	if p.code != NoCode {
		return nil, p
	}
	g := c.ruleSet(n, s, there, back)
	if n := g.Len(); n > ruleset.RulesMax {
		return nil, problem{code: TooLarge, text: fmt.Sprintf("%d rules, at most %d", n, ruleset.RulesMax)}
	}
	return g, problem{}
}

// fullLinks is how many links without a free id a path is looked for around.
const fullLinks = 16

// onTags returns the path of a wide intent: one that it is given, with tags, or another around links where there can be
// none. Why the first cannot be is why there is none.
func (c *compiler) onTags(n uint32, s *spec.Spec, path *paths.Path, without topology.Filter) (*paths.Path, problem) {
	var why problem
	for range fullLinks {
		tagged, obstacle, p := c.tags.with(n, s, path)
		if p.code == NoCode {
			return tagged, p
		}
		if why.code == NoCode {
			why = p
		}
		if obstacle.Empty() {
			break
		}
		without = without.And(obstacle)
		if path, _, p = c.paths(n, s, without); p.code != NoCode {
			break
		}
	}
	return nil, why
}

// paths returns the path of an intent, without tags, and one back for kinds with both directions.
func (c *compiler) paths(n uint32, s *spec.Spec, without topology.Filter) (there, back *paths.Path, p problem) {
	switch s.Kind {
	case spec.HostToHost:
		there, back, p = c.betweenHosts(n, s, without)
	case spec.PointToPoint:
		there, p = c.between(n, s.Src[0].Point, s.Dst[0].Point, without)
	case spec.MultipointToPoint:
		there, p = c.inTree(n, s, without)
	case spec.PointToMultipoint:
		there, p = c.outTree(n, s, without)
	case spec.Path:
		there, p = c.alongHops(s, without)
	}
	return there, back, p
}

// ruleSet builds the rule set of an intent along a path, and one back for kinds with both
// directions.
func (c *compiler) ruleSet(n uint32, s *spec.Spec, there, back *paths.Path) *ruleset.Set {
	c.legs = c.legs[:0]
	var list [2][]byte // of most intents
	for _, m := range s.Matches(list[:0], false) {
		c.legs = append(c.legs, ruleset.Leg{Match: m, Route: there.Route()})
	}
	if back != nil {
		for _, m := range s.Matches(list[:0], true) {
			c.legs = append(c.legs, ruleset.Leg{Match: m, Route: back.Route()})
		}
	}
	return ruleset.New(plan.KindIntent, n, plan.BandIntent.Low+s.Priority, c.legs...)
}

// between returns a shortest path between two connect points.
func (c *compiler) between(n uint32, from, to netview.Point, without topology.Filter) (*paths.Path, problem) {
	hops, p := c.hopsBetween(n, from, to, without)
	if p.code != NoCode {
		return nil, p
	}
	return c.registry.Along(hops), problem{}
}

// hopsBetween returns the hops of a shortest path between two connect points, valid until the next
// call.
func (c *compiler) hopsBetween(n uint32, from, to netview.Point, without topology.Filter) ([]topology.Hop, problem) {
	if p := c.unknown(from, to); p.code != NoCode {
		return nil, p
	}
	backoff := c.restorer.Backoff(c.step.now)
	hops, ok := c.network.Map.PathAround(from, to, uint64(n), without.And(backoff), c.hops[:0])
	if !ok && !backoff.Empty() { // there is no path but over links that flap
		hops, ok = c.network.Map.PathAround(from, to, uint64(n), without, c.hops[:0])
	}
	if !ok {
		return nil, problem{code: NoPath, text: fmt.Sprintf("no path from %s to %s", from, to)}
	}
	c.hops = hops
	return hops, problem{}
}

// unknown checks that two connect points exist.
func (c *compiler) unknown(from, to netview.Point) problem {
	for _, at := range [...]netview.Point{from, to} {
		s, ok := c.network.Snap.Switch(at.DPID)
		if !ok {
			return problem{code: SwitchUnknown, text: fmt.Sprintf("switch %s is not known", at.DPID), dpid: at.DPID}
		}
		if _, ok := s.Port(at.Port); !ok {
			return problem{code: PortUnknown, text: fmt.Sprintf("switch %s has no port %d", at.DPID, at.Port), dpid: at.DPID}
		}
	}
	return problem{}
}

// betweenHosts returns the paths between two hosts, one for each direction.
func (c *compiler) betweenHosts(n uint32, s *spec.Spec, without topology.Filter) (there, back *paths.Path, p problem) {
	var at [2]netview.Point
	for i, id := range [...]netview.HostID{s.Src[0].Host, s.Dst[0].Host} {
		h, ok := c.network.Snap.Host(id)
		if !ok {
			return nil, nil, problem{code: HostUnknown, text: fmt.Sprintf("host %s has not been seen", id)}
		}
		at[i] = h.At
	}
	if there, p = c.between(n, at[0], at[1], without); p.code == NoCode {
		back, p = c.between(n, at[1], at[0], without)
	}
	return there, back, p
}

// alongHops returns an explicit path, if all its links are up.
func (c *compiler) alongHops(s *spec.Spec, without topology.Filter) (*paths.Path, problem) {
	first, last := s.Hops[0], s.Hops[len(s.Hops)-1]
	p := c.unknown(netview.Point{DPID: first.DPID, Port: first.In}, netview.Point{DPID: last.DPID, Port: last.Out})
	if p.code != NoCode {
		return nil, p
	}
	for i := 0; i+1 < len(s.Hops); i++ {
		key := netview.LinkKey{
			Src: netview.Point{DPID: s.Hops[i].DPID, Port: s.Hops[i].Out},
			Dst: netview.Point{DPID: s.Hops[i+1].DPID, Port: s.Hops[i+1].In},
		}
		if !c.network.Map.Up(key) || without.Has(key) {
			return nil, problem{code: LinkDown, text: fmt.Sprintf("no link from %s to %s is up", key.Src, key.Dst)}
		}
	}
	return c.registry.Along(s.Hops), problem{}
}

// inTree computes a tree from several connect points to one.
func (c *compiler) inTree(n uint32, s *spec.Spec, without topology.Filter) (*paths.Path, problem) {
	var t paths.InTree
	for i := range s.Src {
		branch, p := c.hopsBetween(n, s.Src[i].Point, s.Dst[0].Point, without)
		if p.code != NoCode {
			return nil, p
		}
		t.Join(branch)
	}
	return c.registry.Tree(t.Hops()), problem{}
}

// outTree computes a tree from one connect point to several.
func (c *compiler) outTree(n uint32, s *spec.Spec, without topology.Filter) (*paths.Path, problem) {
	var t paths.OutTree
	for i := range s.Dst {
		branch, p := c.hopsBetween(n, s.Src[0].Point, s.Dst[i].Point, without)
		if p.code != NoCode {
			return nil, p
		}
		t.Join(branch)
	}
	return c.registry.Tree(t.Hops()), problem{}
}

// along returns a rule set with the same legs as another, along one path.
func (c *compiler) along(g *ruleset.Set, path *paths.Path) *ruleset.Set {
	c.legs = append(c.legs[:0], g.Legs...)
	for i := range c.legs {
		c.legs[i].Route = path.Route()
	}
	return ruleset.New(g.Kind, g.Number, g.Priority, c.legs...)
}
