package tenancy

import (
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/vswitch"
)

// classified are the rules that tell a tenant's packets from others' at a switch, and what they were made of.
type classified struct {
	sets       []*ruleset.Set
	definition *tenant.Definition
	space      *tenant.Space
	ports      []uint32
	form       form
	metered    bool // the tenant's packets pass its meter
}

// unmetered is why a switch does not take rules with a tenant's meter, in a session that has lasted since then.
type unmetered struct {
	why   string
	since time.Time
}

// classifyAt orders the rules that tell the tenant's packets from others' at a switch where it has ports, also if it has none:
// what is in its space is nobody else's there either. Where it does not have all ports that its definition stands for, since
// links lead elsewhere, the rules name those that it has. It returns why the limit of bandwidth is not in force.
func (t *tenancy) classifyAt(row *netview.Switch, ports []openflow.Port) (problem string) {
	meter, problem := t.meterAt(row)
	c := classified{definition: t.definition, space: t.space, form: formOf(row, t.definition.Reactive), metered: meter != nil}
	for i := range ports {
		c.ports = append(c.ports, ports[i].Number)
	}
	was := t.classified[row.DPID]
	if was.definition == c.definition && (was.space == c.space || !c.form.single) && was.form == c.form &&
		slices.Equal(was.ports, c.ports) && was.metered == c.metered && was.sets != nil {
		return problem
	}
	local := *t.definition
	if _, all := local.At(row.DPID); !all || len(ports) < countOf(row) {
		local.Ports = nil
		for _, port := range c.ports {
			local.Ports = append(local.Ports, netview.Point{DPID: row.DPID, Port: port})
		}
		slices.SortFunc(local.Ports, netview.Point.Compare)
	}
	if c.form.single {
		c.sets = vswitch.ClassifySingle(&local, t.space, row.DPID)
	} else {
		c.sets = vswitch.Classify(&local, row.DPID, meter)
	}
	t.classify(row.DPID, c)
	return problem
}

// meterAt returns the meter that the tenant's packets pass at a switch, nil for none, and why there is none though its bandwidth
// is limited.
func (t *tenancy) meterAt(row *netview.Switch) (meter *object.Meter, problem string) {
	meter = vswitch.Bandwidth(t.definition)
	was, is := t.unmetered[row.DPID]
	switch {
	case meter == nil:
		return nil, ""
	case row.Version == openflow.V10:
		return nil, "the switch speaks OpenFlow 1.0, which has no meters"
	case formOf(row, false).single:
		return nil, "tenants' rules share one table of the switch with all others, and none goes before them"
	case is && was.since.Equal(row.Since):
		return nil, was.why
	}
	delete(t.unmetered, row.DPID)
	return meter, ""
}

// withoutMeter has rules that a switch has refused, which use the tenant's meter, be ordered without it by the next classifyAt.
func (t *tenancy) withoutMeter(snap *netview.Snapshot, refused map[*ruleset.Set]string) {
	for dpid, c := range t.classified {
		for _, set := range c.sets {
			if why, is := refused[set]; is {
				since := time.Time{}
				if row, known := snap.Switch(dpid); known {
					since = row.Since
				}
				t.unmetered[dpid] = unmetered{why, since}
			}
		}
	}
}

// countOf is how many ports of a switch a tenant may have.
func countOf(row *netview.Switch) (n int) {
	for i := range row.Ports {
		if row.Ports[i].Number <= openflow.PortMax {
			n++
		}
	}
	return n
}

// classify orders rules of classification at a switch, and the removal of those that are not any more.
func (t *tenancy) classify(dpid netview.DPID, c classified) {
	before := make(map[class]*ruleset.Set)
	for _, set := range t.classified[dpid].sets {
		before[classOf(set)] = set
	}
	var orders []ruleset.Order
	replaced := make(map[class]bool) // what stands where something else is ordered, by place
	for i, set := range c.sets {
		if old := before[classOf(set)]; old != nil {
			c.sets[i] = old
			delete(before, classOf(set))
		} else {
			orders = append(orders, ruleset.Order{Rules: set})
			replaced[classOf(set).place()] = true
		}
	}
	for _, old := range t.classified[dpid].sets {
		if before[classOf(old)] != nil && !replaced[classOf(old).place()] {
			orders = append(orders, ruleset.Order{Rules: old, Remove: true})
		}
	}
	if t.classified[dpid] = c; len(c.sets) == 0 {
		delete(t.classified, dpid)
	}
	if len(orders) > 0 {
		t.of.cfg.Orders(orders)
	}
}

