package vswitch

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// micro is what is known of micro-flows, and whether there are to be any.
type micro struct {
	reactive bool
	flows    map[*row]bool   // that are in the physical switch, or ordered; not those that are leaving
	byPlace  map[string]*row // of flows
	paths    flowtable.Paths // of flows, by the numbers of their rows
	gone     map[goneName]*goneFlow
	going    []goneName    // of gone, and of others that are there no more, in the order of their times
	most     int           // flows
	rest     time.Duration // none is made before
	tick     time.Duration // when entries' time-outs are looked at next
	handled  uint64
	decision flowtable.Decision // scratch
}

// microFlow is what a row is that has no entry: a rule of packets that match the same entries.
type microFlow struct {
	entries []*row // that its packets match
	groups  bool   // they go through groups
}

// goneFlow is a micro-flow that has gone, whose last counters are not known.
type goneFlow struct {
	count   partCount
	entries []*row
	until   time.Duration
}

// goneName names it: the number of its row, and its incarnation.
type goneName struct {
	number  uint32
	version uint16
}

// microFlows is a physical as its micro-flows are made and removed.
type microFlows struct{ *physical }

// add orders a micro-flow for packets that come in at a port and are like that of a decision.
func (s microFlows) add(port uint32, d *flowtable.Decision) {
	m := &s.micro
	if len(m.flows) >= m.most || s.single.rules >= RulesMax || s.now < m.rest || s.cfg.Rows.full() {
		return
	}
	x, ok := s.rule(port, d)
	if !ok {
		return
	}
	place := x.place()
	if m.byPlace[place] != nil || len(s.claims[place]) > 0 {
		return
	}
	n := s.cfg.Rows.take()
	flow := &microFlow{groups: d.Groups}
	if flow.groups {
		missed(s.made)
	}
	r := &row{record: record{number: n.number}, incarnation: n.incarnation + 1, flow: flow, created: s.now, born: s.now}
	r.place = string(binary.BigEndian.AppendUint32([]byte{0xff, 0xff}, n.number)) // no entry's
	r.told = entryCopy{idle: microIdle, table: d.Table, cookie: d.Cookie}
	for _, handle := range d.Entries {
		e := s.byHandle[handle]
		flow.entries = append(flow.entries, e)
		if idle := e.told.idle; idle != 0 {
			r.told.idle = min(r.told.idle, idle)
		}
		if e.flows == nil {
			e.flows = make(map[*row]bool)
		}
		e.flows[r] = true
		e.count.grown, s.counters.young[e.number] = s.now, e
	}
	s.rows[r.number], s.byPlace[r.place] = r, r
	m.flows[r], m.byPlace[place] = true, r
	m.paths.Add(r.number, d)
	p := &part{row: r, place: place, rule: *x}
	p.count.hash = ruleset.HashPlace(x.in, x.priority, x.match)
	r.parts = append(r.parts, p)
	s.single.rules++
	s.claims[place] = append(s.claims[place], p)
	s.install(p, false)
}

// rule returns the rule of packets that are like that of a decision; false if there is none. It stands in the block of the region
// that the packet is in. All micro-flows there have one priority: what is in two of them is done the same by both.
func (s microFlows) rule(port uint32, d *flowtable.Decision) (*rule, bool) {
	region, in := s.region(d)
	version := s.cfg.Version
	if version != openflow.V10 {
		version = openflow.V13
	}
	match, ok := d.Match(version, &region.match)
	if !in || !ok {
		return nil, false
	}
	match = match.Canonical()
	list := []openflow.Instruction{openflow.Apply(d.Actions...)}
	switch {
	case len(d.Actions) == 0:
		list = nil
	case d.V10 && version != openflow.V10:
		both, err := in13(match, list)
		if err != nil || len(both) != 1 {
			return nil, false
		}
		list = both[0].do
	case !d.V10 && version == openflow.V10:
		actions, ok := in10(&match, d.Actions)
		if !ok {
			return nil, false
		}
		list = []openflow.Instruction{openflow.Apply(actions...)}
	}
	if list != nil {
		list[0].Actions = slices.Clone(list[0].Actions)
	}
	x := &rule{table: plan.TableSingle, priority: s.single.layout.block(region.priority) + blockLabels, in: port,
		match: match.OXM, do: ruleset.Do(port, list)}
	return x, version != openflow.V10 || sayable10(x)
}

// microRegion is where a packet is.
type microRegion struct {
	priority uint16 // 0: all at the tenant's ports is its own
	match    openflow.Match
}

// region returns the region that a packet is in, of those of the tenant the first one.
func (s microFlows) region(d *flowtable.Decision) (in microRegion, ok bool) {
	regions := s.cfg.Space.Regions()
	if len(regions) == 0 {
		return in, s.cfg.Space.OwnsPackets()
	}
	for i := range regions {
		if r := &regions[i]; r.Priority > in.priority && d.In(&r.Match) {
			in, ok = microRegion{r.Priority, r.Match}, true
		}
	}
	return in, ok
}

// remove orders the removal of a micro-flow.
func (s microFlows) remove(r *row) {
	s.retire(r)
	for _, e := range r.flow.entries {
		flowtable.Touch(s.tables, e.handle, s.now) // when it was met last is not known
	}
	s.leaveAll(r)
}

// retire takes a micro-flow out of those that are.
func (s microFlows) retire(r *row) {
	if !s.micro.flows[r] {
		return
	}
	delete(s.micro.flows, r)
	delete(s.micro.byPlace, r.parts[0].place)
	s.micro.paths.Remove(r.number)
}

