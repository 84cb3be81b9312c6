package intent

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// Encoding of a decision in the journal: format (1), version (2), then each route that differs from
// the route of the previous leg. Numbers are unsigned varints. A route is its number of hops, each
// the datapath id, the in port, the number of out ports and these; then 0 for a path, or 1, the
// number of edges and for each the two hops and the out port.
const decisionFormat = 1

var errDecision = errors.New("intent: a decision that cannot be read")

func (c *Core) appendDecision(b []byte, g *ruleset.Set) []byte {
	b = binary.BigEndian.AppendUint16(append(b, decisionFormat), g.Version)
	for r := range routes(g) {
		path := c.paths.forRoute(r)
		b = binary.AppendUvarint(b, uint64(len(path.route.Hops)))
		for k := range path.route.Hops {
			h := path.route.Hops[k]
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(h.DPID)), uint64(h.In))
			b = binary.AppendUvarint(b, uint64(len(h.Out)))
			for _, port := range h.Out {
				b = binary.AppendUvarint(b, uint64(port))
			}
		}
		if path.treeEdges == nil {
			b = append(b, 0)
			continue
		}
		b = binary.AppendUvarint(append(b, 1), uint64(len(path.edges())))
		for _, j := range path.edges() {
			b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, uint64(j.from)), uint64(j.to)), uint64(j.out))
		}
	}
	return b
}

// varints reads unsigned varints.
type varints struct {
	rest []byte
	bad  bool
}

func (s *varints) next(most uint64) uint64 {
	v, n := binary.Uvarint(s.rest)
	if n <= 0 || v > most {
		s.rest, s.bad = nil, true
		return 0
	}
	s.rest = s.rest[n:]
	return v
}

// readRoute reads a route. Most are paths, which are read without allocating if the path is known.
func (c *Core) readRoute(s *varints) *sharedPath {
	begin := *s
	if hops, ok := c.readPath(s); ok {
		return c.paths.forHops(hops)
	}
	*s = begin
	return c.readTree(s)
}

// readPath reads a route that is a path; false if it is a tree.
func (c *Core) readPath(s *varints) ([]topology.Hop, bool) {
	c.path = c.path[:0]
	for n := s.next(1 << 16); n > 0 && !s.bad; n-- {
		h := topology.Hop{DPID: netview.DPID(s.next(1<<64 - 1)), In: uint32(s.next(1<<32 - 1))}
		if s.next(1<<16) != 1 {
			return nil, false
		}
		h.Out = uint32(s.next(1<<32 - 1))
		c.path = append(c.path, h)
	}
	return c.path, s.next(1) == 0 && !s.bad && len(c.path) > 0
}

func (c *Core) readTree(s *varints) *sharedPath {
	hops := make([]*ruleset.Hop, 0, 8)
	for n := s.next(1 << 16); n > 0 && !s.bad; n-- {
		h := &ruleset.Hop{DPID: netview.DPID(s.next(1<<64 - 1)), In: uint32(s.next(1<<32 - 1))}
		for k := s.next(1 << 16); k > 0 && !s.bad; k-- {
			h.Out = append(h.Out, uint32(s.next(1<<32-1)))
		}
		hops = append(hops, h)
	}
	tree := s.next(1) == 1
	joins, last := []edge{}, uint64(max(len(hops), 1)-1)
	for n := s.next(1 << 20); n > 0 && !s.bad; n-- {
		joins = append(joins, edge{int32(s.next(last)), int32(s.next(last)), uint32(s.next(1<<32 - 1))})
	}
	if s.bad || !tree || len(hops) == 0 {
		s.bad = true
		return nil
	}
	return c.paths.forTree(hops, joins)
}

// loadDecision restores a saved decision of a loaded intent. A decision that does not match its
// content is dropped: the path is recomputed.
func (c *Core) loadDecision(n uint32, b []byte) error {
	e := c.entries.at(n)
	e.flags |= saved
	if e.content == "" { // withdrawn since
		c.markUnsaved(n, e)
		return nil
	}
	if len(b) < 3 || b[0] != decisionFormat {
		return errDecision
	}
	s := varints{rest: b[3:]}
	var ways []*sharedPath
	for len(s.rest) > 0 && !s.bad {
		ways = append(ways, c.readRoute(&s))
	}
	if s.bad || len(ways) == 0 {
		return errDecision
	}
	sp := spec.Read(e.content)
	var back *sharedPath
	if sp.Kind.BothWays() && len(ways) == 2 {
		back = ways[1]
	}
	g := c.ruleSet(n, &sp, ways[0], back)
	g.Version = binary.BigEndian.Uint16(b[1:])
	if !matchesContent(&sp, g, ways) {
		return nil
	}
	e.version, e.rules = g.Version-1, g
	if !e.has(restorable) {
		e.flags |= restorable
		c.restoring++
	}
	return nil
}

// matchesContent reports whether a decision is one of this content, which may have been replaced
// since.
func matchesContent(s *spec.Spec, g *ruleset.Set, ways []*sharedPath) bool {
	if s.Kind.BothWays() {
		return len(ways) == 2 && ways[0].treeEdges == nil && ways[1].treeEdges == nil
	}
	if len(ways) != 1 {
		return false
	}
	path := ways[0]
	for _, at := range s.Ingress(nil) {
		if !slices.ContainsFunc(path.route.Hops, func(h *ruleset.Hop) bool { return h.DPID == at.DPID && h.In == at.Port }) {
			return false
		}
	}
	for _, at := range s.Egress(nil) {
		if !slices.ContainsFunc(path.route.Hops,
			func(h *ruleset.Hop) bool { return h.DPID == at.DPID && slices.Contains(h.Out, at.Port) }) {
			return false
		}
	}
	if s.Kind == spec.Path {
		return samePath(path.route.Hops, s.Hops)
	}
	tree := s.Kind == spec.MultipointToPoint || s.Kind == spec.PointToMultipoint
	return tree == (path.treeEdges != nil)
}

// restore orders the saved rule set of an intent if its links are up or unknown.
func (c *Core) restore(n uint32, e *coreEntry) {
	g := e.rules
	e.rules = nil
	e.flags &^= restorable
	c.restoring--
	for r := range routes(g) {
		path := c.paths.forRoute(r)
		if c.paths.evaluate(path, c.m, c.settled); path.down {
			c.decide(n, byRequest)
			return
		}
	}
	e.rules = g
	elsewhere := c.hostMoved(e)
	e.rules = nil
	if elsewhere || c.obstacle(n, g).code != NoCode {
		c.decide(n, byRequest)
		return
	}
	c.startTransition(n, g, strategy{mode: restore}, nil)
}
