package discovery

import (
	"errors"
	"fmt"

	"github.com/weirnet/weir/netview"
)

// Check compares the core with a snapshot taken after its last transaction, and returns the
// differences.
func (c *Core) Check(s *netview.Snapshot) error {
	var found []error
	bad := func(format string, args ...any) { found = append(found, fmt.Errorf(format, args...)) }
	links, hosts := 0, 0
	for row := range s.Switches() {
		d := c.devices[row.DPID]
		if d == nil || d.connected != row.Connected || d.settled != row.Settled || len(d.ports) != len(row.Ports) {
			bad("switch %s: not as the core has it", row.DPID)
			continue
		}
		if h, b := d.successor, d.predecessor; h != nil && c.devices[h.dpid] != h || b != nil && c.devices[b.dpid] != b {
			bad("switch %s: its successor or predecessor is unknown", row.DPID)
		}
		if len(d.awaitingBarrier) > 2*c.limits.Queries+keepAbandoned+1 {
			bad("switch %s: %d queries wait for a barrier", row.DPID, len(d.awaitingBarrier))
		}
		for i, p := range d.ports {
			if r := row.Ports[i]; r.Number != p.at.Port || r.Up != p.up || r.Role != p.role {
				bad("port %s: %+v is not as the core has it", p.at, r)
			}
			if linked := len(p.in)+len(p.out) > 0; linked != (p.role == netview.PortLink) {
				bad("port %s: role %s, links %d in, %d out", p.at, p.role, len(p.in), len(p.out))
			}
			if p.role == netview.PortEdge && p.history != historyNone || p.role == netview.PortLink &&
				p.history < historyCarrier {
				bad("port %s: role %s, history %d", p.at, p.role, p.history)
			}
			n := 0
			for range s.HostsAt(p.at) {
				n++
			}
			if p.up && n != p.hosts {
				bad("port %s: %d hosts, counted %d", p.at, n, p.hosts)
			}
			for _, e := range p.out {
				links++
				if l, ok := s.Link(e.key()); !ok || !l.Up || l.State != e.state() {
					bad("link %s: not as the core has it", e.key())
				}
			}
		}
	}
	for l := range s.Links() {
		if l.Up {
			links--
		}
	}
	if links != 0 {
		bad("the core has %+d links more than the view", links)
	}
	for range s.Hosts() {
		hosts++
	}
	if hosts != c.hosts.count {
		bad("%d hosts, counted %d", hosts, c.hosts.count)
	}
	return errors.Join(found...)
}
