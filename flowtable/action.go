package flowtable

import (
	"github.com/weirnet/weir/openflow"
)

// apply does a list of actions in order. It ends early where the packet goes no further.
func (p *pass) apply(list []openflow.Action) {
	for i := range list {
		if p.done {
			return
		}
		p.act(&list[i])
	}
}

// act does one action. Actions that do not fit the packet are left out, as those of OpenFlow 1.0
// and of buckets may be.
func (p *pass) act(a *openflow.Action) {
	if d := p.s.decision; d != nil && d.act(p, a) {
		return
	}
	switch a.Type {
	case openflow.ActionOutput:
		p.output(a.Port, a.MaxLen)
	case openflow.ActionEnqueue:
		queue := p.queue
		p.queue = a.ID
		p.output(a.Port, 0)
		p.queue = queue
	case openflow.ActionSetQueue:
		p.queue = a.ID
	case openflow.ActionGroup:
		p.group(a.ID)
	case openflow.ActionSetField:
		if f, value, ok := a.Field(); ok {
			if p.v10 {
				p.frame.setField10(f, value)
			} else {
				p.frame.setField(f, value)
			}
		}
	case openflow.ActionSetVLANVID, openflow.ActionSetVLANPCP:
		p.frame.setVLAN10(a)
	case openflow.ActionPushVLAN:
		p.frame.pushVLAN(a.EtherType)
	case openflow.ActionPopVLAN:
		p.frame.popVLAN()
	case openflow.ActionPushMPLS:
		p.frame.pushMPLS(a.EtherType)
	case openflow.ActionPopMPLS:
		p.frame.popMPLS(a.EtherType)
	default:
		p.actTTL(a)
	}
}

// output sends the packet to a port or what a reserved number means. It never goes back where it
// came from unless told to.
func (p *pass) output(no uint32, maxLen uint16) {
	switch no {
	case openflow.PortInPort:
		if in := p.s.ports.find(p.frame.inPort); in != nil {
			p.transmit(in)
		}
	case openflow.PortController:
		reason := openflow.ReasonAction
		if p.entry != nil && p.entry.isMiss() && !p.entry.program.v10 && !p.inSet {
			reason = openflow.ReasonNoMatch
		}
		p.packetIn(PacketIn{Reason: reason, MaxLen: maxLen})
	case openflow.PortAll, openflow.PortFlood:
		for _, to := range p.s.ports.all {
			if to.Number != p.frame.inPort && (to.flooded || no == openflow.PortAll) {
				p.transmit(to)
			}
		}
	case openflow.PortTable:
		p.fromTable()
	case openflow.PortNormal:
		p.normal()
	default:
		if to := p.s.ports.find(no); to != nil && no != p.frame.inPort {
			if !to.live() {
				undelivered(p.s.out, to)
			}
			p.transmit(to)
		}
	}
}

// undelivered reports a packet for a port that is down.
func undelivered(out Output, to *port) {
	if out, ok := out.(DropOutput); ok {
		out.Undelivered(to.Number)
	}
}

// transmit sends the packet out of a port.
func (p *pass) transmit(to *port) { to.transmit(p.queue, p.frame.bytes, p.s.out) }
