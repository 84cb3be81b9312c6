package intent

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/intent/conflict"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

var t0 = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// memory is a journal in memory: what is appended is durable when commit is called, or at once.
type memory struct {
	tell    func(Record) // of each record that is durable; may be nil
	live    map[uint32][]byte
	waiting []func(error)
	refuse  error
	appends int
}

func newMemory() *memory { return &memory{live: make(map[uint32][]byte)} }

func (m *memory) Append(recs []Record, done func(uint64, error)) error {
	if m.refuse != nil {
		return m.refuse
	}
	m.appends++
	kept := make([]Record, len(recs))
	for i, r := range recs {
		kept[i] = Record{r.Number, r.Delete, slices.Clone(r.Data)}
	}
	m.waiting = append(m.waiting, func(err error) {
		for _, r := range kept {
			if err == nil && m.tell != nil {
				m.tell(r)
			}
			if err == nil && r.Delete {
				delete(m.live, r.Number)
			} else if err == nil {
				m.live[r.Number] = r.Data
			}
		}
		done(0, err)
	})
	return nil
}

// commit ends what waits, with an error or none.
func (m *memory) commit(err error) {
	for len(m.waiting) > 0 {
		first := m.waiting[0]
		m.waiting = m.waiting[1:]
		first(err)
	}
}

