package vswitch

import (
	"maps"
	"slices"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
)

// Bounds where tenants share a table with Weir's own rules. Above them the tenant's table is full.
const (
	PartsMax = 4096    // rules of one entry
	RulesMax = 1 << 16 // rules of a virtual switch
)

// single is a virtual switch in a physical one with one table.
type single struct {
	layout layout
	labels labels
	rules  int // ordered, or to be
}

// settleIn finds the places of entries in a space. It returns the priorities that have none.
func (x *single) settleIn(space *tenant.Space) (lost []uint16) {
	was := x.layout
	x.layout = layoutOf(space)
	if x.layout.size == was.size {
		return nil
	}
	return x.labels.resize(x.layout.labels())
}

// placesOf returns where the rules of an entry stand: one for each region of the space that it meets and, if it names no
// port and the tenant does not have all, for each of the tenant's ports.
func (s *physical) placesOf(m *openflow.Match, label int) (list []rule) {
	regions := s.cfg.Space.Regions()
	if s.cfg.Space.Whole() {
		regions = []tenant.Region{{}}
	}
	in, rest := ruleset.CutInPort(m.OXM)
	ports := []uint32{in}
	switch _, own := s.ports[in]; {
	case s.cfg.Space.All(s.cfg.DPID):
	case in == ruleset.AnyPort:
		if _, named := m.Uint(openflow.FieldInPort); named { // port 0, which there is none
			return nil
		}
		ports = slices.Sorted(maps.Keys(s.ports))
	case !own:
		return nil
	}
	seen := make(map[string]bool)
	for i := range regions {
		r := &regions[i]
		both, some := intersect(openflow.Match{OXM: rest}, r.Match)
		if !some {
			continue
		}
		priority := s.single.layout.block(r.Priority) + uint16(label)
		for _, port := range ports {
			x := rule{table: plan.TableSingle, priority: priority, in: port, match: both.OXM}
			if place := x.place(); !seen[place] {
				x.at = place
				seen[place] = true
				list = append(list, x)
			}
		}
	}
	return list
}

// intersect returns the match of the packets that two matches have in common; false if there are none.
func intersect(a, b openflow.Match) (openflow.Match, bool) {
	if !a.Overlaps(b) {
		return a, false
	}
	m := a.Clone()
	for f := range openflow.FieldIPv6ExtHdr + 1 {
		value, mask, has := b.Lookup(f)
		if !has {
			continue
		}
		if v, k, both := m.Lookup(f); both {
			value, mask = joined(value, mask, v, k)
		}
		m.Set(f, value, mask)
	}
	return m.Canonical(), true
}

// joined returns the bits that two values and masks of a field ask for. Without a mask it is all.
func joined(v, mask, w, also []byte) (value, both []byte) {
	value, both = make([]byte, len(v)), make([]byte, len(v))
	for i := range v {
		k, n := byte(0xff), byte(0xff)
		if mask != nil {
			k = mask[i]
		}
		if also != nil {
			n = also[i]
		}
		value[i], both[i] = v[i]&k|w[i]&n, k|n
	}
	return value, both
}

// singleRules is rulesOf where there is one table.
func (s *physical) singleRules(t *entryCopy) (list []rule) {
	label := blockMiss
	if !t.shows && s.micro.reactive {
		return nil
	}
	if !t.shows {
		label = blockLabels + s.single.labels.at(t.priority)
	}
	for _, v := range s.variants(t.v10, t.match, t.instructions) {
		places := s.placesOf(&v.match, label)
		for i := range places {
			places[i].do = s.behaviour(places[i].in, v.do)
		}
		list = append(list, places...)
	}
	return list
}

// oneTable refuses what one table cannot have, or has no room for.
func (s checks) oneTable(v openflow.Version, m *openflow.FlowMod) error {
	if s.micro.reactive {
		return nil
	}
	err := s.oneTableOf(v, m)
	if s.cfg.Reactive && !s.replaying && (err != nil || pipelines(m)) {
		microFlows{s.physical}.turnReactive()
		return nil
	}
	return err
}

