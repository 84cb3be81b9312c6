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
			p.setField(f, value)
		}
	case openflow.ActionSetVLANVID, openflow.ActionSetVLANPCP:
		p.setVLAN10(a)
	case openflow.ActionPushVLAN:
		p.pushVLAN(a.EtherType)
	case openflow.ActionPopVLAN:
		p.popVLAN()
	case openflow.ActionPushMPLS:
		p.pushMPLS(a.EtherType)
	case openflow.ActionPopMPLS:
		p.popMPLS(a.EtherType)
	default:
		p.actTTL(a)
	}
}

// output sends the packet to a port or what a reserved number means. It never goes back where it
// came from unless told to.
func (p *pass) output(no uint32, maxLen uint16) {
	switch no {
	case openflow.PortInPort:
		if in := p.s.ports.find(p.inPort); in != nil {
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
			if to.Number != p.inPort && (to.flooded || no == openflow.PortAll) {
				p.transmit(to)
			}
		}
	case openflow.PortTable:
		p.fromTable()
	case openflow.PortNormal:
		p.normal()
	default:
		if to := p.s.ports.find(no); to != nil && no != p.inPort {
			if !to.live() {
				p.undelivered(to)
			}
			p.transmit(to)
		}
	}
}

// undelivered reports a packet for a port that is down.
func (p *pass) undelivered(to *port) {
	if out, ok := p.s.out.(DropOutput); ok {
		out.Undelivered(to.Number)
	}
}

// transmit sends the packet out of a port.
func (p *pass) transmit(to *port) {
	if to.Config&(openflow.PortConfigDown|openflow.PortConfigNoFwd) != 0 || to.State&openflow.PortStateDown != 0 {
		to.stats.TxDropped++
		return
	}
	to.stats.TxPackets++
	to.stats.TxBytes += uint64(len(p.frame))
	queue := uint32(0)
	if p.queue != 0 || len(to.queues) > 0 {
		if q := to.queue(p.queue); q != nil {
			queue = q.id
			q.packets++
			q.bytes += uint64(len(p.frame))
		}
	}
	p.s.out.Transmit(to.Number, queue, p.frame)
}

// writable makes the frame one that may be changed and marks it as changed.
func (p *pass) writable() []byte {
	p.stale = true
	if !p.own {
		p.frame = append(p.s.level(p.level)[:0], p.frame...)
		p.own = true
		p.s.scratch[p.level] = p.frame
	}
	return p.frame
}

// level is the scratch memory of a level of copies.
func (s *Switch) level(n int) []byte {
	for n >= len(s.scratch) {
		s.scratch = append(s.scratch, nil)
	}
	return s.scratch[n]
}
