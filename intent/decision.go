package intent

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/program"
	"github.com/weirnet/weir/topology"
)

// A decision in the journal: format (1), version (2), then each route that is not that of the leg before it. Numbers are unsigned varints. A route is
// its number of hops, each the datapath id, the port in, the number of ports out and these; then 0 for a path, or 1, the number of joins and for
// each the two hops and the port out.
const decisionFormat = 1

var errDecision = errors.New("intent: a decision that cannot be read")

func (c *Core) appendDecision(b []byte, g *program.Program) []byte {
	b = binary.BigEndian.AppendUint16(append(b, decisionFormat), g.Version)
	for i := range g.Legs {
		if i > 0 && g.Legs[i].Route == g.Legs[i-1].Route {
			continue
		}
		w := c.routes.of(g.Legs[i].Route)
		b = binary.AppendUvarint(b, uint64(len(w.route.Hops)))
		for k := range w.route.Hops {
			h := w.route.Hops[k]
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(h.DPID)), uint64(h.In))
			b = binary.AppendUvarint(b, uint64(len(h.Out)))
			for _, port := range h.Out {
				b = binary.AppendUvarint(b, uint64(port))
			}
		}
		if w.joins == nil {
			b = append(b, 0)
			continue
		}
		b = binary.AppendUvarint(append(b, 1), uint64(len(w.joins)))
		for _, j := range w.joins {
			b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, uint64(j.from)), uint64(j.to)), uint64(j.out))
		}
	}
	return b
}

// scan reads numbers.
type scan struct {
	rest []byte
	bad  bool
}

func (s *scan) next(most uint64) uint64 {
	v, n := binary.Uvarint(s.rest)
	if n <= 0 || v > most {
		s.rest, s.bad = nil, true
		return 0
	}
	s.rest = s.rest[n:]
	return v
}

// readRoute reads a route. Most are paths: these need no memory but the way's own.
func (c *Core) readRoute(s *scan) *way {
	begin := *s
	if hops, ok := c.readPath(s); ok {
		return c.routes.ofPath(hops)
	}
	*s = begin
	return c.readTree(s)
}

// readPath reads a route that is a path; false if it is none.
func (c *Core) readPath(s *scan) ([]topology.Hop, bool) {
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

func (c *Core) readTree(s *scan) *way {
	hops := make([]*program.Hop, 0, 8)
	for n := s.next(1 << 16); n > 0 && !s.bad; n-- {
		h := &program.Hop{DPID: netview.DPID(s.next(1<<64 - 1)), In: uint32(s.next(1<<32 - 1))}
		for k := s.next(1 << 16); k > 0 && !s.bad; k-- {
			h.Out = append(h.Out, uint32(s.next(1<<32-1)))
		}
		hops = append(hops, h)
	}
	tree := s.next(1) == 1
	joins, last := []join{}, uint64(max(len(hops), 1)-1)
	for n := s.next(1 << 20); n > 0 && !s.bad; n-- {
		joins = append(joins, join{int32(s.next(last)), int32(s.next(last)), uint32(s.next(1<<32 - 1))})
	}
	if s.bad || !tree || len(hops) == 0 {
		s.bad = true
		return nil
	}
	return c.routes.ofTree(hops, joins)
}

// decided takes a decision of an earlier life, for an intent that was loaded. What does not fit its content is left out: the path is computed anew.
func (c *Core) decided(n uint32, b []byte) error {
	e := c.entries.at(n)
	e.marks |= saved
	if e.content == "" { // withdrawn since
		c.mark(n, e)
		return nil
	}
	if len(b) < 3 || b[0] != decisionFormat {
		return errDecision
	}
	s := scan{rest: b[3:]}
	var ways []*way
	for len(s.rest) > 0 && !s.bad {
		ways = append(ways, c.readRoute(&s))
	}
	if s.bad || len(ways) == 0 {
		return errDecision
	}
	sp := parsed(e.content)
	var back *way
	if sp.Kind.BothWays() && len(ways) == 2 {
		back = ways[1]
	}
	g := c.programOf(n, &sp, ways[0], back)
	g.Version = binary.BigEndian.Uint16(b[1:])
	if !fits(&sp, g, ways) {
		return nil
	}
	e.version, e.program = g.Version-1, g
	if !e.has(adopted) {
		e.marks |= adopted
		c.adopting++
	}
	return nil
}

// fits tells whether a decision is one of this content, which may have been replaced after it.
func fits(s *spec.Spec, g *program.Program, ways []*way) bool {
	if s.Kind.BothWays() {
		return len(ways) == 2 && ways[0].joins == nil && ways[1].joins == nil
	}
	if len(ways) != 1 {
		return false
	}
	w := ways[0]
	for _, at := range s.Ingress(nil) {
		if !slices.ContainsFunc(w.route.Hops, func(h *program.Hop) bool { return h.DPID == at.DPID && h.In == at.Port }) {
			return false
		}
	}
	for _, at := range s.Egress(nil) {
		if !slices.ContainsFunc(w.route.Hops, func(h *program.Hop) bool { return h.DPID == at.DPID && slices.Contains(h.Out, at.Port) }) {
			return false
		}
	}
	if s.Kind == spec.Path {
		return samePath(w.route.Hops, s.Hops)
	}
	tree := s.Kind == spec.MultipointToPoint || s.Kind == spec.PointToMultipoint
	return tree == (w.joins != nil)
}

// revive orders what an earlier life decided, where its links are up or nobody knows.
func (c *Core) revive(n uint32, e *entry) {
	g := e.program
	e.program = nil
	e.marks &^= adopted
	c.adopting--
	for i := range g.Legs {
		if w := c.routes.of(g.Legs[i].Route); i == 0 || g.Legs[i].Route != g.Legs[i-1].Route {
			w.judge(c.m, c.settled)
			if w.down {
				c.decide(n, asked)
				return
			}
		}
	}
	e.program = g
	elsewhere := c.moved(e)
	e.program = nil
	if elsewhere || c.obstacle(n, g).code != NoCode {
		c.decide(n, asked)
		return
	}
	c.begin(n, g, revived, nil)
}
