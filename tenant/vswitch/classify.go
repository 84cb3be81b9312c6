package vswitch

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
)

// Priorities of classification, in the tenants' band: each priority of regions has two, of the packets that come in at the
// tenant's ports, and below of those that come in at others. Above them are ports whose packets are all a tenant's.
const (
	priorityRegion = 12000 // of packets at others' ports, with 2 for each priority; at the tenant's, 1 more
	priorityPort   = priorityRegion + 2*tenant.PriorityMax + 2
)

// Classify returns the rules of table 0 at a switch that tell a tenant's packets from others'.
func Classify(d *tenant.Definition, dpid netview.DPID) (sets []*ruleset.Set) {
	ports, all := d.At(dpid)
	if all {
		ports = []uint32{ruleset.AnyPort}
	}
	if len(ports) == 0 && len(d.Space) == 0 {
		return nil
	}
	to := []openflow.Instruction{{Type: openflow.InstructionWriteMetadata, Metadata: plan.TenantMetadata(d.Number),
		MetadataMask: plan.MetadataTenant},
		openflow.GotoTable(plan.TableTenantFirst)}
	add := func(priority uint16, match []byte, in uint32, do []openflow.Instruction) {
		set := ruleset.New(plan.KindTenant, plan.TenantOwner(d.Number, 0), priority, ruleset.Leg{Match: match,
			Route: &ruleset.Route{Hops: []*ruleset.Hop{{DPID: dpid, In: in, Do: ruleset.Do(in, do)}}}})
		set.Table = plan.TableAdmission
		sets = append(sets, set)
	}
	if len(d.Space) == 0 {
		for _, port := range ports {
			add(priorityPort, nil, port, to)
		}
	}
	for i := range d.Space {
		r := &d.Space[i]
		for _, port := range ports {
			add(priorityRegion+2*r.Priority+1, r.Match.OXM, port, to)
		}
		if !all {
			add(priorityRegion+2*r.Priority, r.Match.OXM, ruleset.AnyPort, nil)
		}
	}
	return sets
}
