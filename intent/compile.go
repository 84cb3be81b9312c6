package intent

import (
	"fmt"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
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

// compile computes the rule set of an intent, with routes that leave some switches and links out; the
// version is not set.
func (c *Core) compile(n uint32, s *spec.Spec, without topology.Filter) (*ruleset.Set, problem) {
	var there, back *sharedPath
	var p problem
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
	if p.code != NoCode {
		return nil, p
	}
	g := c.ruleSet(n, s, there, back)
	if n := g.Len(); n > ruleset.RulesMax {
		return nil, problem{code: TooLarge, text: fmt.Sprintf("%d rules, at most %d", n, ruleset.RulesMax)}
	}
	return g, problem{}
}

// ruleSet builds the rule set of an intent along a path, and one back for kinds with both
// directions.
func (c *Core) ruleSet(n uint32, s *spec.Spec, there, back *sharedPath) *ruleset.Set {
	c.legs = c.legs[:0]
	var list [2][]byte // of most intents
	for _, m := range s.Matches(list[:0], false) {
		c.legs = append(c.legs, ruleset.Leg{Match: m, Route: &there.route})
	}
	if back != nil {
		for _, m := range s.Matches(list[:0], true) {
			c.legs = append(c.legs, ruleset.Leg{Match: m, Route: &back.route})
		}
	}
	return ruleset.New(plan.KindIntent, n, plan.BandIntent.Low+s.Priority, c.legs...)
}

// between returns a shortest path between two connect points.
func (c *Core) between(n uint32, from, to netview.Point, without topology.Filter) (*sharedPath, problem) {
	hops, p := c.hopsBetween(n, from, to, without)
	if p.code != NoCode {
		return nil, p
	}
	return c.paths.forHops(hops), problem{}
}

// hopsBetween returns the hops of a shortest path between two connect points, valid until the next
// call.
func (c *Core) hopsBetween(n uint32, from, to netview.Point, without topology.Filter) ([]topology.Hop, problem) {
	if p := c.unknown(from, to); p.code != NoCode {
		return nil, p
	}
	backoff := c.planner.restorer.Backoff(c.now)
	hops, ok := c.m.PathAround(from, to, uint64(n), without.And(backoff), c.path[:0])
	if !ok && !backoff.Empty() { // there is no path but over links that flap
		hops, ok = c.m.PathAround(from, to, uint64(n), without, c.path[:0])
	}
	if !ok {
		return nil, problem{code: NoPath, text: fmt.Sprintf("no path from %s to %s", from, to)}
	}
	c.path = hops
	return hops, problem{}
}

// unknown checks that two connect points exist.
func (c *Core) unknown(from, to netview.Point) problem {
	for _, at := range [...]netview.Point{from, to} {
		s, ok := c.snap.Switch(at.DPID)
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
func (c *Core) betweenHosts(n uint32, s *spec.Spec, without topology.Filter) (there, back *sharedPath, p problem) {
	var at [2]netview.Point
	for i, id := range [...]netview.HostID{s.Src[0].Host, s.Dst[0].Host} {
		h, ok := c.snap.Host(id)
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
func (c *Core) alongHops(s *spec.Spec, without topology.Filter) (*sharedPath, problem) {
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
		if !c.m.Up(key) || without.Has(key) {
			return nil, problem{code: LinkDown, text: fmt.Sprintf("no link from %s to %s is up", key.Src, key.Dst)}
		}
	}
	return c.paths.forHops(s.Hops), problem{}
}
