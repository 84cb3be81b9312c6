package vswitch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
	"github.com/weirnet/weir/tenant"
)

// sink has what a switch sends.
type sink struct {
	frames  []string // port and frame
	copies  []string // packet-ins
	removed int
	shows   func(*flowtable.PacketIn) (flowtable.PacketIn, bool) // what a tenant is shown of a packet-in; nil: that
}

func (s *sink) Transmit(port, _ uint32, frame []byte) {
	s.frames = append(s.frames, fmt.Sprintf("%d %x", port, frame))
}
func (s *sink) PacketIn(p *flowtable.PacketIn) {
	own, ok := *p, true
	if s.shows != nil && plan.Decode(p.Cookie).Kind == plan.KindInfrastructure {
		s.copies = append(s.copies, fmt.Sprintf("Weir's port=%d %x", p.InPort, p.Frame))
		return
	}
	if s.shows != nil {
		own, ok = s.shows(p)
	}
	if ok {
		s.copies = append(s.copies, fmt.Sprintf("%s port=%d table=%d cookie=%x metadata=%x only10=%t %x", own.Reason, own.InPort,
			own.Table, own.Cookie, own.Metadata, own.Only10, own.Frame))
	}
}
func (s *sink) FlowRemoved(*openflow.FlowRemoved)             { s.removed++ }
func (s *sink) PortStatus(openflow.PortReason, openflow.Port) {}
func (s *sink) take() (frames, copies []string) {
	frames, copies = s.frames, s.copies
	slices.Sort(frames)
	slices.Sort(copies)
	s.frames, s.copies = nil, nil
	return frames, copies
}

// guest is a tenant with its virtual switch, as the test has it.
type guest struct {
	sink
	w         *world
	name      string
	ports     []uint32
	sw        *Switch
	asked     []uint32 // barriers, in order
	confirmed []uint32
	refused   int
	ordered   []*waiting
	before    map[uint32]int // by barrier: orders before it
	books     books
}

// Order has an order wait.
func (g *guest) Order(o ruleset.Order) {
	x := &waiting{of: g, o: o}
	for _, y := range g.ordered {
		if !o.Remove && !y.o.Remove && y.o.Rules.Version == o.Rules.Version && y.o.Rules.Number == o.Rules.Number &&
			y.o.Rules.SamePlace(0, o.Rules, 0) {
			g.w.t.Fatalf("two orders of row %d have incarnation %d", o.Rules.Number, o.Rules.Version)
		}
	}
	g.ordered = append(g.ordered, x)
	g.w.orders = append(g.w.orders, x)
	g.w.tally.ordered(g, o.Rules)
}

func (g *guest) Refused(Origin, *flowtable.Error) { g.refused++ }

// Confirmed wants all orders before the barrier to have been answered, or others after them in their places.
func (g *guest) Confirmed(who Origin) {
	g.confirmed = append(g.confirmed, who.XID)
	for _, x := range g.ordered[:g.before[who.XID]] {
		if !x.answered {
			g.w.t.Fatalf("barrier %d is answered, and not the order of %v before it", who.XID, x.o.Rules.Place(0))
		}
	}
}

// waiting is an order, which waits until the physical switch has executed it, and then until its outcome is known.
type waiting struct {
	of       *guest
	o        ruleset.Order
	answered bool
	outcomes []ruleset.Outcome
}

// tell gives the virtual switch the outcomes of an order.
func (x *waiting) tell() {
	for _, y := range x.of.ordered {
		if y.o.Rules.SamePlace(0, x.o.Rules, 0) {
			y.answered = true
		}
		if y == x {
			break
		}
	}
	for i := range x.outcomes {
		x.of.sw.Outcome(&x.outcomes[i], x.of.w.now, x.of)
	}
}

// world is a physical switch and tenants of it. Its orders are executed one by one, in their order, as flowsync does: of
// several for a place only the last one.
type world struct {
	t          *testing.T
	single     bool             // the physical switch has one table
	reactive   bool             // its tenants are
	version    openflow.Version // that it speaks
	r          *rand.Rand
	physical   *flowtable.Switch
	out        sink
	orders     []*waiting
	classified []*ruleset.Set
	executed   []*waiting        // whose outcomes are not known
	numbers    map[string]uint32 // of groups and meters, by content
	holds      map[string]uint32 // by place, whose rule was written last
	now        time.Duration
	guests     []*guest
	tenants    *tenant.Tenants
	tally      *tally // nil: nobody counts
	byWeir     uint64 // frames that tables of reactive tenants have handled
}