func (s checks) oneTableOf(v openflow.Version, m *openflow.FlowMod) error {
	if _, _, has := metadataOf(&m.Match); has {
		return &flowtable.Error{Code: openflow.BadMatchBadField, Reason: "metadata: there is one table"}
	}
	for i := range m.Instructions {
		if m.Instructions[i].Type == openflow.InstructionWriteMetadata {
			return &flowtable.Error{Code: openflow.BadInstructionUnsupInst, Reason: "metadata: there is one table"}
		}
	}
	priority := m.Priority
	if v == openflow.V10 && m.Match.Exact10() {
		priority = 0xffff
	}
	adds := m.Command == openflow.FlowAdd || v == openflow.V10
	switch n := s.countOf(v == openflow.V10, m.Match.Canonical(), m.Instructions); {
	case !adds:
	case !s.single.labels.room(priority):
		return tableFull("entries have all the priorities that there are")
	case n > PartsMax || s.single.rules+n > RulesMax:
		return tableFull("the entry takes too many rules: a rule for each region that it meets, and port")
	}
	return nil
}

func tableFull(reason string) *flowtable.Error {
	return &flowtable.Error{Code: openflow.FlowModFailedTableFull, Reason: reason}
}

// countOf is how many rules an entry takes.
func (s *physical) countOf(v10 bool, m openflow.Match, list []openflow.Instruction) (n int) {
	for _, v := range s.variants(v10, m, list) {
		n += len(s.placesOf(&v.match, 0))
	}
	return n
}

// ClassifySingle returns the rules that tell a tenant's packets from others' at a switch with one table: whatever is in its
// space and that no rule of its entries takes is dropped, and so does not come to rules below.
func ClassifySingle(d *tenant.Definition, space *tenant.Space, dpid netview.DPID) (sets []*ruleset.Set) {
	l := layoutOf(space)
	add := func(region uint16, match []byte, in uint32) {
		set := ruleset.New(plan.KindTenant, plan.TenantOwner(d.Number, 0), l.block(region)+blockDrop, ruleset.Leg{Match: match,
			Route: &ruleset.Route{Hops: []*ruleset.Hop{{DPID: dpid, In: in, Do: ruleset.Do(in, nil)}}}})
		set.Table = plan.TableSingle
		sets = append(sets, set)
	}
	if !d.Whole() {
		for i := range d.Space {
			add(d.Space[i].Priority, d.Space[i].Match.OXM, ruleset.AnyPort)
		}
		return sets
	}
	ports, all := d.At(dpid)
	if all {
		ports = []uint32{ruleset.AnyPort}
	}
	for _, port := range ports {
		add(0, nil, port)
	}
	return sets
}

// takePriority counts an entry's priority. Where it needs a place, the entries whose priorities make room for it are to be
// moved, in the order returned.
func (s *physical) takePriority(priority uint16) (moved []uint16) {
	if s.priorities[priority]++; s.priorities[priority] == 1 && s.cfg.Single && !s.micro.reactive {
		return s.single.labels.take(priority)
	}
	return nil
}

func (s *physical) givePriority(priority uint16) {
	if s.priorities[priority]--; s.priorities[priority] == 0 {
		delete(s.priorities, priority)
		s.single.labels.give(priority)
	}
}

// move orders the rules of entries anew, by their priorities: each at its new place, and then its removal from the old one.
func (s *physical) move(priorities []uint16) {
	for _, priority := range priorities {
		for _, r := range rowsWhere(s.byHandle, func(r *row) bool { return r.told.priority == priority }) {
			s.unsaved.changed(r) // its record has the label
			s.sync(r, false)
		}
	}
}

// tooMany reports whether an entry takes too many rules, with the regions and ports that there are now.
func (s *physical) tooMany(r *row) bool {
	n := s.countOf(r.told.v10, r.told.match, r.told.instructions)
	return r.entry && (n > PartsMax || s.single.rules+n-len(r.parts) > RulesMax)
}
