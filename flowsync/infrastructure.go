package flowsync

import (
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