// whose is the tenant whose packet a frame is that comes in at a port; nil if it is nobody's.
func (w *world) whose(port uint32, frame []byte) *guest {
	name := w.spaceOf(frame)
	for _, g := range w.guests {
		if whole := len(w.tenants.Get(g.name).Space) == 0; (whole || g.name == name) && slices.Contains(g.ports, port) {
			return g
		}
	}
	return nil
}

// spaceOf is the name of the tenant whose space a frame is in, "" if there is none.
func (w *world) spaceOf(frame []byte) string {
	var m openflow.Match
	m.Set(openflow.FieldEthDst, frame[:6], nil)
	m.Set(openflow.FieldEthSrc, frame[6:12], nil)
	return w.tenants.Whose(m)
}

const physicalPorts = 6

func newWorld(t *testing.T, seed uint64, single bool, version openflow.Version) *world {
	return worldOf(t, seed, single, version, false)
}

func worldOf(t *testing.T, seed uint64, single bool, version openflow.Version, reactive bool) *world {
	w := &world{t: t, single: single, version: version, reactive: reactive,
		r: rand.New(rand.NewPCG(seed, 3)), tally: newTally(seed),
		physical: flowtable.New(flowtable.Config{}),
		numbers:  make(map[string]uint32), holds: make(map[string]uint32)}
	for no := uint32(1); no <= physicalPorts; no++ {
		w.physical.AddPort(openflow.Port{Number: no, Name: fmt.Sprint(no)}, 0, &w.out)
	}
	tenants := tenant.New()
	for i, ports := range [][]uint32{{1, 2, 3}, {2, 3, 4}, {5, 6}} {
		d := tenant.Definition{Name: fmt.Sprintf("t%d", i), Number: uint16(i + 1)}
		for _, p := range ports {
			d.Ports = append(d.Ports, netview.Point{DPID: 1, Port: p})
		}
		for range 2 {
			var m openflow.Match
			m.SetUint(openflow.FieldEthDst, w.r.Uint64N(3))
			if w.r.IntN(2) == 0 {
				m.SetUint(openflow.FieldEthSrc, w.r.Uint64N(3))
			}
			d.Space = append(d.Space, tenant.Region{Priority: uint16(1 + 2*w.r.IntN(8) + i), Match: m})
		}
		if i == 2 {
			d.Space = nil
		}
		if tenants.Put(d) == nil {
			w.guests = append(w.guests, &guest{w: w, name: d.Name, ports: ports, before: make(map[uint32]int)})
		}
	}
	w.tenants = tenants
	for _, g := range w.guests {
		d := tenants.Get(g.name)
		g.sw = New(recordedConfig(Config{Tenant: d.Number, DPID: 1, Tables: 3, Space: tenants.Space(g.name), Rows: &Rows{},
			Single: single, Version: version, Reactive: reactive}))
		for _, p := range g.ports {
			g.sw.SetPort(openflow.Port{Number: p, Name: fmt.Sprint(p)}, 0, g)
		}
	}
	w.classify()
	if single {
		w.own()
	}
	return w
}

// classify has the physical switch tell packets apart by the spaces that there are.
func (w *world) classify() {
	for _, set := range w.classified {
		w.write(set, true)
	}
	w.classified = nil
	for _, d := range w.tenants.All() {
		list := Classify(d, 1, nil)
		if w.single {
			list = ClassifySingle(d, w.tenants.Space(d.Name), 1)
		}
		for _, set := range list {
			if code := w.write(set, false); code != 0 {
				w.t.Fatalf("the physical switch refuses what tells packets apart: %v", set.Rule(0, 1, w.single))
			}
		}
		w.classified = append(w.classified, list...)
	}
}

// respace adds a tenant whose region may come before those of others; false if it contradicts them.
func (w *world) respace() bool {
	var m openflow.Match
	m.SetUint(openflow.FieldEthSrc, w.r.Uint64N(3))
	if w.tenants.Put(tenant.Definition{Name: "t9", Number: 9, Ports: []netview.Point{{DPID: 1, Port: 4}},
		Space: []tenant.Region{{Priority: uint16(1 + w.r.IntN(20)), Match: m}}}) != nil {
		return false
	}
	for _, g := range w.guests {
		g.sw.SetSpace(w.tenants.Space(g.name), nil, w.now, g)
		if err := g.sw.Check(); err != nil {
			w.t.Fatal(err)
		}
	}
	w.classify()
	w.drain()
	for _, g := range w.guests {
		g.sw.SetMiss(g.sw.misses.shown, w.now, g)
	}
	w.drain()
	return true
}

