package broadcast

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
)

// rowPlan makes the rows of switches from their ports.
type rowPlan struct {
	domain  uint16
	unknown bool // unicast packets that have no rule of their own follow the tree too
}

// switchRows are what is desired of one switch.
type switchRows struct {
	dpid   netview.DPID
	rules  []netview.Rule
	meters []netview.Meter // nil: none, as at a switch with one table
}

// of returns the rows of a switch.
func (p rowPlan) of(sw *netview.Switch, at treePorts) switchRows {
	if plan.SingleTable(sw.Version, sw.Tables) {
		return switchRows{dpid: sw.DPID, rules: p.singleTable(sw, at)}
	}
	meter := netview.Meter{DPID: sw.DPID, ID: plan.MeterCopy, Rate: CopyRate, Burst: CopyRate}
	return switchRows{sw.DPID, p.tables(sw, at), []netview.Meter{meter}}
}

// write has the rows desired in place of those that are.
func (s *switchRows) write(tx *netview.DesiredTx) {
	if s.meters != nil {
		tx.SetMeters(s.dpid, s.meters)
	}
	tx.Set(s.dpid, s.rules)
}

// CopyRate limits the copies of forwarded packets that one switch sends to the controller, in
// packets a second.
const CopyRate = 1000

// class is a kind of packet that follows the tree: a row of docs/spec/switch-plan.md.
type class struct {
	priority uint16
	match    openflow.Match
	// unicast: the class holds unicast packets that should have had a rule of their own:
	// wherever one comes by, the controller is shown it, so that a rule that was lost in the middle
	// of a path is put back.
	unicast bool
}

// classes are the kinds of packets that follow the tree. OpenFlow 1.0, and so the single-table
// form, can neither mask an Ethernet address nor look into IPv6.
func (p rowPlan) classes(version openflow.Version) []class {
	cs := []class{
		{plan.PriorityBroadcast, ethDst(packet.Broadcast, packet.Broadcast), false},
		{plan.PriorityARP, ethType(packet.TypeARP), false},
	}
	if version.FixedMatch() {
		cs = append(cs, class{plan.PriorityND, ethType(packet.TypeIPv6), true})
	} else {
		cs = append(cs, class{plan.PriorityMulticast, ethDst(groupBit, groupBit), false},
			class{plan.PriorityND, neighbourDiscovery(135), false}, class{plan.PriorityND, neighbourDiscovery(136), false})
	}
	if p.unknown {
		cs = append(cs, class{plan.PriorityUnknown, openflow.Match{}, true})
	}
	return cs
}

// groupBit is the bit of the Ethernet addresses of groups.
var groupBit = packet.MAC{0x01}

func ethDst(addr, mask packet.MAC) openflow.Match {
	var m openflow.Match
	if mask == packet.Broadcast {
		m.Set(openflow.FieldEthDst, addr[:], nil)
	} else {
		m.Set(openflow.FieldEthDst, addr[:], mask[:])
	}
	return m
}

func ethType(t uint16) openflow.Match {
	var m openflow.Match
	m.SetUint(openflow.FieldEthType, uint64(t))
	return m
}

// neighbourDiscovery matches the ICMPv6 types 135 (solicitation) and 136 (advertisement) of RFC
// 4861.
func neighbourDiscovery(icmpType uint8) openflow.Match {
	m := ethType(packet.TypeIPv6)
	m.SetUint(openflow.FieldIPProto, 58)
	m.SetUint(openflow.FieldICMPv6Type, uint64(icmpType))
	return m
}

// fromPort is the match with in_port in front.
func fromPort(port uint32, m openflow.Match) openflow.Match {
	with := openflow.Match{OXM: make([]byte, 0, 8+len(m.OXM))} // a TLV of four bytes in front
	with.SetUint(openflow.FieldInPort, uint64(port))
	with.OXM = append(with.OXM, m.OXM...)
	return with
}

// outputs is one output action for each port.
func outputs(ports []uint32) []openflow.Action {
	acts := make([]openflow.Action, 0, len(ports)+1)
	for _, port := range ports {
		acts = append(acts, openflow.Output(port))
	}
	return acts
}

