package vswitch

import (
	"fmt"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// tally knows what each entry of a tenant has counted: a packet that meets a rule of a row's in the physical switch is the
// entry's that the row had when the rule was ordered. The physical switch is read before each change of it, so that nothing is
// lost. A nil tally counts nothing.
type tally struct {
	lives map[string][]string // by tenant, row and incarnation: the counters of which entry
	hits  map[string]uint64   // by that: packets
	held  map[string]*ruleset.Set
}

// newTally returns one for one seed of some.
func newTally(seed uint64) *tally {
	if seed%16 != 0 {
		return nil
	}
	return &tally{make(map[string][]string), make(map[string]uint64), make(map[string]*ruleset.Set)}
}

// lifeOf names the counters of a row's entry.
func lifeOf(g *guest, r *row) string {
	return fmt.Sprintf("%s %d from %s", g.name, r.number, r.count.from)
}

// ordered notes an order.
func (y *tally) ordered(g *guest, set *ruleset.Set) {
	_, number := plan.TenantRow(set.Number)
	if r := g.sw.rows[number]; y != nil && r != nil {
		lives := []string{lifeOf(g, r)}
		if r.flow != nil {
			lives = nil
			for _, e := range r.flow.entries {
				lives = append(lives, lifeOf(g, e))
			}
		}
		y.lives[fmt.Sprint(set.Number, set.Version)] = lives
	}
}

// entries are those of the physical switch that are tenants'.
func (w *world) entries() (list []openflow.FlowStats) {
	for _, e := range flowsOf(w, w.physical) {
		if c := plan.Decode(e.Cookie); c.Kind == plan.KindTenant {
			list = append(list, e)
		}
	}
	return list
}

func entryName(e *openflow.FlowStats) string {
	return fmt.Sprintf("%d %d %x %x", e.Table, e.Priority, e.Match.OXM, e.Cookie)
}

// receive has a frame come in, and notes whose rules it met.
func (w *world) receive(port uint32, frame []byte) {
	before := make(map[string]uint64)
	if w.tally != nil {
		for _, e := range w.entries() {
			before[entryName(&e)] = e.Packets
		}
	}
	w.physical.Receive(port, frame, w.now, &w.out)
	if w.tally == nil {
		return
	}
	for _, e := range w.entries() {
		c := plan.Decode(e.Cookie)
		for _, life := range w.tally.lives[fmt.Sprint(c.Owner, c.Version)] {
			w.tally.hits[life] += e.Packets - before[entryName(&e)]
		}
	}
}

// before reads the physical switch.
func (y *tally) before(w *world) {
	if y == nil {
		return
	}
	w.now++
	list := w.entries()
	for _, g := range w.guests {
		c := &Counters{Asked: w.now}
		for _, e := range list {
			of := plan.Decode(e.Cookie)
			if number, row := plan.TenantRow(of.Owner); number == g.sw.cfg.Tenant && row != 0 {
				in, match := ruleset.CutInPort(e.Match.Canonical().OXM)
				c.List = append(c.List, ruleset.Counted{Number: of.Owner, Version: of.Version,
					Place: ruleset.HashPlace(in, e.Priority, match), Counts: ruleset.Counts{Packets: e.Packets, Bytes: e.Bytes}})
			}
		}
		Tally{g.sw}.Count(c, w.now, g)
	}
}

// has reports whether the physical switch holds a rule of the same row that does the same, which is not written again then.
func (y *tally) has(key string, set *ruleset.Set, remove bool) bool {
	if y == nil {
		return false
	}
	was := y.held[key]
	if y.held[key] = set; remove {
		delete(y.held, key)
		return false
	}
	if was == nil || was.Number != set.Number || was.Anew || set.Anew || !was.SameTimes(set) {
		return false
	}
	_, a := was.At(0)
	_, b := set.At(0)
	return a.Equal(b)
}

// last is what the entry of a rule has counted that ends.
func (y *tally) last(w *world, set *ruleset.Set) *ruleset.Counts {
	if y == nil {
		return &ruleset.Counts{Packets: 3, Bytes: 300}
	}
	place := set.Place(0)
	for _, e := range w.entries() {
		in, match := ruleset.CutInPort(e.Match.Canonical().OXM)
		if in == place.In && string(match) == string(place.Match) && e.Priority == place.Priority && e.Table == place.Table {
			return &ruleset.Counts{Packets: e.Packets, Bytes: e.Bytes}
		}
	}
	return &ruleset.Counts{}
}

// check wants each entry of a tenant to say what it has counted.
func (y *tally) check(w *world) (counted int) {
	if y == nil {
		return 0
	}
	y.before(w)
	for _, g := range w.guests {
		Tally{g.sw}.Look(w.now)
		shown := 0
		for _, r := range g.sw.byHandle {
			if r.told.isMiss() {
				continue
			}
			want := y.hits[lifeOf(g, r)]
			for _, e := range w.listed(g) {
				if e.Table != r.told.table || e.Priority != r.told.priority || string(e.Match.OXM) != string(r.told.match.OXM) {
					continue
				}
				if shown++; e.Packets != want {
					w.t.Fatalf("%s, row %d %s: %d packets are shown, %d met its rules", g.name, r.number, e.Match, e.Packets, want)
				}
				counted += int(want)
			}
		}
	}
	return counted
}

// listed is what a tenant's controller is shown.
func (w *world) listed(g *guest) []openflow.FlowStats {
	return flowsOf(w, g.sw.tables)
}

// flowsOf are the entries of tables.
func flowsOf(w *world, tables *flowtable.Switch) []openflow.FlowStats {
	all, err := tables.Multipart(openflow.V13, &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}, w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	return all.(*openflow.FlowStatsList).Flows
}
