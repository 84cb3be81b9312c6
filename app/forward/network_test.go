package forward

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/weirnet/weir/app/broadcast"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

// epochs number the sessions of all tests.
var epochs atomic.Uint64

func nextEpoch() uint64 { return epochs.Add(1) }

// network is a dumb network around the application, in one goroutine: switches that hold a list of
// entries and look them up one by one, links, hosts, and a flowsync that sends what is desired.
// What is on its way to or from a switch waits in that switch's queues, in order; which queue moves
// next is drawn by seed, so that a test sees many orders.
type network struct {
	t        *testing.T
	rng      *rand.Rand
	version  openflow.Version
	view     *netview.View
	facts    *netview.Facts
	status   *netview.Status
	f        *Forward
	b        *broadcast.Broadcast
	topo     *topology.Map
	rev      netview.Revision
	switches map[netview.DPID]*naive
	ids      []netview.DPID
	cables   map[netview.Point]netview.Point
	down     map[netview.Point]bool
	hosts    map[packet.MAC]*station
	hops     int  // frames on cables since quiet
	failing  bool // barriers that are sent now will fail
	inputs   *netview.Inputs
	pairMods int                                   // flow-mods of pairs
	matched  func(netview.DPID, *openflow.FlowMod) // is told of entries that packets take; may be nil
	stuck    netview.DPID                          // a switch that neither does nor answers anything
	wires    map[netview.Point]*[]func()           // frames on cables, where they take their time; nil: they arrive at once
	visits   map[string][]netview.DPID             // of frames with such content, while wires is set
}

// station is a host: where it is, and what came.
type station struct {
	mac packet.MAC
	at  netview.Point
	got [][]byte
}

// naive is a switch.
type naive struct {
	n         *network
	id        netview.DPID
	ports     []uint32
	d         *Datapath
	b         *broadcast.Session
	in, out   []func() // from and to the controller, in order
	entries   []openflow.FlowMod
	packetIns int

	mods       int           // pairs' rules that were sent to it
	capacity   int           // of pairs' rules; 0 is without bound
	gone       bool          // it has no session
	clogged    bool          // its queue takes nothing
	unanswered []func(error) // barriers
	unflushed  int           // messages of the applications
}

func newNetwork(t *testing.T, seed uint64, v openflow.Version, cfg Config) *network {
	view := netview.New(netview.Limits{})
	n := &network{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), version: v, view: view, facts: view.Facts(),
		status: view.Status(), inputs: view.Inputs(),
		switches: make(map[netview.DPID]*naive), cables: make(map[netview.Point]netview.Point),
		down: make(map[netview.Point]bool), hosts: make(map[packet.MAC]*station),
	}
	cfg.Domain = 1
	n.begin(cfg)
	return n
}

// begin makes the applications.
func (n *network) begin(cfg Config) {
	n.b = broadcast.New(broadcast.Config{Domain: cfg.Domain, Unknown: cfg.Unknown == UnknownFlood},
		n.view.Desired(broadcast.RowOwner))
	cfg.Broadcast = n.b
	n.f = New(cfg)
	n.second()
}

// second is the beat of both.
func (n *network) second() {
	n.b.Beat()
	n.f.Second()
}

// join puts switches into the network, with a host at port 1 of each and cables between further
// ports.
func (n *network) join(count int, edges [][2]int) {
	n.build(count, edges)
	n.announce(true)
	n.settle()
}

// build puts switches, hosts and cables there.
func (n *network) build(count int, edges [][2]int) {
	for i := range count {
		id := netview.DPID(i + 1)
		n.switches[id] = &naive{n: n, id: id, ports: []uint32{1}}
		n.ids = append(n.ids, id)
		mac := packet.MACFromUint64(uint64(0x020000000000 | i + 1))
		n.hosts[mac] = &station{mac: mac, at: netview.Point{DPID: id, Port: 1}}
	}
	for _, e := range edges {
		a, b := n.newPort(e[0]), n.newPort(e[1])
		n.cables[a], n.cables[b] = b, a
	}
}

