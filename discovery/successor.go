package discovery

import "github.com/weirnet/weir/netview"

// A switch that gets another datapath id connects as a new switch, and the old one stays
// disconnected. The first near probe shows that its cables lead to the new one (removeReplaced).
// Its hosts may continue to use rules that the switch still has, without packet-ins: they are
// queried at the new one. The id may change again before that: then they are queried at the last
// one.

// maxSuccessorQueries is how many hosts of a port are queried at a time.
const maxSuccessorQueries = 256

// succession is which switches had, and have, the cables of a switch.
type succession struct {
	successor      *device // while disconnected: the switch that has its cables now
	predecessor    *device // the switch that had its cables before
	wasPredecessor bool    // it has been the predecessor of another
}

// setSuccessor notes that a cable of a disconnected switch leads to another switch now. That
// explains its absence, so it is no sign of a failed control network.
func (c *Core) setSuccessor(old, next *device) {
	if old == next || old.connected || !next.connected {
		return
	}
	c.control.sessionReturned(old.dpid)
	if next.predecessor != old || old.successor != next {
		old.succeed(next)
	}
	for _, p := range next.ports {
		c.querySuccessor(p)
	}
}

// succeed makes a switch the successor of another, and of that one's predecessors.
func (d *device) succeed(next *device) {
	for old := d; old != nil; old = old.predecessor {
		old.successor = next
		for old.predecessor != nil && old.predecessor.connected { // it has reconnected
			old.predecessor = old.predecessor.predecessor
		}
		if old.predecessor != nil && old.predecessor.successor != d {
			old.predecessor = nil
		}
	}
	next.predecessor, d.wasPredecessor = d, true
}

// querySuccessor queries hosts of a predecessor's port at an edge port: the port of the same name
// and address.
func (c *Core) querySuccessor(p *port) {
	if p.role != netview.PortEdge || !p.up {
		return
	}
	for old := p.device.predecessor; old != nil && !old.connected && old.successor == p.device; old = old.predecessor {
		for _, q := range old.ports {
			if q.hosts == 0 || q.name != p.name || q.mac != p.mac {
				continue
			}
			hosts := c.hosts.hostsAt(q.at)
			for _, h := range hosts[:min(len(hosts), maxSuccessorQueries)] {
				if a := c.queries.start(h, p.at); a != nil && a.at == p.at {
					a.elsewhere = true
				}
			}
		}
	}
}

// mayBeSameSwitch reports whether two connected switches may be one, under an old and a new
// datapath id, whose old session was not seen to end: near probes of both come in at one port.
func mayBeSameSwitch(old, next *device) bool {
	for _, p := range old.ports {
		for _, e := range p.out {
			for _, o := range e.dst.in {
				if o.src.device == next && o.near && o.heardCount > 0 {
					return true
				}
			}
		}
	}
	return false
}

// removeSuccession removes a deleted switch from the chain of predecessors and successors.
func (t *deviceTable) removeSuccession(d *device) {
	if d.successor == nil && d.predecessor == nil && !d.wasPredecessor {
		return
	}
	for _, o := range t.devices {
		if o.successor == d {
			o.successor = nil
		}
		if o.predecessor == d && d.predecessor != o {
			o.predecessor = d.predecessor
		} else if o.predecessor == d {
			o.predecessor = nil
		}
	}
	d.successor, d.predecessor = nil, nil
}
