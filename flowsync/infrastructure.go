package flowsync

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Owner is the name under which flowsync itself desires rules.
const Owner = "infrastructure"

// etherTypeLLDP is the Ethernet type of discovery frames (IEEE 802.1AB).
const etherTypeLLDP = 0x88cc

// Infrastructure returns the rules that every switch of this version, with so many tables, holds
// for discovery and forwarding (rows of cookie kind 0 in the switch plan): discovery frames and
// table misses to the controller, and the step from admission to forwarding.
func Infrastructure(domain uint16, version openflow.Version, tables uint8) []netview.Rule {
	cookie := plan.Cookie{Domain: domain, Kind: plan.KindInfrastructure}.Encode()
	ask := []openflow.Instruction{openflow.Apply(openflow.OutputController(openflow.ControllerNoCut))}
	var lldp openflow.Match
	lldp.SetUint(openflow.FieldEthType, etherTypeLLDP)
	rules := []netview.Rule{
		{Table: plan.TableAdmission, Priority: plan.PriorityDiscovery, Cookie: cookie, Match: lldp, Instructions: ask},
	}
	single := plan.SingleTable(version, tables)
	if !single {
		rules = append(rules, netview.Rule{
			Table: plan.TableAdmission, Priority: plan.PriorityMiss, Cookie: cookie,
			Instructions: []openflow.Instruction{openflow.GotoTable(plan.TableForwarding)},
		})
	}
	if plan.MissAsks(version) {
		rules = append(rules, netview.Rule{
			Table: plan.ForwardingTable(single), Priority: plan.PriorityMiss, Cookie: cookie, Instructions: ask,
		})
	}
	return rules
}

// infrastructure is which of the infrastructure's rules are desired of a switch: those of the form of its last
// session, or none.
type infrastructure struct {
	desired bool
	version openflow.Version
	tables  uint8
}

// desire desires the rules of the form of a session, and those of another form no more.
func (f *infrastructure) desire(dpid netview.DPID, domain uint16, version openflow.Version, tables uint8) InfrastructureRules {
	was := *f
	*f = infrastructure{true, version, tables}
	changes := InfrastructureRules{DPID: dpid, Rules: Infrastructure(domain, version, tables)}
	if was != *f {
		changes.Withdrawn = was.keysBut(dpid, domain, changes.Rules)
	}
	return changes
}

// withdraw desires none any more.
func (f *infrastructure) withdraw(dpid netview.DPID, domain uint16) InfrastructureRules {
	was := *f
	f.desired = false
	return InfrastructureRules{DPID: dpid, Withdrawn: was.keysBut(dpid, domain, nil)}
}

// keysBut lists the keys of the rules that are desired, but those of some.
func (f *infrastructure) keysBut(dpid netview.DPID, domain uint16, some []netview.Rule) (keys []netview.RuleKey) {
	if !f.desired {
		return nil
	}
	for _, r := range Infrastructure(domain, f.version, f.tables) {
		r.DPID = dpid
		key := r.Key()
		if !slices.ContainsFunc(some, func(o netview.Rule) bool { o.DPID = dpid; return o.Key() == key }) {
			keys = append(keys, key)
		}
	}
	return keys
}