// rule is one row of the tree.
func (p rowPlan) rule(sw *netview.Switch, table uint8, priority uint16, m openflow.Match,
	ins ...openflow.Instruction) netview.Rule {
	return netview.Rule{
		DPID: sw.DPID, Owner: RowOwner, Table: table, Priority: priority, Match: m, Instructions: ins,
		Cookie: plan.Cookie{Domain: p.domain, Kind: plan.KindTree}.Encode(),
	}
}

// tables are the rows for a switch with three tables or more: the forwarding table applies the
// outputs, the copy table shows the packet to the controller, through the meter, where it entered
// the network.
func (p rowPlan) tables(sw *netview.Switch, at treePorts) []netview.Rule {
	classes, skipped := p.classes(sw.Version), p.skipped()
	rules := make([]netview.Rule, 0, len(classes)*(1+len(at.links)+len(at.mute))+len(skipped)*len(at.links)+1)
	for _, c := range classes {
		ins := []openflow.Instruction{openflow.GotoTable(plan.TableCopy)}
		if len(at.out) > 0 {
			ins = []openflow.Instruction{openflow.Apply(outputs(at.out)...), openflow.GotoTable(plan.TableCopy)}
		}
		rules = append(rules, p.rule(sw, plan.TableForwarding, c.priority, c.match, ins...))
		rules = append(rules, p.guards(sw, plan.TableForwarding, c, at)...)
		for _, port := range at.mute {
			rules = append(rules, p.rule(sw, plan.TableForwarding, c.priority+plan.PriorityOffTree,
				fromPort(port, c.match), openflow.GotoTable(plan.TableCopy)))
		}
	}
	for _, port := range at.links {
		for _, m := range skipped {
			rules = append(rules, p.rule(sw, plan.TableCopy, plan.PriorityCopySkip, fromPort(port, m)))
		}
	}
	return append(rules, p.rule(sw, plan.TableCopy, plan.PriorityCopyMeter, openflow.Match{},
		openflow.UseMeter(plan.MeterCopy), openflow.Apply(openflow.OutputController(openflow.ControllerNoCut))))
}

// skipped is what the copy table does not show of packets from another switch: everything, but
// where unknown unicast packets follow the tree.
func (p rowPlan) skipped() []openflow.Match {
	if p.unknown {
		return []openflow.Match{ethDst(groupBit, groupBit), ethType(packet.TypeARP)}
	}
	return []openflow.Match{{}}
}

// singleTable are the rows for a switch with one table: a packet from a host goes out along the
// tree and to the controller, one from another switch only along the tree.
func (p rowPlan) singleTable(sw *netview.Switch, at treePorts) []netview.Rule {
	var rules []netview.Rule
	for _, c := range p.classes(sw.Version) {
		acts := outputs(at.out)
		copied := append(slices.Clone(acts), openflow.OutputController(openflow.ControllerNoCut))
		rules = append(rules, p.rule(sw, plan.TableSingle, c.priority, c.match, openflow.Apply(copied...)))
		for _, port := range at.links {
			if slices.Contains(at.out, port) {
				through := acts
				if c.unicast {
					through = copied
				}
				rules = append(rules, p.rule(sw, plan.TableSingle, c.priority+plan.PriorityTransit,
					fromPort(port, c.match), openflow.Apply(through...)))
			}
		}
		rules = append(rules, p.guards(sw, plan.TableSingle, c, at)...)
		for _, port := range at.mute {
			rules = append(rules, p.rule(sw, plan.TableSingle, c.priority+plan.PriorityOffTree,
				fromPort(port, c.match), openflow.Apply(openflow.OutputController(openflow.ControllerNoCut))))
		}
	}
	return rules
}

// guards drop what comes along a link that is not in the tree, and show the controller what should
// have had a rule.
func (p rowPlan) guards(sw *netview.Switch, table uint8, c class, at treePorts) []netview.Rule {
	var instructions []openflow.Instruction
	switch show := openflow.Apply(openflow.OutputController(openflow.ControllerNoCut)); {
	case c.unicast && table == plan.TableSingle:
		instructions = []openflow.Instruction{show}
	case c.unicast:
		instructions = []openflow.Instruction{openflow.UseMeter(plan.MeterCopy), show}
	}
	var rules []netview.Rule
	for _, port := range at.links {
		if !slices.Contains(at.out, port) {
			rules = append(rules, p.rule(sw, table, c.priority+plan.PriorityOffTree, fromPort(port, c.match), instructions...))
		}
	}
	return rules
}
