package hosts

import (
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// maxSuccessorQueries is how many hosts of a port are queried at a time.
const maxSuccessorQueries = 256

// QuerySuccessor queries hosts of a predecessor's port at an edge port: the port of the same name
// and address.
func (t *Tracker) QuerySuccessor(p *inventory.Port) {
	if p.Role != netview.PortEdge || !p.Up {
		return
	}
	for old := p.Device.Predecessor; old != nil && !old.Connected && old.Successor == p.Device; old = old.Predecessor {
		for _, q := range old.Ports {
			if q.Hosts == 0 || q.Name != p.Name || q.MAC != p.MAC {
				continue
			}
			hosts := t.Rows.hostsAt(q.At)
			for _, h := range hosts[:min(len(hosts), maxSuccessorQueries)] {
				if a := t.queries.start(h, p.At); a != nil && a.at == p.At {
					a.elsewhere = true
				}
			}
		}
	}
}
