package forward

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// holds are the pairs' rules of a switch, as they are read.
func (n *network) holds(id netview.DPID) (rules []SoftRule) {
	for _, e := range n.switches[id].entries {
		if e.Priority == plan.PriorityPair {
			rules = append(rules, SoftRule{e.Match, e.Cookie, outPorts(e), e.IdleTimeout})
		}
	}
	return rules
}

func outPorts(e openflow.FlowMod) (ports []uint32) {
	if port := e.Instructions[0].Actions[0].Port; port < openflow.PortMax {
		ports = append(ports, port)
	}
	return ports
}

// astray counts, over all switches, the rules that do not do what their paths mean.
func (n *network) astray() (sum int) {
	for _, id := range n.ids {
		sum += len(n.f.CheckRules(id, n.holds(id)))
	}
	return sum
}

// TestMeaning: rules are compared with what the paths are for: they send elsewhere, the destination
// is elsewhere, or a link is down.
func TestMeaning(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for name, c := range map[string]struct {
			spoil func(n *network)
			want  int
		}{
			"nothing": {func(*network) {}, 0},
			"a rule sends back where packets came from": {func(n *network) { n.send1(1, openflow.PortInPort) }, 1},
			"a rule sends to another port":              {func(n *network) { n.send1(2, 9) }, 1},
			"the destination is elsewhere, and nobody moved the pairs": {func(n *network) {
				n.f.places.Take(&netview.Change{Kind: netview.KindHost, Host: &netview.Host{
					HostID: netview.HostID{MAC: n.stations()[2].mac}, At: netview.Point{DPID: 1, Port: 7}}}, n.view.Snapshot())
			}, 3},
			"a link is down, and nobody moved the pairs": {func(n *network) {
				at := n.linkPort(1, 2)
				for key := range map[netview.Point]bool{at: true, n.cables[at]: true} {
					n.facts.Update(func(tx *netview.FactsTx) {
						old, _ := tx.Link(netview.LinkKey{Src: key, Dst: n.cables[key]})
						row := *old
						row.Up = false
						tx.PutLink(&row)
					})
				}
				changes, _, _ := n.view.Changes(n.rev, 1<<20)
				n.f.routes.stepped.Store(n.topo.Next(n.view.Snapshot(), changes))
			}, 2},
		} {
			t.Run(name+", "+v.String(), func(t *testing.T) {
				n := newNetwork(t, 1, v, Config{})
				n.join(4, shapes["full"].edges)
				n.allPairs(t)
				c.spoil(n)
				if got := n.astray(); got != c.want {
					t.Errorf("%d rules are astray, want %d", got, c.want)
				}
			})
		}
	}
}

// send1 has one pair's rule of a switch send to another port.
func (n *network) send1(id netview.DPID, port uint32) {
	entries := n.switches[id].entries
	i := slices.IndexFunc(entries, func(e openflow.FlowMod) bool { return e.Priority == plan.PriorityPair })
	e := entries[i]
	e.Instructions = []openflow.Instruction{openflow.Apply(openflow.Output(port))}
	entries[i] = e
}
