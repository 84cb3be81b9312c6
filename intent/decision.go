package intent

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
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

	shelf map[uint32][]byte // while loading: those that are no decisions of what their intents are now
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

// load restores a saved decision, in place of the one that was loaded before. One that does not match the content of its
// intent, as is known by now, is kept for another content, and dropped at the end: the path is recomputed.
func (d *decisions) load(n uint32, b []byte) error {
	e := d.entries.At(n)
	d.unload(n, e)
	e.flags |= saved
	taken, err := d.restore(n, e, b)
	if err == nil && !taken {
		if d.shelf == nil {
			d.shelf = make(map[uint32][]byte)
		}
		d.shelf[n] = bytes.Clone(b)
	}
	return err
}

// loadDelete undoes load: the journal has no decision any more.
func (d *decisions) loadDelete(n uint32) {
	e := d.entries.At(n)
	d.unload(n, e)
	e.flags &^= saved
}

// unload drops the decision of an intent that was loaded.
func (d *decisions) unload(n uint32, e *coreEntry) {
	delete(d.shelf, n)
	d.withdraw(n, e)
}

// withdraw takes the rule set from an entry whose decision was loaded.
func (d *decisions) withdraw(n uint32, e *coreEntry) {
	tags := d.compiler.tags
	if e.has(restorable) {
		tags.release(e.rules)
		e.rules, e.version = nil, 0
		d.entries.clearRestorable(e)
	}
	if tags.byHosts[n] {
		tags.forget(n)
		if e.content != "" {
			s := spec.Read(e.content)
			tags.contentIs(n, e, &s)
		}
	}
}

// shelve takes the rule set from an entry whose content is going to be another, and keeps the decision.
func (d *decisions) shelve(n uint32, e *coreEntry) {
	if e.has(restorable) {
		if d.shelf == nil {
			d.shelf = make(map[uint32][]byte)
		}
		d.shelf[n] = d.append(nil, e.rules)
	}
	d.withdraw(n, e)
}

// unshelve restores the decision of an intent that has another content, if it is one of it.
func (d *decisions) unshelve(n uint32) {
	if b, ok := d.shelf[n]; ok {
		if taken, err := d.restore(n, d.entries.At(n), b); taken && err == nil {
			delete(d.shelf, n)
		}
	}
}

// loaded ends the loading. Decisions of intents that are gone are to be withdrawn.
func (d *decisions) loaded() {
	for _, n := range slices.Sorted(maps.Keys(d.shelf)) {
		if e := d.entries.At(n); e.content == "" {
			d.mark(n, e)
		} else {
			d.unshelve(n)
		}
	}
	d.shelf = nil
}

// restore makes the rule set of a decision, if it is one of the content that the intent has.
func (d *decisions) restore(n uint32, e *coreEntry, b []byte) (taken bool, err error) {
	if len(b) < 3 || b[0] != decisionFormat && b[0] != taggedDecisionFormat {
		return false, errDecision
	}
	d.decoder.Reset(b[3:])
	var routes []*paths.Path
	for d.decoder.More() {
		routes = append(routes, d.decoder.Read(d.compiler.registry))
	}
	if d.decoder.Bad() || len(routes) == 0 ||
		slices.ContainsFunc(routes, (*paths.Path).Tagged) != (b[0] == taggedDecisionFormat) {
		return false, errDecision
	}
	if e.content == "" { // not loaded yet, or withdrawn since
		return false, nil
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
		return false, nil
	}
	e.version, e.rules = g.Version-1, g
	d.entries.setRestorable(e)
	return true, nil
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
