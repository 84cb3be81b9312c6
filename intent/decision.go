package intent

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/ruleset"
)

// Encoding of a decision in the journal: format (1), version (2), then each route that differs from
// the route of the previous leg, in the durable form of package paths. Format 2 is of one with tags, which the routes
// have.
const (
	decisionFormat       = 1
	taggedDecisionFormat = 2
)

var errDecision = errors.New("intent: a decision that cannot be read")

// decisions are the paths that were chosen, as the journal has them. An entry is in dirty, once, from the
// moment on at which the journal has another rule set of it.
type decisions struct {
	entries  *entries
	compiler *compiler
	dirty    []uint32
	decoder  paths.Decoder
}

func (d *decisions) append(b []byte, g *ruleset.Set) []byte {
	format := byte(decisionFormat)
	if g.Tagged() {
		format = taggedDecisionFormat
	}
	b = binary.BigEndian.AppendUint16(append(b, format), g.Version)
	for r := range g.Routes() {
		b = d.compiler.registry.Of(r).Append(b)
	}
	return b
}

// load restores a saved decision of a loaded intent. A decision that does not match its
// content is dropped: the path is recomputed.
func (d *decisions) load(n uint32, b []byte) error {
	e := d.entries.At(n)
	e.flags |= saved
	if e.content == "" { // withdrawn since
		d.mark(n, e)
		return nil
	}
	if len(b) < 3 || b[0] != decisionFormat && b[0] != taggedDecisionFormat {
		return errDecision
	}
	d.decoder.Reset(b[3:])
	var routes []*paths.Path
	for d.decoder.More() {
		routes = append(routes, d.decoder.Read(d.compiler.registry))
	}
	if d.decoder.Bad() || len(routes) == 0 ||
		slices.ContainsFunc(routes, (*paths.Path).Tagged) != (b[0] == taggedDecisionFormat) {
		return errDecision
	}
	sp := spec.Read(e.content)
	var back *paths.Path
	if sp.Kind.BothWays() && len(routes) == 2 {
		back = routes[1]
	}
	g := d.compiler.ruleSet(n, &sp, routes[0], back)
	g.Version = binary.BigEndian.Uint16(b[1:])
	d.compiler.tags.loaded(n, e, &sp, g)
	if !matchesContent(&sp, g, routes) || !d.compiler.tags.hold(g) {
		return nil
	}
	e.version, e.rules = g.Version-1, g
	d.entries.setRestorable(e)
	return nil
}

// matchesContent reports whether a decision is one of this content, which may have been replaced
// since.
func matchesContent(s *spec.Spec, g *ruleset.Set, routes []*paths.Path) bool {
	if how, _ := s.Sender(); how == spec.Fixed && g.Tagged() {
		return false
	}
	if s.Kind.BothWays() {
		return len(routes) == 2 && !routes[0].IsTree() && !routes[1].IsTree()
	}
	if len(routes) != 1 {
		return false
	}
	path := routes[0]
	for _, at := range s.Ingress(nil) {
		if !slices.ContainsFunc(path.Route().Hops, func(h *ruleset.Hop) bool { return h.DPID == at.DPID && h.In == at.Port }) {
			return false
		}
	}
	for _, at := range s.Egress(nil) {
		if !slices.ContainsFunc(path.Route().Hops,
			func(h *ruleset.Hop) bool { return h.DPID == at.DPID && slices.Contains(h.Out(), at.Port) }) {
			return false
		}
	}
	if s.Kind == spec.Path {
		return path.Follows(s.Hops)
	}
	tree := s.Kind == spec.MultipointToPoint || s.Kind == spec.PointToMultipoint
	return tree == path.IsTree()
}
