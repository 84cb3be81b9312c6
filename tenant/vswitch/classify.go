package vswitch

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
	"github.com/weirnet/weir/tenant"
)

// Priorities of classification, in the tenants' band: each priority of regions has two, of the packets that come in at the
// tenant's ports, and below of those that come in at others. Above them are ports whose packets are all a tenant's.
const (
	priorityRegion = 12000 // of packets at others' ports, with 2 for each priority; at the tenant's, 1 more
	priorityPort   = priorityRegion + 2*tenant.PriorityMax + 2
)

// Bandwidth returns the meter that all packets of a tenant pass at a switch; nil if its definition does not limit them. It is the
// tenant's own. Its burst is an eighth of a second.
func Bandwidth(d *tenant.Definition) *object.Meter {
	rate := uint32(1000 * d.Limits.Mbps)
	if rate == 0 {
		return nil
	}
	m, err := object.NewMeter(object.KilobitsPerSecond, openflow.Band{Type: openflow.BandDrop, Rate: rate,
		Burst: max(rate/8, burstLeast)})
	if err != nil {
		panic(err) // a rate and a burst
	}
	return m.Owned(bandwidthOwner | uint64(d.Number))
}

const (
	burstLeast     = 200     // kbit: 16 long frames
	bandwidthOwner = 1 << 63 // no meter of the tenant's own has it
)

// Classify returns the rules of table 0 at a switch that tell a tenant's packets from others'. All of the tenant's pass the
// meter, if there is one.
func Classify(d *tenant.Definition, dpid netview.DPID, meter *object.Meter) (sets []*ruleset.Set) {
	ports, all := d.At(dpid)
	if all {
		ports = []uint32{ruleset.AnyPort}
	}
	if len(ports) == 0 && d.Whole() {
		return nil
	}
	to := []openflow.Instruction{{Type: openflow.InstructionWriteMetadata, Metadata: plan.TenantMetadata(d.Number),
		MetadataMask: plan.MetadataTenant},
		openflow.GotoTable(plan.TableTenantFirst)}
	var objects []object.Object
	if meter != nil {
		to, objects = append(to, openflow.UseMeter(0)), []object.Object{meter}
	}
	add := func(priority uint16, match []byte, in uint32, do []openflow.Instruction) {
		behaviour := ruleset.Do(in, nil)
		if do != nil {
			var err error
			if behaviour, err = ruleset.Use(in, do, objects...); err != nil {
				panic(err) // it names the one object that there is, or none
			}
		}
		set := ruleset.New(plan.KindTenant, plan.TenantOwner(d.Number, 0), priority, ruleset.Leg{Match: match,
			Route: &ruleset.Route{Hops: []*ruleset.Hop{{DPID: dpid, In: in, Do: behaviour}}}})
		set.Table = plan.TableAdmission
		sets = append(sets, set)
	}
	if d.Whole() {
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
