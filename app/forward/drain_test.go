package forward

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/pathing"
)

// traffic sends numbered packets of known pairs over cables that take their time, between the steps
// of a change.
type traffic struct {
	n    *network
	sent []sentFrame
	id   uint32
}

type sentFrame struct {
	to    *station
	frame []byte
}

func (n *network) traffic() *traffic {
	n.wires, n.visits = make(map[netview.Point]*[]func()), make(map[string][]netview.DPID)
	return &traffic{n: n}
}

// some sends a packet of a random pair.
func (tr *traffic) some() {
	all := tr.n.stations()
	a, b := all[tr.n.rng.IntN(len(all))], all[tr.n.rng.IntN(len(all))]
	if a != b {
		tr.send(a, b)
	}
}

// between sends a packet from a host of one switch to one of another.
func (tr *traffic) between(x, y netview.DPID) {
	from, to := tr.n.at(x), tr.n.at(y)
	tr.send(from[tr.n.rng.IntN(len(from))], to[tr.n.rng.IntN(len(to))])
}

// at are the hosts of a switch.
func (n *network) at(id netview.DPID) []*station {
	return slices.DeleteFunc(n.stations(), func(h *station) bool { return h.at.DPID != id })
}

func (tr *traffic) send(a, b *station) {
	tr.id++
	f := binary.BigEndian.AppendUint32(packet.AppendEthernet(nil, b.mac, a.mac, 0, 0, packet.TypeIPv4), tr.id)
	tr.sent = append(tr.sent, sentFrame{b, f})
	tr.n.hops = 0
	tr.n.say(a, f)
}

// run sends packets while a number of steps happen.
func (tr *traffic) run(steps int) {
	for range steps {
		tr.some()
		for range 1 + tr.n.rng.IntN(3) {
			tr.n.step()
		}
	}
}

// check wants each packet to have arrived once, without passing a switch twice.
func (tr *traffic) check(t *testing.T) {
	t.Helper()
	lost, twice, looped := 0, 0, 0
	for _, s := range tr.sent {
		came := 0
		for _, f := range s.to.got {
			if slices.Equal(f, s.frame) {
				came++
			}
		}
		if came == 0 {
			lost++
		}
		if came > 1 {
			twice++
		}
		seen := slices.Sorted(slices.Values(tr.n.visits[string(s.frame)]))
		if len(slices.Compact(slices.Clone(seen))) < len(seen) {
			looped++
		}
	}
	if lost+twice+looped > 0 {
		t.Errorf("of %d packets %d were lost, %d came twice, %d passed a switch twice", len(tr.sent), lost, twice, looped)
	}
	for _, h := range tr.n.hosts {
		h.take()
	}
	tr.sent = nil
	clear(tr.n.visits)
}

// drain sets what is drained: switches (Port 0) and ports.
func (n *network) drain(places ...netview.Point) {
	s := &netview.Settings{Switches: map[netview.DPID]netview.SwitchSettings{}, Ports: map[netview.Point]netview.PortSettings{}}
	for _, at := range places {
		if at.Port == 0 {
			s.Switches[at.DPID] = netview.SwitchSettings{Drained: true}
		} else {
			s.Ports[at] = netview.PortSettings{Drained: true}
		}
	}
	n.inputs.Set(s)
}

// anyPlace is a port with a cable, or a switch.
func (n *network) anyPlace() netview.Point {
	at := n.anyCable()
	if n.rng.IntN(2) == 0 {
		at.Port = 0
	}
	return at
}

// meshes runs a test on the shapes with more than one way.
func meshes(t *testing.T, test func(t *testing.T, n *network)) {
	for _, name := range []string{"ring", "full", "diamonds", "kite", "parallel", "torus"} {
		for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
			for seed := range uint64(8) {
				t.Run(fmt.Sprintf("%s/%s/%d", name, v, seed), func(t *testing.T) {
					n := newNetwork(t, seed, v, Config{})
					n.join(shapes[name].switches, shapes[name].edges)
					n.allPairs(t)
					test(t, n)
				})
			}
		}
	}
}

// left wants nothing to pass the places that could pass elsewhere, and all switches to hold what
// the pairs ask for.
func (n *network) left(t *testing.T, places ...netview.Point) {
	t.Helper()
	n.gone(t, places...)
	n.softAgree(t)
}

// gone is left, but for rules that a switch could not be told to delete.
func (n *network) gone(t *testing.T, places ...netview.Point) {
	t.Helper()
	for _, at := range places {
		if p, q := n.f.Crossing(at), n.b.Crossing(at); p.Pairs+q.Leaving > 0 {
			t.Errorf("%d pairs and %d links of the tree still pass %s", p.Pairs, q.Leaving, at)
		}
	}
	if n.f.slots.Taken() != 0 {
		t.Errorf("%d moves are under way at rest", n.f.slots.Taken())
	}
	for _, d := range n.f.switches.all() {
		if len(d.installs)+len(d.halfMoved)+d.installer.waiting.packets > 0 {
			t.Errorf("switch %s: %d installs under way at rest, %d given up, %d packets held", d.id, len(d.installs),
				len(d.halfMoved), d.installer.waiting.packets)
		}
	}
	n.softHeld(t, false)
}