// own gives the physical switch rules of Weir's own: discovery frames, and what sends all that is left out of port 1.
func (w *world) own() {
	var lldp openflow.Match
	lldp.SetUint(openflow.FieldEthType, uint64(packet.TypeLLDP))
	for priority, x := range map[uint16]struct {
		match openflow.Match
		to    openflow.Action
	}{
		plan.PriorityDiscovery: {lldp, openflow.OutputController(openflow.ControllerNoCut)},
		plan.PriorityUnknown:   {to: openflow.Output(1)},
	} {
		if err := w.physical.FlowMod(w.version, &openflow.FlowMod{Priority: priority, Match: x.match, Buffer: openflow.NoBuffer,
			OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Cookie: plan.Cookie{Domain: 1}.Encode(),
			Instructions: []openflow.Instruction{openflow.Apply(x.to)}}, 0, &w.out); err != nil {
			w.t.Fatal(err)
		}
	}
}

// write has the physical switch execute an order, and returns the error of one that OpenFlow 1.0 cannot say.
func (w *world) write(set *ruleset.Set, remove bool) openflow.ErrorCode {
	var m openflow.FlowMod
	place := set.Place(0)
	key := fmt.Sprintf("%d %d %d %x", place.Table, place.Priority, place.In, place.Match)
	w.tally.before(w)
	if w.tally.has(key, set, remove) {
		return 0 // flowsync leaves it
	}
	if remove {
		mask := plan.OwnerMask
		if w.holds[key] != set.Number { // its order was superseded, and the entry is of the owner before
			mask = plan.DomainMask
		}
		set.Removal(0, plan.DomainDefault, w.single, mask, &m)
	} else {
		w.holds[key] = set.Number
		set.FlowMod(0, plan.DomainDefault, w.single, &m)
		_, hop := set.At(0)
		if objects := hop.Do.Objects(); len(objects) > 0 {
			list, err := hop.Do.Render(w.version, w.number)
			if err != nil || w.version == openflow.V10 { // flowtable has no bundles
				return openflow.FlowModFailedUnsupported
			}
			m.Instructions = list
		}
	}
	if w.version == openflow.V10 {
		m.CookieMask = 0 // it has none
		wire, err := m.Append(nil, w.version)
		if err != nil {
			return openflow.FlowModFailedUnsupported
		}
		if err := m.Parse(w.version, wire); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := w.physical.FlowMod(w.version, &m, w.now, &w.out); err != nil {
		w.t.Fatalf("the physical switch refuses %v: %v", &m, err)
	}
	return 0
}

// number returns the number of a group or a meter at the physical switch, and makes it there.
func (w *world) number(o object.Object) uint32 {
	if n := w.numbers[o.Key()]; n != 0 {
		return n
	}
	n := uint32(len(w.numbers) + 1)
	w.numbers[o.Key()] = n
	var err error
	switch m := o.Message(object.Add, n, w.number).(type) {
	case *openflow.GroupMod:
		err = w.physical.GroupMod(openflow.V13, m, w.now, &w.out)
	case *openflow.MeterMod:
		err = w.physical.MeterMod(openflow.V13, m, w.now, &w.out)
	}
	if err != nil {
		w.t.Fatalf("the physical switch refuses %s: %v", o, err)
	}
	return n
}

// objectMod changes a group or a meter of a tenant at random.
func (w *world) objectMod(g *guest) error {
	r := w.r
	if r.IntN(4) == 0 {
		return g.sw.MeterMod(openflow.V13, &openflow.MeterMod{Command: openflow.MeterModCommand(r.IntN(3)), Meter: 1,
			Flags: openflow.MeterFlagPktps, Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 1 << 20}}}, Origin{}, w.now, g)
	}
	m := &openflow.GroupMod{Command: openflow.GroupModCommand(min(r.IntN(9)/4, 2)), Group: uint32(1 + r.IntN(2)),
		Kind: []openflow.GroupType{openflow.GroupTypeAll, openflow.GroupTypeFastFailover}[r.IntN(2)]}
	for range r.IntN(4) {
		b := openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
			Actions: []openflow.Action{openflow.Output(uint32(1 + r.IntN(physicalPorts)))}}
		if m.Kind == openflow.GroupTypeFastFailover {
			b.WatchPort = g.ports[r.IntN(len(g.ports))]
		}
		if r.IntN(3) == 0 {
			b.Actions = append([]openflow.Action{openflow.SetField(openflow.FieldEthSrc, r.Uint64N(3))}, b.Actions...)
		}
		if m.Group == 2 && r.IntN(3) == 0 {
			b.Actions = []openflow.Action{openflow.Group(1)}
		}
		m.Buckets = append(m.Buckets, b)
	}
	return g.sw.GroupMod(openflow.V13, m, Origin{}, w.now, g)
}