// removeWhere removes the micro-flows of which is holds.
func (s microFlows) removeWhere(is func(*row) bool) {
	if len(s.micro.flows) == 0 {
		return
	}
	var list []*row
	for r := range s.micro.flows {
		if is(r) {
			list = append(list, r)
		}
	}
	s.removeList(list)
}

func (s microFlows) removeAll() { s.removeWhere(anyRow) }

// removeList removes micro-flows, in the order of their numbers.
func (s microFlows) removeList(list []*row) {
	slices.SortFunc(list, func(a, b *row) int { return int(a.number) - int(b.number) })
	for _, r := range list {
		if s.micro.flows[r] {
			s.remove(r)
		}
	}
}

// entryAdded removes the micro-flows some of whose packets match an entry that came.
func (s microFlows) entryAdded(e *flowtable.Entry) {
	if len(s.micro.flows) == 0 {
		return
	}
	var list []*row
	for _, number := range s.micro.paths.Meeting(e) {
		list = append(list, s.rows[number])
	}
	s.removeList(list)
}

// entryGone removes the micro-flows whose packets match an entry that goes, or is changed.
func (s microFlows) entryGone(e *row) {
	list := make([]*row, 0, len(e.flows))
	for r := range e.flows {
		list = append(list, r)
	}
	s.removeList(list)
}

// ended takes the end of a micro-flow by its idle time-out.
func (s microFlows) ended(p *part, last *ruleset.Counts) {
	r := p.row
	s.retire(r)
	if last != nil {
		counting(s).read(p, *last)
		p.count.read = s.now
	}
	for _, e := range r.flow.entries {
		flowtable.Touch(s.tables, e.handle, s.now-time.Duration(r.told.idle)*time.Second)
	}
	s.drop(p)
	s.forget(r, nil)
	for _, e := range r.flow.entries {
		if last != nil && len(e.flows) == 0 { // all that has counted for it is known
			delete(s.counters.young, e.number)
			s.tables.SetUncounted(e.handle, false)
		}
	}
}

// refused takes that the physical switch has not taken a micro-flow.
func (s microFlows) refused(p *part) {
	s.retire(p.row)
	s.micro.rest = s.now + microRest
	s.drop(p)
	s.forget(p.row, nil)
}

// removed takes that the physical switch has removed a micro-flow. It may say later what that has counted.
func (s microFlows) removed(p *part) {
	gone := &goneFlow{count: p.count, entries: p.row.flow.entries, until: s.now + lateCounts}
	s.drop(p)
	s.forget(p.row, gone)
}

// forget has the entries of a micro-flow that is gone not know it.
func (s microFlows) forget(r *row, late *goneFlow) {
	s.publish(r)
	for _, e := range r.flow.entries {
		delete(e.flows, r)
	}
	if late == nil || len(late.entries) == 0 {
		return
	}
	for _, e := range late.entries {
		e.late = late.until
	}
	m := &s.micro
	if len(m.going) >= MicroFlowsMax {
		delete(m.gone, m.going[0])
		m.going = m.going[1:]
	}
	name := goneName{r.number, r.incarnation}
	m.gone[name], m.going = late, append(m.going, name)
}

// publish tells the tables what a micro-flow has counted since they were told last, for each of its entries.
func (s microFlows) publish(r *row) {
	sum := r.count.carried
	for _, p := range r.parts {
		sum.Packets, sum.Bytes = sum.Packets+p.count.counts.Packets, sum.Bytes+p.count.counts.Bytes
	}
	told := &r.count.told
	for _, e := range r.flow.entries {
		s.tables.AddCounts(e.handle, sum.Packets-told.Packets, sum.Bytes-told.Bytes)
	}
	*told = sum
}

// without has what micro-flows count from now on not be an entry's, whose counters begin anew.
func (s microFlows) without(e *row) {
	for r := range e.flows {
		r.flow.entries = slices.DeleteFunc(slices.Clone(r.flow.entries), func(x *row) bool { return x == e })
	}
	if e.flows = nil; e.late <= s.now {
		return
	}
	for _, g := range s.micro.gone {
		g.entries = slices.DeleteFunc(slices.Clone(g.entries), func(x *row) bool { return x == e })
	}
}

// late takes the last counters of a micro-flow that has gone.
func (s microFlows) late(c *ruleset.Counted, number uint32) {
	name := goneName{number, c.Version}
	g := s.micro.gone[name]
	if g == nil || g.count.hash != c.Place {
		return
	}
	delete(s.micro.gone, name)
	was, known := &g.count.counts, c.Counts.Packets != uncounted && c.Counts.Bytes != uncounted
	if !known || c.Counts.Packets < was.Packets || c.Counts.Bytes < was.Bytes {
		return
	}
	for _, e := range g.entries {
		s.tables.AddCounts(e.handle, c.Counts.Packets-was.Packets, c.Counts.Bytes-was.Bytes)
	}
}

// over forgets micro-flows whose last counters do not come.
func (s microFlows) over() {
	m := &s.micro
	if !m.reactive {
		m.tick = s.now + reactiveTick
	}
	for len(m.going) > 0 {
		g := m.gone[m.going[0]]
		if g != nil && g.until > s.now {
			return
		}
		delete(m.gone, m.going[0])
		m.going = m.going[1:]
	}
}