// class is what two rules of a tenant's classification are equal by: their place, and what they do.
type class struct {
	table    uint8
	priority uint16
	in       uint32
	match    string
	drops    bool
	meter    string // its key; empty without
}

// place returns the place alone.
func (c class) place() class {
	c.drops, c.meter = false, ""
	return c
}

func classOf(set *ruleset.Set) class {
	leg, hop := set.At(0)
	meter := ""
	for _, o := range hop.Do.Objects() {
		meter = o.Key()
	}
	return class{set.Table, set.Priority, hop.In, string(leg.Match), len(hop.Do.Instructions()) == 0, meter}
}

// retryAfter is the time after which a rule of classification is ordered again that a switch has refused.
const retryAfter = 5 * time.Second

// refusals are rules of classification that switches have refused. Until they are taken, packets of the tenant may be handled
// there as others' are.
type refusals struct {
	mu    sync.Mutex
	list  map[*ruleset.Set]bool
	since time.Time // of the first that is in the list
	// metered are those that use a tenant's meter, and why they were refused: they are ordered without it at once.
	metered map[*ruleset.Set]string
}

// addMetered adds a refused rule that uses a meter.
func (r *refusals) addMetered(o *ruleset.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.metered == nil {
		r.metered = make(map[*ruleset.Set]string)
	}
	r.metered[o.Rules] = o.Reason
}

// takeMetered takes the refused rules that use a meter.
func (r *refusals) takeMetered() (list map[*ruleset.Set]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list, r.metered = r.metered, nil
	return list
}

// unclassified notes which rules of classification a switch has refused, and logs it.
func (s *Tenancies) unclassified(list []ruleset.Outcome) {
	for i := range list {
		o := &list[i]
		if o.Result != ruleset.Refused || o.Rules.Len() == 0 {
			continue
		}
		number, _ := plan.TenantRow(o.Rules.Number)
		_, hop := o.Rules.At(0)
		if len(hop.Do.Objects()) > 0 {
			s.cfg.Log.Warn("a switch takes no meter: the tenant's bandwidth is not limited there", "tenant", number, "dpid", hop.DPID,
				"reason", o.Reason)
			s.refused.addMetered(o)
			s.Bell.Ring()
			continue
		}
		s.cfg.Log.Error("a switch refuses a rule that tells a tenant's packets from others'; it is tried again", "tenant", number,
			"dpid", hop.DPID, "reason", o.Reason)
		s.refused.mu.Lock()
		if len(s.refused.list) == 0 {
			s.refused.list, s.refused.since = make(map[*ruleset.Set]bool), s.cfg.Now()
		}
		s.refused.list[o.Rules] = true
		s.refused.mu.Unlock()
		s.Bell.Ring()
	}
}

// take takes the refused rules when their time has come; next is when it will have, if there are some.
func (r *refusals) take(now time.Time) (list map[*ruleset.Set]bool, next time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == 0 {
		return nil, time.Time{}
	}
	if due := r.since.Add(retryAfter); now.Before(due) {
		return nil, due
	}
	list, r.list = r.list, nil
	return list, time.Time{}
}

// forget has refused rules of the tenant's be ordered anew by the next classify.
func (t *tenancy) forget(refused map[*ruleset.Set]bool) {
	for dpid, c := range t.classified {
		kept := slices.DeleteFunc(slices.Clone(c.sets), func(set *ruleset.Set) bool { return refused[set] })
		if len(kept) < len(c.sets) {
			t.classified[dpid] = classified{sets: kept} // of nothing: they are made again
		}
	}
}