// execute executes the first order that waits, or refuses it.
func (w *world) execute(mayRefuse bool) {
	if len(w.orders) == 0 {
		return
	}
	x := w.orders[0]
	w.orders = w.orders[1:]
	later := slices.ContainsFunc(w.orders, func(y *waiting) bool { return y.o.Rules.SamePlace(0, x.o.Rules, 0) })
	outcome := ruleset.Outcome{Rules: x.o.Rules, Result: ruleset.Installed}
	w.executed = append(w.executed, x)
	switch {
	case later && x.o.Remove:
		outcome.Result = ruleset.Removed
	case later:
		w.executed = w.executed[:len(w.executed)-1]
		return // superseded: no outcome
	case x.o.Remove:
		w.write(x.o.Rules, true)
		outcome.Result = ruleset.Removed
	case mayRefuse && w.r.IntN(8) == 0:
		w.write(x.o.Rules, true) // what was there before goes
		outcome.Result, outcome.Code, outcome.Reason = ruleset.Refused, openflow.FlowModFailedTableFull, "full"
	default:
		if code := w.write(x.o.Rules, false); code != 0 {
			w.write(x.o.Rules, true)
			outcome.Result, outcome.Code = ruleset.Refused, code
			break
		}
		if x.o.Rules.Mortal() && w.r.IntN(3) == 0 {
			x.outcomes = append(x.outcomes, outcome)
			outcome.Result, outcome.Last = ruleset.Ended, w.tally.last(w, x.o.Rules)
			w.write(x.o.Rules, true)
		}
	}
	x.outcomes = append(x.outcomes, outcome)
}

// tell tells the outcome of the first order whose outcome is not known.
func (w *world) tell() {
	if len(w.executed) > 0 {
		x := w.executed[0]
		w.executed = w.executed[1:]
		x.tell()
	}
}

// drain executes and tells all there is.
func (w *world) drain() {
	for len(w.orders)+len(w.executed) > 0 {
		w.execute(false)
		w.tell()
	}
	late := w.now + removalWait
	if w.reactive {
		w.now = late // their entries have looked at the time
	}
	for _, g := range w.guests {
		Tally{g.sw}.Late(late, g)
		if _, waits := (Tally{g.sw}).Due(); waits && !w.reactive {
			w.t.Fatal("a flow-removed waits for ever")
		}
	}
}

func (w *world) frame() []byte {
	k := packet.Key{EthDst: packet.MAC{5: byte(w.r.IntN(4))}, EthSrc: packet.MAC{5: byte(w.r.IntN(4))},
		EtherType: packet.TypeIPv4, TTL: 9, SrcPort: 1, DstPort: 2,
		IPSrc: packet.AddrFrom4([4]byte{10, 0, 0, 1}), IPDst: packet.AddrFrom4([4]byte{10, 0, 0, 2})}
	if w.r.IntN(4) == 0 {
		k.IPDst = packet.AddrFrom4([4]byte{10, 0, 0, 3})
	}
	if w.single && w.r.IntN(9) == 0 {
		return append([]byte{5: byte(w.r.IntN(4)), 11: byte(w.r.IntN(4)), 12: 0x88, 13: 0xcc}, make([]byte, 46)...)
	}
	b := packet.AppendUDP(nil, &k, []byte("x"))
	for range w.r.IntN(3) {
		b = slices.Insert(b, 12, 0x81, 0, byte(w.r.IntN(2)<<5), byte(w.r.IntN(3)))
	}
	return b
}

