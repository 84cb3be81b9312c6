package discovery

import (
	"errors"
	"fmt"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// Check compares the core with a snapshot taken after its last transaction, and returns the
// differences.
func (c *Core) Check(s *netview.Snapshot) error {
	var found []error
	bad := func(format string, args ...any) { found = append(found, fmt.Errorf(format, args...)) }
	links := 0
	for row := range s.Switches() {
		d := c.Devices[row.DPID]
		if d == nil || d.Connected != row.Connected || d.Settled != row.Settled || len(d.Ports) != len(row.Ports) {
			bad("switch %s: not as the core has it", row.DPID)
			continue
		}
		if h, b := d.Successor, d.Predecessor; h != nil && c.Devices[h.DPID] != h || b != nil && c.Devices[b.DPID] != b {
			bad("switch %s: its successor or predecessor is unknown", row.DPID)
		}
		for i, p := range d.Ports {
			if r := row.Ports[i]; r.Number != p.At.Port || r.Up != p.Up || r.Role != p.Role {
				bad("port %s: %+v is not as the core has it", p.At, r)
			}
			if linked := len(p.In)+len(p.Out) > 0; linked != (p.Role == netview.PortLink) {
				bad("port %s: role %s, links %d in, %d out", p.At, p.Role, len(p.In), len(p.Out))
			}
			if p.Role == netview.PortEdge && p.History != inventory.HistoryNone || p.Role == netview.PortLink &&
				p.History < inventory.HistoryCarrier {
				bad("port %s: role %s, history %d", p.At, p.Role, p.History)
			}
			n := 0
			for range s.HostsAt(p.At) {
				n++
			}
			if p.Up && n != p.Hosts {
				bad("port %s: %d hosts, counted %d", p.At, n, p.Hosts)
			}
			for _, e := range p.Out {
				links++
				if l, ok := s.Link(e.Key()); !ok || !l.Up || l.State != e.State() || l.Width != e.Width {
					bad("link %s: not as the core has it", e.Key())
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
	return errors.Join(append(found, c.hosts.Check(s), c.switches.control.Check())...)
}
