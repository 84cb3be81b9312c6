package forward

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
)

// numbers gives ports of a switch other numbers, as a switch says it: those of the old numbers go,
// with their links, and their hosts are nowhere; then those of the new numbers come; then links are
// heard and hosts seen there. between runs between the three.
func (n *network) numbers(id netview.DPID, other map[uint32]uint32, between func()) {
	old := n.rows(id)
	n.replug(id, other)
	n.ports(id, slices.DeleteFunc(slices.Clone(old.Ports), func(p netview.Port) bool { _, gone := other[p.Number]; return gone }))
	n.heard(id)
	between()
	next := slices.Clone(old.Ports)
	for i := range next {
		if number, moved := other[next[i].Number]; moved {
			next[i].Number, next[i].Role = number, netview.PortUnknown
		}
	}
	slices.SortFunc(next, func(a, b netview.Port) int {
		return netview.Point{Port: a.Number}.Compare(netview.Point{Port: b.Number})
	})
	n.ports(id, next)
	n.heard(id)
	between()
	n.findAll(id)
}

// heard has the application hear what has changed, and one switch do what it is told.
func (n *network) heard(id netview.DPID) {
	for n.follow() {
	}
	sw := n.switches[id]
	for len(sw.out) > 0 {
		do := sw.out[0]
		sw.out = sw.out[1:]
		do()
	}
}

func (n *network) rows(id netview.DPID) *netview.Switch {
	row, _ := n.view.Snapshot().Switch(id)
	return row
}

// replug moves the cables and hosts of a switch's ports.
func (n *network) replug(id netview.DPID, other map[uint32]uint32) {
	to := func(p netview.Point) netview.Point {
		if number, moved := other[p.Port]; moved && p.DPID == id {
			p.Port = number
		}
		return p
	}
	cables := make(map[netview.Point]netview.Point)
	for a, b := range n.cables {
		cables[to(a)] = to(b)
	}
	n.cables = cables
	for _, h := range n.hosts {
		h.at = to(h.at)
	}
	sw := n.switches[id]
	for i, p := range sw.ports {
		sw.ports[i] = to(netview.Point{DPID: id, Port: p}).Port
	}
	slices.Sort(sw.ports)
}

// ports has the view say which ports a switch has. What was at others is there no more, as
// discovery says it.
func (n *network) ports(id netview.DPID, ports []netview.Port) {
	n.facts.Update(func(tx *netview.FactsTx) {
		old, _ := tx.Switch(id)
		row := *old
		row.Ports = ports
		for _, number := range netview.PortsLeft(old, &row) {
			at := netview.Point{DPID: id, Port: number}
			_, another := row.Port(number)
			for h := range n.view.Snapshot().HostsAt(at) {
				next := *h
				next.State = netview.HostUnconfirmed
				if tx.PutHost(&next); another {
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
		}
		for i := range ports {
			if _, another := old.Port(ports[i].Number); another {
				continue
			}
			for h := range n.view.Snapshot().HostsAt(netview.Point{DPID: id, Port: ports[i].Number}) {
				tx.DeleteHost(h.HostID)
			}
		}
		tx.PutSwitch(&row)
	})
}

// findAll has the view say what is at a switch's ports.
func (n *network) findAll(id netview.DPID) {
	n.facts.Update(func(tx *netview.FactsTx) {
		old, _ := tx.Switch(id)
		row := *old
		row.Ports = slices.Clone(old.Ports)
		for i := range row.Ports {
			p := &row.Ports[i]
			if p.Role = netview.PortEdge; n.cables[netview.Point{DPID: id, Port: p.Number}].DPID != 0 {
				p.Role = netview.PortLink
			}
		}
		tx.PutSwitch(&row)
		for a, b := range n.cables {
			if a.DPID == id || b.DPID == id {
				tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: a, Dst: b}, Up: true, State: netview.LinkConfirmed})
			}
		}
		for _, h := range n.hosts {
			if h.at.DPID == id {
				tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: h.mac}, At: h.at, State: netview.HostConfirmed})
			}
		}
	})
}