func TestDrainLosesNothing(t *testing.T) {
	meshes(t, func(t *testing.T, n *network) {
		tr, asked := n.traffic(), n.packetIns()
		for range 3 {
			places := []netview.Point{n.anyPlace(), n.anyPlace()}[:1+n.rng.IntN(2)]
			n.drain(places...)
			tr.run(150)
			n.rest()
			tr.check(t)
			n.left(t, places...)
		}
		if n.packetIns() != asked {
			t.Errorf("%d packets of pairs came to the controller", n.packetIns()-asked)
		}
		n.wires = nil
		n.floodOnce(t, "broadcast", packet.Broadcast, packet.TypeARP)
	})
}

// TestTurnedPathsPassNoSwitchTwice moves pairs between two paths that pass two switches in opposite
// orders.
func TestTurnedPathsPassNoSwitchTwice(t *testing.T) {
	for seed := range uint64(30) {
		n := newNetwork(t, seed, openflow.V13, Config{})
		n.join(4, shapes["kite"].edges)
		n.allPairs(t)
		tr, was := n.traffic(), n.f.Counts().Moved.Load()
		across := []netview.Point{n.linkPort(1, 3), n.linkPort(2, 4)}
		back := []netview.Point{n.linkPort(1, 2), n.linkPort(3, 4)}
		for _, places := range [][]netview.Point{across, back, across, back} {
			n.drain(places...)
			for range 100 {
				tr.between(1, 4)
				tr.between(4, 1)
				n.step()
				n.step()
			}
			n.rest()
			tr.check(t)
			n.left(t, places...)
		}
		if n.f.Counts().Moved.Load() < was+8 {
			t.Errorf("%d pairs moved, want at least 8", n.f.Counts().Moved.Load()-was)
		}
	}
}

// rest has the network come to rest, slow moves included.
func (n *network) rest() {
	for range 4 {
		n.settle()
	}
}

// TestDrainOfEverything: no path is better than another, so all stay, and traffic goes on.
func TestDrainOfEverything(t *testing.T) {
	meshes(t, func(t *testing.T, n *network) {
		tr, moved := n.traffic(), n.f.Counts().Moved.Load()
		var all []netview.Point
		for _, id := range n.ids {
			all = append(all, netview.Point{DPID: id})
		}
		n.drain(all...)
		tr.run(50)
		n.rest()
		tr.check(t)
		n.left(t, all...)
		if got := n.f.Counts().Moved.Load(); got != moved {
			t.Errorf("%d pairs moved, though everything is drained", got-moved)
		}
		if p := n.f.Crossing(all[0]); p.Bound == 0 {
			t.Errorf("%+v pass a switch that has to be passed", p)
		}
	})
}

// TestDrainAndUndrainRace drains and undrains before either has come to its end.
func TestDrainAndUndrainRace(t *testing.T) {
	meshes(t, func(t *testing.T, n *network) {
		tr := n.traffic()
		for range 6 {
			n.drain(n.anyPlace())
			tr.run(n.rng.IntN(15))
			n.drain()
			tr.run(n.rng.IntN(15))
		}
		at := n.anyPlace()
		n.drain(at)
		tr.run(100)
		n.rest()
		tr.check(t)
		n.left(t, at)
	})
}

// TestNewPairsAvoidWhatIsDrained asks for paths after the drain.
func TestNewPairsAvoidWhatIsDrained(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(5, shapes["ring"].edges)
	at := n.linkPort(1, 2)
	n.drain(at)
	n.settle()
	n.allPairs(t)
	for _, p := range n.f.paths.All() {
		if p.Passes(at) {
			t.Errorf("%v passes %s", p.Hops, at)
		}
	}
	n.left(t, at)
}

// TestPairInstalledWhileDraining: a path that was chosen before the drain is confirmed after it.
func TestPairInstalledWhileDraining(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(5, shapes["ring"].edges)
	at := n.linkPort(1, 2)
	s := n.stations()
	n.say(s[0], frame(s[1].mac, s[0].mac, packet.TypeIPv4, 1))
	n.read(1)
	n.drain(at)
	for n.follow() {
	}
	n.rest()
	if s[1].take() != 1 {
		t.Error("the packet did not come")
	}
	n.left(t, at)
}

// TestFailureWhileDraining has a link fail while pairs are being moved: what comes after is
// repaired at once, and nothing stays wrong.
func TestFailureWhileDraining(t *testing.T) {
	meshes(t, func(t *testing.T, n *network) {
		n.drain(n.anyPlace())
		for range n.rng.IntN(30) {
			n.step()
		}
		at := n.anyCable()
		n.cut(at, true)
		for range n.rng.IntN(30) {
			n.step()
		}
		n.rest()
		if n.connected() {
			n.allPairs(t)
		}
		n.cut(at, false)
		n.drain()
		n.rest()
		n.allPairs(t)
		n.rest()
		n.left(t)
	})
}

