package discovery

import "github.com/weirnet/weir/netview"

// A switch that gets another datapath id connects as one that nobody knows, and the old one is gone. Its cables are found to lead to the
// new one with the first near probe (dropReplaced). Its hosts may go on to talk along rules that the switch still has, so that
// nobody sees them at the new one: they are asked there.

// heirMost is how many hosts of a port are asked at a time.
const heirMost = 256

// inherits notes that a cable of a switch which has no session leads to another one now.
func (c *Core) inherits(old, next *device) {
	if old == next || old.connected || !next.connected {
		return
	}
	old.heir, next.before = next, old
	for _, p := range next.ports {
		c.askHeir(p)
	}
}

// askHeir asks the hosts that are known at an edge's former self whether they are here: the port of the same name and address at the
// switch whose cables this one has.
func (c *Core) askHeir(p *port) {
	old := p.device.before
	if old == nil || c.devices[old.dpid] != old || old.connected || old.heir != p.device || p.role != netview.PortEdge || !p.up {
		return
	}
	for _, q := range old.ports {
		if q.hosts == 0 || q.name != p.name || q.mac != p.mac {
			continue
		}
		hosts := c.hostsAt(q.at)
		for _, h := range hosts[:min(len(hosts), heirMost)] {
			if a := c.startAskAt(h, p.at); a != nil && a.at == p.at {
				a.elsewhere = true
			}
		}
	}
}

// contested is true of two switches with sessions of which one may be the other under another datapath id, whose old session was not seen to
// end: near probes of both come in at one port.
func contested(old, next *device) bool {
	for _, p := range old.ports {
		for _, e := range p.out {
			for _, o := range e.dst.in {
				if o.src.device == next && o.near && o.heard > 0 {
					return true
				}
			}
		}
	}
	return false
}
