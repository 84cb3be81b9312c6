package intent

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// hostToHost is an intent between two hosts.
func hostToHost(id string, a, b int) spec.Spec {
	return spec.Spec{ID: id, Kind: spec.HostToHost, Priority: 100, Src: []spec.End{{Host: hostID(a)}},
		Dst: []spec.End{{Host: hostID(b)}}}
}

// becomes has another port come under a number of a switch, or none. Hosts and links that were
// there are there no more.
func (n *network) becomes(at netview.Point, name string) {
	n.facts.Update(func(tx *netview.FactsTx) {
		old, _ := tx.Switch(at.DPID)
		row := *old
		row.Ports = slices.Clone(old.Ports)
		i := slices.IndexFunc(row.Ports, func(p netview.Port) bool { return p.Number == at.Port })
		if row.Ports[i].Name = name; name == "" {
			row.Ports = slices.Delete(row.Ports, i, i+1)
		}
		for h := range n.view.Snapshot().HostsAt(at) {
			next := *h
			next.State = netview.HostUnconfirmed
			if tx.PutHost(&next); name != "" {
				tx.DeleteHost(h.HostID)
			}
		}
		for l := range n.view.Snapshot().Links() {
			if l.Src == at || l.Dst == at {
				down := *l
				down.Up = false
				tx.PutLink(&down)
			}
		}
		tx.PutSwitch(&row)
	})
}

// TestPortsThatAreOthers: a port of an intent's path goes, or another comes under its number. In
// the same step in which that is heard its rules through the number are ordered away; nothing waits
// until packets have drained, or another path is confirmed.
func TestPortsThatAreOthers(t *testing.T) {
	for name, c := range map[string]struct {
		place netview.Point
		other string
		state string
	}{
		"a host's port goes":              {at(1, 9), "", "waiting(port-unknown)"},
		"a host's port is another":        {at(1, 9), "x", "waiting(host-unknown)"},
		"a far host's port is another":    {at(4, 9), "x", "waiting(host-unknown)"},
		"a cable's port goes":             {at(1, 1), "", "rerouting"},
		"a cable's port is another":       {at(1, 1), "x", "rerouting"},
		"a port in the middle is another": {at(2, 2), "x", "rerouting"},
		"a cable's far port is another":   {at(4, 1), "x", "rerouting"},
	} {
		t.Run(name, func(t *testing.T) {
			n := square(t)
			n.put(link(1, 2, 3, 1), false, netview.LinkConfirmed) // by 1-2-4
			n.host(hostID(1), at(1, 9))
			n.host(hostID(2), at(4, 9))
			n.submit(false, Request{Op: Create, Spec: hostToHost("a", 1, 2)})
			n.rest()
			n.wantState("a", "installed")
			n.put(link(1, 2, 3, 1), true, netview.LinkConfirmed)
			n.rest()
			n.becomes(c.place, c.other)
			n.step()
			n.answer()
			n.wantState("a", c.state)
			for r, h := range n.holds {
				if r.dpid == c.place.DPID && (r.in == c.place.Port || slices.Contains(h.hop.Out(), c.place.Port)) {
					t.Errorf("switch %d still holds a rule from port %d to %v", r.dpid, r.in, h.ways())
				}
			}
			n.rest()
			n.checkWanted(t.Fatalf)
		})
	}
}

// TestAHostThatMovesIsTriedAgain: there is no path from where a host is, and then it is elsewhere.
// No link changes.
func TestAHostThatMovesIsTriedAgain(t *testing.T) {
	n := square(t)
	n.host(hostID(1), at(4, 9))
	n.host(hostID(2), at(1, 9))
	for _, l := range []netview.LinkKey{link(1, 1, 2, 1), link(1, 2, 3, 1)} {
		n.put(l, false, netview.LinkConfirmed)
	}
	n.submit(false, Request{Op: Create, Spec: hostToHost("a", 1, 2)})
	n.rest()
	n.wantState("a", "failed(no-path)")
	n.host(hostID(2), at(4, 10))
	n.rest()
	n.wantState("a", "installed")
}