// TestDisconnectWhileDraining has a switch lose its session while pairs are being moved, and come
// back.
func TestDisconnectWhileDraining(t *testing.T) {
	meshes(t, func(t *testing.T, n *network) {
		tr := n.traffic()
		at := n.anyPlace()
		n.drain(at)
		tr.run(n.rng.IntN(20))
		id := n.ids[n.rng.IntN(len(n.ids))]
		sw := n.switches[id]
		n.disconnect(sw)
		tr.run(20)
		n.rest()
		n.reconnect(sw)
		tr.run(20)
		n.rest()
		tr.check(t)
		n.wires = nil
		n.allPairs(t)
		n.rest()
		n.gone(t, at)
	})
}

// TestSlowMovesEndWithTheSession: a planned move that waits for what is on its way gives its place
// back when its switch loses its session.
func TestSlowMovesEndWithTheSession(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(5, shapes["ring"].edges)
	n.allPairs(t)
	d := n.f.switches.get(1)
	for pr, fl := range d.all() {
		w := &install{pr: pr, path: n.f.paths.HoldByID(fl.Path), moving: true}
		w.Start(pathing.Order{IngressLast: true, Spacing: spacing}, n.f.clock.now())
		w.Due(n.f.clock.now())
		n.f.slots.Take(&w.Transition)
		d.installs[pr], d.installer.delayed = w, append(d.installer.delayed, w)
	}
	n.disconnect(n.switches[1])
	n.settle()
	if moving := n.f.slots.Taken(); moving != 0 || len(d.installs) > 0 {
		t.Errorf("%d planned moves are under way at a switch without a session, %d installs wait", moving, len(d.installs))
	}
}

// disconnect ends a switch's session: what was on its way there is lost, and waits in vain.
func (n *network) disconnect(sw *naive) {
	sw.d.Detach(sw)
	sw.b.SwitchDown()
	sw.in = nil
	sw.gone = true
	var failed []func(error)
	failed, sw.unanswered = sw.unanswered, nil
	sw.out = nil
	n.connected1(sw.id, false)
	for _, done := range failed {
		done(errGone)
	}
}

// reconnect begins a new session, in which flowsync writes what is desired.
func (n *network) reconnect(sw *naive) {
	sw.gone = false
	row, _ := n.view.Snapshot().Switch(sw.id)
	sw.attach(row.Tables)
	n.connected1(sw.id, true)
	for r := range n.view.Snapshot().Rules(sw.id) {
		n.sync([]netview.Change{{Kind: netview.KindRule, Rule: r}})
	}
}

// connected1 is what discovery says of a session's begin or end.
func (n *network) connected1(id netview.DPID, up bool) {
	n.facts.Update(func(tx *netview.FactsTx) {
		old, _ := tx.Switch(id)
		row := *old
		row.Connected, row.State = up, netview.SwitchReady
		state := netview.LinkConfirmed
		if !up {
			row.State, state = netview.SwitchDisconnected, netview.LinkUnconfirmed
		}
		tx.PutSwitch(&row)
		for p, q := range n.cables {
			if p.DPID == id || q.DPID == id {
				tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: p, Dst: q}, Up: true, State: state})
			}
		}
	})
}

// TestManyPairsAreMovedAFewAtATime drains a link under 1,000 pairs, more than may move at once.
func TestManyPairsAreMovedAFewAtATime(t *testing.T) {
	n := newNetwork(t, 1, openflow.V13, Config{})
	n.join(5, shapes["ring"].edges)
	n.guests(1, 23)
	n.guests(2, 23)
	n.allGuests(t, 1, 2)
	at := n.linkPort(1, 2)
	passed := n.f.Crossing(at)
	if passed.Bound < 1000 {
		t.Fatalf("%+v pass the link, want 1,000 pairs", passed)
	}
	tr := n.traffic()
	n.drain(at)
	most := 0
	for i := range 4000 {
		if i%4 == 0 {
			tr.between(1, 2)
		}
		n.step()
		most = max(most, n.f.slots.Taken())
	}
	n.rest()
	tr.check(t)
	n.left(t, at)
	if most > pathing.MovesMax || most < pathing.MovesMax/2 {
		t.Errorf("up to %d pairs moved at a time, want %d", most, pathing.MovesMax)
	}
}

// guests adds hosts to a switch's first port.
func (n *network) guests(id netview.DPID, count int) {
	n.facts.Update(func(tx *netview.FactsTx) {
		for i := range count {
			mac := packet.MACFromUint64(0x060000000000 | uint64(id)<<16 | uint64(i))
			n.hosts[mac] = &station{mac: mac, at: netview.Point{DPID: id, Port: 1}}
			tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: mac}, At: n.hosts[mac].at})
		}
	})
	n.settle()
}

// allGuests has the hosts of two switches talk, both ways, a switch's packets all at once.
func (n *network) allGuests(t *testing.T, x, y netview.DPID) {
	for _, a := range n.at(x) {
		for _, b := range n.at(y) {
			n.hops = 0
			n.say(a, frame(b.mac, a.mac, packet.TypeIPv4, 1))
			n.say(b, frame(a.mac, b.mac, packet.TypeIPv4, 1))
		}
	}
	n.settle()
	for _, h := range n.hosts {
		h.take()
	}
}