// flowMod10 is a random one of a tenant's controller of OpenFlow 1.0.
func (w *world) flowMod10(g *guest) *openflow.FlowMod {
	r, reactive := w.r, w.reactive
	w.reactive = false
	m := w.flowMod(g)
	w.reactive = reactive
	m.Table, m.Instructions = 0, nil
	m.Match.Remove(openflow.FieldMetadata)
	m.Flags &= openflow.FlagSendFlowRemoved | openflow.FlagCheckOverlap
	if r.IntN(2) == 0 {
		m.Match.SetUint(openflow.FieldVLANVID, []uint64{0, 0x1001}[r.IntN(2)])
	}
	if r.IntN(2) == 0 {
		m.Match.SetUint(openflow.FieldEthType, uint64(packet.TypeIPv4))
		if r.IntN(2) == 0 {
			m.Match.SetUint(openflow.FieldIPProto, []uint64{6, 17}[r.IntN(2)])
		}
	}
	var actions []openflow.Action
	for range r.IntN(5) {
		some := []openflow.Action{
			{Type: openflow.ActionSetVLANVID, ID: uint32(r.IntN(3))}, {Type: openflow.ActionSetVLANPCP, ID: uint32(r.IntN(2))},
			{Type: openflow.ActionPopVLAN}, {Type: openflow.ActionEnqueue, Port: openflow.PortInPort, ID: 1},
			openflow.SetField(openflow.FieldEthDst, r.Uint64N(4)), openflow.SetField(openflow.FieldIPv4Dst, 0x0a000003),
			openflow.SetField(openflow.FieldTCPDst, 7), openflow.OutputController(128), openflow.Output(openflow.PortFlood),
			openflow.Output(uint32(1 + r.IntN(physicalPorts))), openflow.Output(uint32(1 + r.IntN(physicalPorts)))}
		actions = append(actions, some[r.IntN(len(some))])
	}
	if len(actions) > 0 {
		m.Instructions = []openflow.Instruction{openflow.Apply(actions...)}
	}
	wire, err := m.Append(nil, openflow.V10)
	if err == nil {
		err = m.Parse(openflow.V10, wire)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// flowMod is a random one of a tenant's controller.
func (w *world) flowMod(g *guest) *openflow.FlowMod {
	r := w.r
	m := &openflow.FlowMod{Command: openflow.FlowModCommand(r.IntN(5)), Table: uint8(r.IntN(3)),
		Priority: []uint16{0, 1, 0xfffe, 0xffff}[r.IntN(9)/4+r.IntN(2)],
		Buffer:   openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Cookie: r.Uint64N(9),
		Flags:       openflow.FlowFlags(r.IntN(2)) | openflow.FlagCheckOverlap,
		IdleTimeout: uint16(r.IntN(2)), HardTimeout: uint16(r.IntN(2))}
	if m.Cookie%2 == 1 {
		m.Flags |= openflow.FlagResetCounts
	}
	if r.IntN(2) == 0 {
		m.Match.SetUint(openflow.FieldInPort, uint64(g.ports[r.IntN(len(g.ports))]))
	}
	if r.IntN(3) == 0 {
		m.Match.SetUint(openflow.FieldEthDst, r.Uint64N(3))
	}
	if m.Table > 0 && r.IntN(2) == 0 {
		m.Match.SetUintMasked(openflow.FieldMetadata, r.Uint64N(2), 1)
	}
	if w.single {
		m.Table = uint8(r.IntN(20) / 19)
		m.Priority = uint16(1<<r.IntN(17) - 1)
	}
	if w.reactive {
		w.richer(m)
	}
	var actions []openflow.Action
	for range r.IntN(3) {
		switch r.IntN(9) {
		case 6, 7, 8:
			actions = append(actions, openflow.Group(uint32(1+r.IntN(2))))
		case 0:
			actions = append(actions, openflow.SetField(openflow.FieldEthDst, r.Uint64N(4)))
		case 1:
			actions = append(actions, openflow.OutputController(openflow.ControllerNoCut))
		case 2:
			reserved := []uint32{openflow.PortFlood, openflow.PortAll, openflow.PortInPort}
			actions = append(actions, openflow.Output(reserved[r.IntN(3)]))
		default:
			actions = append(actions, openflow.Output(uint32(1+r.IntN(physicalPorts))))
		}
	}
	if r.IntN(6) == 0 {
		m.Instructions = append(m.Instructions, openflow.UseMeter(1))
	}
	switch r.IntN(4) {
	case 0:
		m.Instructions = append(m.Instructions, openflow.Instruction{Type: openflow.InstructionWriteActions, Actions: actions})
	default:
		m.Instructions = append(m.Instructions, openflow.Apply(actions...))
	}
	if m.Table < 2 && r.IntN(2) == 0 && (!w.single || w.reactive || r.IntN(20) == 0) {
		m.Instructions = append(m.Instructions, openflow.Instruction{Type: openflow.InstructionWriteMetadata,
			Metadata: r.Uint64N(2), MetadataMask: 1}, openflow.GotoTable(m.Table+1))
	}
	return m
}

// agree has every tenant's packets meet in the physical switch what they meet in its tables, and nothing of others'.
func (w *world) agree() (sent int) {
	w.t.Helper()
	for range 40 {
		port, frame := uint32(1+w.r.IntN(physicalPorts)), w.frame()
		g := w.whose(port, frame)
		if g != nil && !slices.Contains(slices.Collect(maps.Keys(g.sw.ports)), port) {
			continue // what comes in there is the tenant's no more: that is classification
		}
		var wantFrames, wantCopies []string
		if g != nil {
			g.sw.tables.ReceiveUncounted(port, frame, w.now, &g.sink)
			wantFrames, wantCopies = g.sink.take()
		}
		if w.single {
			wantFrames, wantCopies = w.besideOwn(g, port, frame, wantFrames, wantCopies)
		}
		w.out.shows = w.shown
		w.receive(port, frame)
		frames, copies := w.done(g)
		if !slices.Equal(frames, wantFrames) || !slices.Equal(copies, wantCopies) {
			name := "nobody"
			if g != nil {
				name = g.name
			}
			w.t.Logf("tables of the physical switch:\n%s", listing(w.physical))
			for _, g := range w.guests {
				w.t.Logf("tables of %s:\n%s", g.name, listing(g.sw.tables))
			}
			w.t.Fatalf("port %d, frame %x of %s: the physical switch sends %v and shows %v, want %v and %v", port, frame, name,
				frames, copies, wantFrames, wantCopies)
		}
		sent += len(frames) + len(copies)
	}
	return sent
}

// besideOwn is what the physical switch is to do besides rules of Weir's own.
func (w *world) besideOwn(g *guest, port uint32, frame []byte, frames, copies []string) (_, _ []string) {
	switch {
	case isLLDP(frame):
		return nil, []string{fmt.Sprintf("Weir's port=%d %x", port, frame)}
	case g == nil && port != 1 && w.spaceOf(frame) == "": // in no space; in that of a tenant, the port is not the tenant's
		return []string{fmt.Sprintf("1 %x", frame)}, nil
	}
	return frames, copies
}

// shown is what a tenant is shown of a packet-in of the physical switch.
func (w *world) shown(p *flowtable.PacketIn) (own flowtable.PacketIn, ok bool) {
	c := plan.Decode(p.Cookie)
	number, row := plan.TenantRow(c.Owner)
	var m openflow.PacketIn
	p.Message(&m, openflow.V13, 0)
	for _, g := range w.guests {
		if c.Kind == plan.KindTenant && g.sw.cfg.Tenant == number && (Reactive{g.sw}).Takes(row) {
			w.handle(g, p)
			return own, false
		}
		if c.Kind == plan.KindTenant && g.sw.cfg.Tenant == number {
			return g.sw.PacketIn(row, &m)
		}
	}
	w.t.Fatalf("a packet-in with cookie %x, which is no tenant's", p.Cookie)
	return own, false
}

// staysInside has a frame come in, and wants what the physical switch sends of it to leave by ports of the tenant that it
// belongs to, and to be that tenant's still.
func (w *world) staysInside() {
	w.t.Helper()
	port, frame := uint32(1+w.r.IntN(physicalPorts)), w.frame()
	g := w.whose(port, frame)
	if w.out.shows = nil; w.reactive {
		w.out.shows = w.shown
	}
	w.receive(port, frame)
	frames, copies := w.done(g)
	if w.single && (isLLDP(frame) || g == nil) {
		if want, shown := w.besideOwn(g, port, frame, nil, nil); !slices.Equal(frames, want) || len(copies) != len(shown) {
			w.t.Fatalf("port %d, frame %x of nobody: the physical switch sends %v and shows %v", port, frame, frames, copies)
		}
		return
	}
	if g == nil && len(frames)+len(copies) > 0 {
		w.t.Fatalf("port %d, frame %x of nobody: the physical switch sends %v and shows %v", port, frame, frames, copies)
	}
	for _, text := range frames {
		var to uint32
		var sent []byte
		if _, err := fmt.Sscanf(text, "%d %x", &to, &sent); err != nil {
			w.t.Fatal(err)
		}
		if !slices.Contains(g.ports, to) || w.whose(to, sent) != g {
			w.t.Fatalf("port %d, frame %x of %s: the physical switch sends %v", port, frame, g.name, frames)
		}
	}
}

// TestTwin has random controllers do what they like, and the physical switch refuse and end what it likes.
func TestTwin(t *testing.T) {
	t.Run("tables", func(t *testing.T) { twin(t, 1500, false, openflow.V13) })
	t.Run("one table", func(t *testing.T) { twin(t, 1200, true, openflow.V13) })
	t.Run("OpenFlow 1.0", func(t *testing.T) { twin(t, 1000, true, openflow.V10) })
}

func twin(t *testing.T, seeds uint64, single bool, version openflow.Version) {
	refusals, ends, sent, objects, split, misses, parts, respaced, counted := 0, 0, 0, 0, 0, 0, 0, 0, 0
	for seed := range seeds {
		w := newWorld(t, seed, single, version)
		xid := uint32(0)
		for range 100 {
			w.now += 100 * time.Millisecond
			g := w.guests[w.r.IntN(len(w.guests))]
			switch w.r.IntN(17) {
			case 14:
				g.sw.SetMiss(w.r.IntN(2) == 0, w.now, g)
			case 15, 16:
				if g.sw.FlowMod(openflow.V10, w.flowMod10(g), Origin{1, xid}, w.now, g) != nil {
					refusals++
				}
			case 8, 9:
				_ = w.objectMod(g)
			case 0:
				xid++
				g.asked = append(g.asked, xid)
				g.before[xid] = len(g.ordered)
				g.sw.Barrier(Origin{1, xid}, g)
			case 1, 2, 3:
				w.execute(true)
			case 5, 6, 7:
				w.tell()
			case 4:
				p := openflow.Port{Number: g.ports[w.r.IntN(len(g.ports))]}
				if w.r.IntN(2) == 0 {
					g.sw.RemovePort(p.Number, w.now, g)
				} else {
					g.sw.SetPort(p, w.now, g)
				}
			default:
				if g.sw.FlowMod(openflow.V13, w.flowMod(g), Origin{1, xid}, w.now, g) != nil {
					refusals++
				}
			}
			w.staysInside()
			if err := g.sw.Check(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		w.drain()
		for _, g := range w.guests { // what shows misses may have been refused
			g.sw.SetMiss(g.sw.misses.shown, w.now, g)
		}
		w.drain()
		for _, g := range w.guests {
			if !slices.Equal(g.confirmed, g.asked) {
				t.Fatalf("seed %d: barriers %v were answered as %v", seed, g.asked, g.confirmed)
			}
			ends += g.removed
			parts += g.sw.single.rules
			for _, r := range g.sw.rows {
				if r.miss {
					misses++
				}
				split += len(r.parts) / 2
			}
			for _, x := range g.ordered {
				if _, hop := x.o.Rules.At(0); !x.o.Remove && len(hop.Do.Objects()) > 0 {
					objects++
				}
			}
		}
		sent += w.agree()
		counted += w.tally.check(w)
		if single && w.respace() {
			respaced++
			sent += w.agree()
		}
	}
	t.Logf("%d flow-mods were refused, %d flow-removed told, %d frames and copies sent, %d orders with groups and meters, "+
		"%d entries in two parts and %d misses shown, %d rules, %d spaces changed, %d packets counted", refusals, ends, sent, objects,
		split, misses, parts, respaced, counted)
	if refusals < 500 || ends < 400 || sent < 500 || objects < 200 && version != openflow.V10 || split < 300 || misses < 300 ||
		single && respaced < 300 || counted < 100 {
		t.Error("the test shows nothing")
	}
}

// listing is the entries of a switch, for who reads a failure.
func listing(s *flowtable.Switch) (text string) {
	list, _ := s.Multipart(openflow.V13, &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}, 0)
	for _, e := range list.(*openflow.FlowStatsList).Flows {
		text += fmt.Sprintf("table=%d priority=%d cookie=%x %s %v\n", e.Table, e.Priority, e.Cookie, e.Match, e.Instructions)
	}
	return text
}