// allSay has each host say a packet to each other one while something changes: none may loop.
func (n *network) allSay() {
	for _, a := range n.stations() {
		for _, b := range n.stations() {
			if a != b {
				n.hops = 0
				n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, 9))
			}
			b.take()
		}
	}
}

// renumbered are the ways in which a switch with port 1 to its host and port 2 to a cable, and
// perhaps more, may number them.
var renumbered = map[string]map[uint32]uint32{
	"its host's port gets another":           {1: 9},
	"a cable's port gets another":            {2: 9},
	"its host's and a cable's port swap":     {1: 2, 2: 1},
	"its host's takes a cable's":             {1: 2, 2: 9},
	"a cable's takes its host's":             {2: 1, 1: 9},
	"two cables swap":                        {2: 3, 3: 2},
	"its host's and two cables' rotate":      {1: 2, 2: 3, 3: 1},
	"and the other way":                      {1: 3, 3: 2, 2: 1},
	"its host's swaps with the last cable's": {1: 3, 3: 1},
}

// TestPortsChangeTheirNumbers: a switch gives its ports other numbers, under traffic. Nothing
// circles meanwhile, whoever has been told what; then all are reached, and every switch holds the
// rules of the paths that there are, and no others.
func TestPortsChangeTheirNumbers(t *testing.T) {
	for _, shape := range []string{"linear", "parallel", "ring", "kite"} {
		for _, what := range slices.Sorted(maps.Keys(renumbered)) {
			for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
				for seed := range uint64(need.Rounds(3)) {
					t.Run(fmt.Sprintf("%s/%s/%s/%d", shape, what, v, seed), func(t *testing.T) {
						n := newNetwork(t, seed, v, Config{})
						n.join(shapes[shape].switches, shapes[shape].edges)
						id := netview.DPID(1 + seed%2)
						other := renumbered[what]
						for from := range other {
							if !slices.Contains(n.switches[id].ports, from) {
								return
							}
						}
						n.allPairs(t)
						n.numbers(id, other, func() {
							for range 30 {
								n.step()
								n.allSay()
							}
						})
						n.allSay()
						n.settle()
						n.rest()
						for _, h := range n.hosts {
							h.take()
						}
						n.allPairs(t)
						n.floodOnce(t, "broadcast", packet.Broadcast, packet.TypeARP)
						n.rest()
						n.softAgree(t)
					})
				}
			}
		}
	}
}

// TestPortsAreReplacedInOneStep: a switch is found with other ports under the numbers that it had,
// as after a bridge was made again.
func TestPortsAreReplacedInOneStep(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) {
			n := newNetwork(t, 1, v, Config{})
			n.join(2, shapes["parallel"].edges)
			n.allPairs(t)
			other := map[uint32]uint32{1: 2, 2: 1}
			next := slices.Clone(n.rows(1).Ports)
			n.replug(1, other)
			for i := range next {
				next[i].Name, next[i].Role = fmt.Sprintf("another%d", next[i].Number), netview.PortUnknown
			}
			n.ports(1, next)
			for n.follow() {
			}
			n.settle()
			n.allSay()
			n.findAll(1)
			n.settle()
			for _, h := range n.hosts {
				h.take()
			}
			n.allPairs(t)
			n.rest()
			n.softAgree(t)
		})
	}
}

// TestASilentHostIsSeenBehindItsNewNumber: the rules by which a host sends are right whatever the
// number of its own port; they go all the same, so that its next packet says where it is.
func TestASilentHostIsSeenBehindItsNewNumber(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(3, [][2]int{{0, 1}, {1, 2}})
	n.allPairs(t)
	before := n.packetIns()
	n.replug(1, map[uint32]uint32{1: 9})
	n.ports(1, slices.DeleteFunc(slices.Clone(n.rows(1).Ports), func(p netview.Port) bool { return p.Number == 1 }))
	n.settle()
	a, b := n.stations()[0], n.stations()[2]
	n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, 1))
	n.settle()
	if asked := n.packetIns() - before; asked != 1 || b.take() != 1 {
		t.Errorf("%d packet-ins for a packet from a host behind a port of another number, want 1, and the packet at its destination", asked)
	}
}