// numbers are those that live, in order.
func (m *memory) numbers() (list []uint32) {
	for n := range m.live {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// network is a view with switches of 16 ports, and the rules that they hold.
type network struct {
	t      testing.TB
	view   *netview.View
	facts  *netview.Facts
	now    time.Time
	intent *memory
	chosen *memory
	engine *Engine
	// followed, if set, is given what a start has loaded, and returns what it begins with.
	followed func(*Loader) *Loader
	orders   []ruleset.Order // sent, and not answered yet
	first    []int           // how many they were when the engine said that it had ordered what it loaded
	holds    map[ruleAt]held
	// of what is wanted, and perhaps no longer, by the place without its match; nil: nobody looks
	matches map[ruleAt]map[string]bool
	want    map[ruleAt]uint32 // what flowsync wants of switches: numbers
	wrote   int
	refuse  func(at ruleAt) string                      // why a switch does not take a rule; nil: all are taken
	off     map[netview.DPID]bool                       // switches without a session: they answer nothing
	moment  func()                                      // called after each write
	wire    func(g *ruleset.Set, rule int, remove bool) // has what is written forward frames; nil: nothing does
}

// ruleAt is a place at a switch.
type ruleAt struct {
	dpid     netview.DPID
	in       uint32
	priority uint16
	match    string
}

type held struct {
	number uint32
	hop    *ruleset.Hop
}

// placeOf is the place of a rule.
func placeOf(g *ruleset.Set, rule int) ruleAt {
	_, hop := g.At(rule)
	p := g.Place(rule)
	return ruleAt{hop.DPID, p.In, p.Priority, string(p.Match)}
}

// place is where a packet of a leg is looked up that comes in with a tag, or none.
func place(p netview.Point, tag ruleset.Tag, priority uint16, match []byte) ruleAt {
	if tag != 0 {
		return ruleAt{p.DPID, p.Port, plan.PriorityTag, string(tag.Match())}
	}
	return ruleAt{p.DPID, p.Port, priority, string(match)}
}

// ways are those by which packets leave that a rule takes.
func (h *held) ways() []ruleset.Way {
	ways, _ := h.hop.Ways(openflow.V13)
	return ways
}

func newNetwork(t testing.TB, switches int) *network {
	n := &network{t: t, view: netview.New(netview.Limits{}), now: t0, holds: make(map[ruleAt]held),
		want: make(map[ruleAt]uint32), off: make(map[netview.DPID]bool)}
	n.facts = n.view.Facts()
	n.intent, n.chosen = newMemory(), newMemory()
	for i := range switches {
		n.addSwitch(netview.DPID(i + 1))
	}
	n.facts.Update(func(tx *netview.FactsTx) { tx.SetSettled() })
	n.start()
	return n
}

// start makes an engine of what the journals have.
func (n *network) start() {
	clear(n.want)
	clear(n.matches)
	n.orders, n.intent.waiting, n.chosen.waiting, n.first = nil, nil, nil, nil
	n.engine = New(Config{
		Journal: n.intent, Decisions: n.chosen, View: n.view, Now: func() time.Time { return n.now }, Loaded: n.loaded(),
		Orders:  func(list []ruleset.Order) { n.orders = append(n.orders, list...) },
		Ordered: func() { n.first = append(n.first, len(n.orders)) },
	})
}

// loader returns an empty one.
func (n *network) loader() *Loader {
	return NewLoader(Config{View: n.view, Now: func() time.Time { return n.now }})
}

// loaded is what the journals have, as one reads it who begins.
func (n *network) loaded() *Loader {
	loader := n.loader()
	for _, number := range n.intent.numbers() {
		if err := loader.Intent(Record{Number: number, Data: n.intent.live[number]}); err != nil {
			n.t.Fatal(err)
		}
	}
	for _, number := range n.chosen.numbers() {
		loader.Decision(Record{Number: number, Data: n.chosen.live[number]})
	}
	loader.End()
	if n.followed != nil {
		return n.followed(loader)
	}
	return loader
}

func (n *network) addSwitch(dpid netview.DPID) {
	s := &netview.Switch{DPID: dpid, State: netview.SwitchReady, Connected: true}
	for p := range uint32(16) {
		s.Ports = append(s.Ports, netview.Port{Number: p + 1, Up: true, Role: netview.PortEdge})
	}
	n.facts.Update(func(tx *netview.FactsTx) { tx.PutSwitch(s) })
}

func (n *network) put(k netview.LinkKey, up bool, state netview.LinkState) {
	n.facts.Update(func(tx *netview.FactsTx) {
		tx.PutLink(&netview.Link{LinkKey: k, Up: up, State: state, Since: n.now})
		tx.PutLink(&netview.Link{LinkKey: k.Reverse(), Up: up, State: state, Since: n.now})
	})
}

func link(a netview.DPID, ap uint32, b netview.DPID, bp uint32) netview.LinkKey {
	return netview.LinkKey{Src: netview.Point{DPID: a, Port: ap}, Dst: netview.Point{DPID: b, Port: bp}}
}

func (n *network) cable(a netview.DPID, ap uint32, b netview.DPID, bp uint32) {
	n.put(link(a, ap, b, bp), true, netview.LinkConfirmed)
}

func (n *network) host(id netview.HostID, at netview.Point) {
	n.facts.Update(func(tx *netview.FactsTx) {
		tx.PutHost(&netview.Host{HostID: id, At: at, State: netview.HostConfirmed})
	})
}

// step has the engine take what has happened, and returns what it orders then.
func (n *network) step() []ruleset.Order {
	before := len(n.orders)
	n.engine.Step(time.Time{})
	return n.orders[before:]
}

// answer has switches take the orders that are out, those of one switch in order, and the engine
// hear of it.
func (n *network) answer() {
	list := n.orders
	n.orders = nil
	for i := range list {
		if _, hop := list[i].Rules.At(int(list[i].Rule)); n.off[hop.DPID] {
			n.orders = append(n.orders, list[i])
			continue
		}
		n.engine.OnOutcomes([]ruleset.Outcome{n.take(&list[i])})
	}
}

// take has flowsync and a switch take one order.
func (n *network) take(o *ruleset.Order) ruleset.Outcome {
	_, hop := o.Rules.At(int(o.Rule))
	at := placeOf(o.Rules, int(o.Rule))
	was, had := n.holds[at]
	wanted, taken := n.want[at]
	out := ruleset.Outcome{Rules: o.Rules, Rule: o.Rule, Result: ruleset.Installed}
	switch {
	case o.Remove:
		out.Result = ruleset.Removed
		if wanted == o.Rules.Number {
			delete(n.want, at)
		}
		if had && was.number == o.Rules.Number {
			delete(n.holds, at)
			n.wrote++
			if n.wire != nil {
				n.wire(o.Rules, int(o.Rule), true)
			}
		}
	case taken && wanted != o.Rules.Number:
		out.Result, out.Reason = ruleset.Refused, "a rule of another stands in its place"
	case had && was.number == o.Rules.Number && was.hop.Equal(hop):
		n.want[at] = o.Rules.Number
	case n.refuse != nil && n.refuse(at) != "":
		out.Result, out.Reason, out.Code = ruleset.Refused, n.refuse(at), openflow.FlowModFailedTableFull
		delete(n.want, at)
	default:
		if n.matches != nil {
			n.apart(at, o.Rules.Number)
		}
		n.want[at] = o.Rules.Number
		n.holds[at] = held{o.Rules.Number, hop}
		n.wrote++
		if n.wire != nil {
			n.wire(o.Rules, int(o.Rule), false)
		}
	}
	if n.moment != nil {
		n.moment()
	}
	return out
}

// apart wants no rule of another intent, in the place and the priority of one, to have packets of
// it.
func (n *network) apart(at ruleAt, number uint32) {
	here := at
	here.match = ""
	matches := n.matches[here]
	if matches == nil {
		matches = make(map[string]bool)
		n.matches[here] = matches
	}
	for m := range matches {
		if m == at.match {
			continue
		}
		there := at
		there.match = m
		who, wanted := n.want[there]
		if wanted && who != number && (!conflict.ShapeOf([]byte(m)).Source || !conflict.ShapeOf([]byte(at.match)).Source) &&
			(openflow.Match{OXM: []byte(m)}).Overlaps(openflow.Match{OXM: []byte(at.match)}) {
			n.t.Fatalf("switch %d, in by %d, priority %d: number %d has %s, and number %d %s", at.dpid, at.in, at.priority,
				who, openflow.Match{OXM: []byte(m)}, number, openflow.Match{OXM: []byte(at.match)})
		}
		if !wanted {
			delete(matches, m)
		}
	}
	matches[at.match] = true
}

// grace removes what switches that have a session hold and nobody wants.
func (n *network) grace() {
	for at, h := range n.holds {
		if n.want[at] != h.number && !n.off[at.dpid] {
			delete(n.holds, at)
		}
	}
}

// rest runs everything until nothing happens for a minute of the network's time.
func (n *network) rest() {
	rounds := 0
	for quiet := n.now.Add(time.Minute); ; {
		if rounds++; rounds > 5000 {
			n.t.Fatalf("never at rest: next %v, now %v, %d orders, queue %v, %d moves, to move %v", n.engine.Step(time.Time{}), n.now,
				len(n.orders), n.engine.core.queue, n.engine.core.planner.moves.Taken(), n.engine.core.planner.queue)
		}
		n.intent.commit(nil)
		n.chosen.commit(nil)
		next := n.engine.Step(time.Time{})
		busy := len(n.intent.waiting)+len(n.chosen.waiting) > 0 || n.engine.Waiting()
		for _, o := range n.orders {
			_, hop := o.Rules.At(int(o.Rule))
			busy = busy || !n.off[hop.DPID]
		}
		n.answer()
		switch {
		case busy:
			quiet = n.now.Add(time.Minute)
		case next.IsZero() || next.After(quiet):
			n.grace()
			return
		default:
			if next.After(n.now) {
				n.now = next
			}
		}
	}
}

// submit sends requests and has them committed.
func (n *network) submit(atomic bool, reqs ...Request) (answers []Answer) {
	n.t.Helper()
	done := false
	err := n.engine.SubmitAsync(reqs, atomic, func(a []Answer, err error) {
		if err != nil {
			n.t.Fatal(err)
		}
		answers, done = a, true
	})
	if err != nil {
		n.t.Fatal(err)
	}
	n.intent.commit(nil)
	if !done {
		n.t.Fatal("no answer after the commit")
	}
	return answers
}

var errCommit = errors.New("the store said no")

// flow is a point-to-point intent with a selector of its own.
func flow(id string, from, to netview.Point, tag uint32) spec.Spec {
	s := spec.Spec{ID: id, Kind: spec.PointToPoint, Priority: 100, Src: []spec.End{{Point: from}}, Dst: []spec.End{{Point: to}}}
	s.Selector.SetUint(openflow.FieldEthType, 0x0800)
	s.Selector.SetUint(openflow.FieldIPv4Src, uint64(0x0a000000+tag))
	s.Selector.SetUint(openflow.FieldIPv4Dst, uint64(0x0b000000+tag))
	return s
}

func hostID(i int) netview.HostID {
	return netview.HostID{MAC: packet.MAC{2, 0, 0, 0, byte(i >> 8), byte(i)}}
}

func at(dpid netview.DPID, port uint32) netview.Point { return netview.Point{DPID: dpid, Port: port} }

// state is an intent's state and code in one word.
func (n *network) state(id string) string {
	in, ok := n.engine.Get(id)
	switch {
	case !ok:
		return "none"
	case in.Code != NoCode:
		return in.State.String() + "(" + in.Code.String() + ")"
	}
	return in.State.String()
}

func (n *network) wantState(id, want string) {
	n.t.Helper()
	if got := n.state(id); got != want {
		in, _ := n.engine.Get(id)
		n.t.Fatalf("intent %s is %s, want %s: %s", id, got, want, in.Text)
	}
}

// checkWanted holds what switches have against what is wanted.
func (n *network) checkWanted(fatal func(string, ...any)) {
	want := make(map[ruleAt]held)
	list, _ := n.engine.List(0, 1<<30, nil)
	for _, in := range list {
		if g := in.Rules; g != nil && (len(n.off) == 0 || in.State == Installed) {
			for r := range g.Len() {
				_, hop := g.At(r)
				want[placeOf(g, r)] = held{g.Number, hop}
			}
		}
	}
	for at, h := range n.holds {
		if w, ok := want[at]; (!ok || w.number != h.number || !w.hop.Equal(h.hop)) && len(n.off) == 0 {
			fatal("switch %d holds in %d of number %d %v, wanted %v", at.dpid, at.in, h.number, h.ways(), w)
		}
	}
	for at, w := range want {
		if _, ok := n.holds[at]; !ok && !n.off[at.dpid] {
			fatal("switch %d lacks in %d of number %d %v", at.dpid, at.in, w.number, w.ways())
		}
	}
}