// announce has the switches connect, and discovery say what there is.
func (n *network) announce(hosts bool) {
	n.facts.Update(func(tx *netview.FactsTx) {
		tables := map[openflow.Version]uint8{openflow.V10: 1, openflow.V13: 254}[n.version]
		for _, id := range n.ids {
			sw := n.switches[id]
			row := &netview.Switch{DPID: id, Connected: true, Settled: true, State: netview.SwitchReady,
				Version: n.version, Tables: tables}
			for _, p := range sw.ports {
				role := netview.PortEdge
				if _, ok := n.cables[netview.Point{DPID: id, Port: p}]; ok {
					role = netview.PortLink
				}
				row.Ports = append(row.Ports, netview.Port{Number: p, Name: fmt.Sprintf("%d-%d", id, p), Up: true, Role: role})
			}
			tx.PutSwitch(row)
			sw.attach(tables)
		}
		for a, b := range n.cables {
			tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: a, Dst: b}, Up: true, State: netview.LinkConfirmed})
		}
		for _, h := range n.hosts {
			if !hosts {
				break
			}
			tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: h.mac}, At: h.at})
		}
		tx.SetSettled()
	})
	snap := n.view.Snapshot()
	n.topo, n.rev = topology.Build(snap), snap.Revision()
	n.f.Reset(snap, n.topo)
	n.b.Apply(topology.Update{Reset: true, Upto: n.rev, Snap: snap})
	n.install(n.rev, snap)
}

// attach begins a session.
func (s *naive) attach(tables uint8) {
	s.d, s.b = s.n.f.Attach(s.id, nextEpoch(), s.n.version, tables, s), s.n.b.Attach(s.id, s)
}

func (n *network) newPort(index int) netview.Point {
	sw := n.switches[netview.DPID(index+1)]
	port := uint32(len(sw.ports) + 1)
	sw.ports = append(sw.ports, port)
	return netview.Point{DPID: sw.id, Port: port}
}

// cut takes a cable down, or up again, with the port statuses that follow.
func (n *network) cut(a netview.Point, down bool) {
	b := n.cables[a]
	n.down[a], n.down[b] = down, down
	n.facts.Update(func(tx *netview.FactsTx) {
		for _, p := range []netview.Point{a, b} {
			old, _ := tx.Switch(p.DPID)
			row := *old
			row.Ports = slices.Clone(old.Ports)
			i := slices.IndexFunc(row.Ports, func(q netview.Port) bool { return q.Number == p.Port })
			row.Ports[i].Up, row.Ports[i].Role = !down, netview.PortLink
			if down {
				row.Ports[i].Role = netview.PortUnknown
			}
			tx.PutSwitch(&row)
		}
		for _, k := range []netview.LinkKey{{Src: a, Dst: b}, {Src: b, Dst: a}} {
			tx.PutLink(&netview.Link{LinkKey: k, Up: !down, State: netview.LinkConfirmed})
		}
	})
}

// follow hands the view's changes to the application and to the naive flowsync; it reports whether
// there were any.
func (n *network) follow() bool {
	select {
	case <-n.f.slots.bell.C():
		n.f.Continue()
	default:
	}
	changes, upto, ok := n.view.Changes(n.rev, 1<<20)
	if !ok {
		n.t.Fatal("the view's log was overrun")
	}
	if len(changes) == 0 {
		return false
	}
	snap := n.view.Snapshot()
	n.topo, n.rev = n.topo.Next(snap, changes), upto
	n.f.Step(changes, snap, n.topo, upto == snap.Revision())
	n.b.Apply(topology.Update{Changes: changes, Upto: upto, Snap: snap})
	n.sync(changes)
	return true
}

// install sends everything wanted, for the start.
func (n *network) install(after netview.Revision, _ *netview.Snapshot) {
	n.rev = after
	n.follow()
}

// sync is the naive flowsync: each change is one flow-mod, confirmed when the switch has done it.
func (n *network) sync(changes []netview.Change) {
	for _, c := range changes {
		if c.Kind != netview.KindRule || !c.Deleted && c.Rule.State != netview.RulePending {
			continue
		}
		sw, r := n.switches[c.Rule.DPID], c.Rule
		fm := openflow.FlowMod{
			Cookie: r.Cookie, Table: r.Table, Priority: r.Priority, Match: r.Match, Instructions: r.Instructions,
			Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		}
		if c.Deleted {
			fm.Command = openflow.FlowDeleteStrict
		}
		sw.send(&fm)
		if !c.Deleted {
			sw.out = append(sw.out, func() {
				n.status.Set([]netview.RuleResult{{Key: r.Key(), Rule: r, State: netview.RuleInstalled}})
			})
		}
	}
}

// step moves one message, drawn by seed; false if there is none.
func (n *network) step() bool {
	if n.rng.IntN(3) == 0 && n.follow() {
		return true
	}
	var busy []*[]func()
	for _, id := range n.ids {
		sw := n.switches[id]
		if id == n.stuck {
			continue
		}
		if len(sw.out) > 0 {
			busy = append(busy, &sw.out)
		}
		if len(sw.in) > 0 {
			busy = append(busy, &sw.in)
		}
		for _, port := range sw.ports {
			if q := n.wires[netview.Point{DPID: id, Port: port}]; q != nil && len(*q) > 0 {
				busy = append(busy, q)
			}
		}
	}
	if len(busy) == 0 {
		return n.follow()
	}
	q := busy[n.rng.IntN(len(busy))]
	do := (*q)[0]
	*q = (*q)[1:]
	do()
	return true
}