// TestNoRuleAtASwitchThatWasNotThere: the rules of a path that was left, at a switch which has no
// session when they are to go, go when it is read. The host that is there by then would send by
// them as long as it talks.
func TestNoRuleAtASwitchThatWasNotThere(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) {
			n := newNetwork(t, 1, v, Config{})
			n.join(4, [][2]int{{0, 1}, {1, 2}, {2, 3}})
			all := n.stations()
			a, c := all[0], all[2]
			n.arrives(t, a, c, "a path")
			sw := n.switches[2]
			n.disconnect(sw)
			a.at = n.newPort(1)
			n.facts.Update(func(tx *netview.FactsTx) {
				tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: a.mac}, At: a.at, State: netview.HostConfirmed})
			})
			n.rest()
			n.reconnect(sw)
			n.read1(2)
			n.rest()
			n.softAgree(t)
			n.arrives(t, a, c, "from where it went")
			n.rest()
			n.softAgree(t)
		})
	}
}

// TestAnAbandonedInstallLeavesNoRules: a switch of a new path does not confirm. The rules that were
// written go.
func TestAnAbandonedInstallLeavesNoRules(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) {
			n := newNetwork(t, 1, v, Config{})
			n.join(4, [][2]int{{0, 1}, {1, 2}, {2, 3}})
			all := n.stations()
			a, d := all[0], all[3]
			n.failing = true
			n.say(a, frame(d.mac, a.mac, packet.TypeIPv4, 1))
			n.settle()
			n.failing = false
			n.rest()
			n.softAgree(t)
		})
	}
}

// applied is told what broadcast is told, before broadcast is.
type applied struct {
	Broadcaster
	tell func()
}

func (a applied) Applied(rev netview.Revision) {
	a.tell()
	a.Broadcaster.Applied(rev)
}

// TestRulesGoBeforeTheTreeHears: when broadcast is told that a change of the view has been applied, the rules of
// pairs that send to ports which are gone are deleted, and the deletions flushed: what the tree publishes then
// is behind them. Of pairs that are moved elsewhere, too.
func TestRulesGoBeforeTheTreeHears(t *testing.T) {
	for _, shape := range []string{"linear", "parallel", "ring"} {
		for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
			n := newNetwork(t, 1, v, Config{})
			n.join(shapes[shape].switches, shapes[shape].edges)
			n.allPairs(t)
			sw := n.switches[2]
			rules := func() (sum int) {
				for i := range sw.entries {
					if e := sw.entries[i]; e.Priority == plan.PriorityPair && !outputsTo(e, 1) {
						sum++
					}
				}
				return sum
			}
			before, told := rules(), 0
			n.f.cfg.Broadcast = applied{n.b, func() {
				told++
				if sw.unflushed != 0 {
					t.Errorf("%s, OpenFlow %s: %d messages are not flushed", shape, v, sw.unflushed)
				}
				for _, do := range sw.out {
					do()
				}
				if sw.out = nil; rules() != 0 {
					t.Errorf("%s, OpenFlow %s: %d rules to ports that are gone", shape, v, rules())
				}
			}}
			sw.unflushed = 0
			n.ports(2, slices.DeleteFunc(slices.Clone(n.rows(2).Ports), func(p netview.Port) bool { return p.Number > 1 }))
			if n.follow(); before == 0 || told != 1 {
				t.Errorf("%s, OpenFlow %s: %d rules to the ports before, broadcast was told %d times", shape, v, before, told)
			}
		}
	}
}