// settle moves everything until nothing moves, and lets the seconds pass that the application
// takes.
func (n *network) settle() {
	for range 3 {
		for i := 0; n.step(); i++ {
			if i > 1_000_000 {
				n.t.Fatal("the network does not come to rest")
			}
		}
		n.second()
	}
	if err := n.view.Snapshot().Check(); err != nil {
		n.t.Fatal(err)
	}
	n.hops = 0
}

// say has a host send a frame.
func (n *network) say(h *station, frame []byte) { n.arrive(h.at, frame) }

// arrive hands a frame to the switch at a point.
func (n *network) arrive(at netview.Point, frame []byte) {
	if n.hops++; n.hops > 10_000 {
		n.t.Fatalf("a storm: %d frames on cables for one frame", n.hops)
	}
	if n.wires != nil {
		n.visits[string(frame)] = append(n.visits[string(frame)], at.DPID)
	}
	n.switches[at.DPID].forward(at.Port, frame)
}

// leave puts a frame on whatever is behind a port.
func (n *network) leave(from netview.Point, frame []byte) {
	if to, ok := n.cables[from]; ok {
		switch {
		case n.down[from]:
		case n.wires != nil:
			if n.wires[from] == nil {
				n.wires[from] = new([]func())
			}
			*n.wires[from] = append(*n.wires[from], func() { n.arrive(to, frame) })
		default:
			n.arrive(to, frame)
		}
		return
	}
	for _, h := range n.hosts {
		if h.at == from {
			h.got = append(h.got, frame)
		}
	}
}

// send queues a message to the switch, as bytes, as a session would.
func (s *naive) send(m openflow.Message) {
	if s.gone {
		return
	}
	if fm, ok := m.(*openflow.FlowMod); ok && fm.Priority == plan.PriorityPair {
		s.n.pairMods++
		s.mods++
	}
	b, err := openflow.Append(nil, s.n.version, 1, m)
	if err != nil {
		s.n.t.Fatalf("%T: %v", m, err)
	}
	s.out = append(s.out, func() {
		_, m, err := openflow.Parse(b)
		if err != nil {
			s.n.t.Fatalf("the switch refuses %x: %v", b, err)
		}
		switch m := m.(type) {
		case *openflow.FlowMod:
			s.apply(m)
		case *openflow.PacketOut:
			s.do(m.Actions, m.InPort, m.Data, openflow.ReasonAction, ^uint64(0))
		}
	})
}

func (s *naive) FlowMod(m *openflow.FlowMod) error {
	if s.clogged {
		return errors.New("its queue is full")
	}
	s.unflushed++
	s.send(m)
	return nil
}

func (s *naive) PacketOut(m *openflow.PacketOut) error { s.unflushed++; s.send(m); return nil }
func (s *naive) Flush()                                { s.unflushed = 0 }
func (s *naive) Barrier(done func(error)) error {
	var err error
	if s.n.failing {
		err = errGone
	}
	if s.gone {
		return errGone
	}
	answered := false
	once := func(err error) {
		if !answered {
			answered = true
			done(err)
		}
	}
	s.unanswered = append(s.unanswered, once)
	s.out = append(s.out, func() { s.in = append(s.in, func() { once(err) }) })
	return nil
}

func (s *naive) apply(m *openflow.FlowMod) {
	same := func(e openflow.FlowMod) bool {
		if e.Table != m.Table || e.Priority != m.Priority {
			return false
		}
		if e.Priority == plan.PriorityPair { // both have come the same way: equal byte by byte
			return bytes.Equal(e.Match.OXM, m.Match.OXM)
		}
		return e.Match.Equal(m.Match)
	}
	switch m.Command {
	case openflow.FlowAdd:
		before := len(s.entries)
		s.entries = slices.DeleteFunc(s.entries, same)
		if len(s.entries) == before && m.Priority == plan.PriorityPair && s.full() {
			s.in = append(s.in, func() { s.d.Refused(m.Match, m.Cookie, openflow.FlowModFailedTableFull) })
			return
		}
		s.entries = append(s.entries, *m)
	case openflow.FlowDeleteStrict:
		s.entries = slices.DeleteFunc(s.entries, func(e openflow.FlowMod) bool {
			return same(e) && e.Cookie&m.CookieMask == m.Cookie&m.CookieMask &&
				(m.OutPort == openflow.PortAny || outputsTo(e, m.OutPort))
		})
	default:
		s.n.t.Fatalf("unexpected command %d", m.Command)
	}
}

// full reports whether no pair's rule has room.
func (s *naive) full() bool {
	pairs := 0
	for i := range s.entries {
		if s.entries[i].Priority == plan.PriorityPair {
			pairs++
		}
	}
	return s.capacity > 0 && pairs >= s.capacity
}

func outputsTo(e openflow.FlowMod, port uint32) bool {
	for _, i := range e.Instructions {
		if slices.ContainsFunc(i.Actions, func(a openflow.Action) bool { return a.Port == port }) {
			return true
		}
	}
	return false
}

// forward is the pipeline.
func (s *naive) forward(port uint32, frame []byte) {
	table := uint8(0)
	if s.n.version == openflow.V13 {
		table = 1
	}
	for {
		e := s.lookup(table, port, frame)
		if e == nil {
			if table < 2 {
				s.punt(port, frame, openflow.ReasonNoMatch, 0)
			}
			return
		}
		if s.n.matched != nil {
			s.n.matched(s.id, e)
		}
		next := -1
		for _, i := range e.Instructions {
			switch i.Type {
			case openflow.InstructionApplyActions:
				s.do(i.Actions, port, frame, openflow.ReasonAction, e.Cookie)
			case openflow.InstructionGotoTable:
				next = int(i.Table)
			}
		}
		if next < 0 {
			return
		}
		table = uint8(next)
	}
}

func (s *naive) lookup(table uint8, port uint32, frame []byte) *openflow.FlowMod {
	var best *openflow.FlowMod
	var k packet.Key
	packet.ParseKey(frame, &k)
	for i := range s.entries {
		e := &s.entries[i]
		if e.Table == table && (best == nil || e.Priority > best.Priority) && matches(e.Match, port, &k) {
			best = e
		}
	}
	return best
}

// matches compares TLV by TLV.
func matches(m openflow.Match, port uint32, k *packet.Key) bool {
	for b := m.OXM; len(b) > 0; b = b[4+int(b[3]):] {
		value := b[4 : 4+int(b[3])]
		var have []byte
		switch openflow.Field(b[2] >> 1) {
		case openflow.FieldInPort:
			have = []byte{byte(port >> 24), byte(port >> 16), byte(port >> 8), byte(port)}
		case openflow.FieldEthDst:
			have = k.EthDst[:]
		case openflow.FieldEthSrc:
			have = k.EthSrc[:]
		case openflow.FieldEthType:
			have = []byte{byte(k.EtherType >> 8), byte(k.EtherType)}
		case openflow.FieldVLANVID:
			have = []byte{byte(k.VLAN >> 8), byte(k.VLAN)}
		case openflow.FieldIPProto:
			have = []byte{k.IPProto}
		case openflow.FieldICMPv6Type:
			have = []byte{k.ICMPType}
		default:
			panic(fmt.Sprintf("the naive switch does not know %s", m))
		}
		mask := bytes.Repeat([]byte{0xff}, len(have))
		if b[2]&1 != 0 {
			mask = value[len(have):]
		}
		for i := range have {
			if have[i]&mask[i] != value[i] {
				return false
			}
		}
	}
	return true
}

func (s *naive) do(actions []openflow.Action, inPort uint32, frame []byte, reason openflow.PacketInReason, cookie uint64) {
	for _, a := range actions {
		switch {
		case a.Port == openflow.PortController:
			s.punt(inPort, frame, reason, cookie)
		case a.Port == openflow.PortInPort:
			s.n.leave(netview.Point{DPID: s.id, Port: inPort}, frame)
		case a.Port != inPort:
			s.n.leave(netview.Point{DPID: s.id, Port: a.Port}, frame)
		}
	}
}

// punt sends a packet-in, which the application sees later, in a batch of its own.
func (s *naive) punt(port uint32, frame []byte, reason openflow.PacketInReason, cookie uint64) {
	s.packetIns++
	if s.gone {
		return
	}
	if s.n.version == openflow.V10 {
		cookie = ^uint64(0)
	}
	s.in = append(s.in, func() {
		pin := openflow.PacketIn{
			Buffer: openflow.NoBuffer, TotalLen: uint16(len(frame)), Reason: reason, Cookie: cookie, InPort: port, Data: frame,
		}
		dst, src, vlan, etherType, _, _ := packet.ParseEthernet(frame)
		if plan.SingleTable(s.n.version, 1) {
			s.b.Group(&pin, packet.MACFromUint64(dst))
		}
		s.d.PacketIn(&pin, Frame{Dst: dst, Src: src, VLAN: vlan, EtherType: etherType})
		s.d.BatchEnd()
	})
}

// Pairs is the number of pairs whose packets came in at this switch.
func (d *Datapath) Pairs() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pairs.Len()
}
