package flowsync

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// tester is a *testing.T, or a *rapid.T, to which failures have to be told for it to find the
// smallest one.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// world is a view, a loop that is turned by hand, switches and a clock.
type world struct {
	t      tester
	view   *netview.View
	facts  *netview.Facts
	loop   *Loop
	owners map[string]*netview.Desired
	models map[netview.DPID]*model
	wires  map[netview.DPID]*wire
	seen   netview.Revision
	lines  []string
	loud   bool
	now    time.Time

	orders *accounts // nil if nobody keeps an account of them
}

func newWorld(t tester, config Config) *world {
	view := netview.New(netview.Limits{})
	w := &world{}
	if config.ReadEvery == 0 {
		config.ReadEvery = 24 * time.Hour
	}
	config.OnOutcomes = w.onOutcomes
	config.OnTreeEntries = func(at Address, entries []Entry) {
		for i := range entries {
			w.say(fmt.Sprintf("%s: found %s", at.DPID, entries[i].String()))
		}
	}
	*w = world{
		t: t, view: view, facts: view.Facts(), loop: New(config, view), owners: map[string]*netview.Desired{},
		now:    time.Unix(0, 0),
		models: map[netview.DPID]*model{}, wires: map[netview.DPID]*wire{},
	}
	return w
}

// turn lets flowsync do what it can, and notes what it said of rules.
func (w *world) turn() {
	w.loop.turn(w.now)
	w.check()
	changes, upto, ok := w.view.Changes(w.seen, 1<<20)
	if !ok {
		w.t.Fatal("the log of the view is too short for the test")
	}
	w.seen = upto
	for _, c := range changes {
		if c.Kind == netview.KindRule && w.loud {
			w.say(ruleLine(&c))
		}
	}
}

func ruleLine(c *netview.Change) string {
	r := c.Rule
	state := string(r.State)
	if c.Deleted {
		state = "withdrawn"
	}
	s := fmt.Sprintf("%s %s: table=%d priority=%d %s %s", r.DPID, r.Owner, r.Table, r.Priority, r.Match.String(), state)
	if r.Reason != "" {
		s += ": " + r.Reason
	}
	return s
}

func (w *world) say(line string) {
	if w.loud {
		w.lines = append(w.lines, line)
	}
}

// add makes a switch, with ports that are up.
func (w *world) add(dpid netview.DPID, version openflow.Version, tables uint8, ports ...uint32) {
	w.models[dpid] = newModel(version, tables)
	sw := &netview.Switch{DPID: dpid, Version: version, Tables: tables, State: netview.SwitchDisconnected}
	for _, p := range ports {
		sw.Ports = append(sw.Ports, netview.Port{Number: p, Up: true})
	}
	w.facts.Update(func(tx *netview.FactsTx) { tx.PutSwitch(sw) })
}

// change changes a switch's row.
func (w *world) change(dpid netview.DPID, do func(*netview.Switch)) {
	old, _ := w.view.Snapshot().Switch(dpid)
	sw := *old
	sw.Ports = append([]netview.Port(nil), old.Ports...)
	do(&sw)
	w.facts.Update(func(tx *netview.FactsTx) { tx.PutSwitch(&sw) })
}

func (w *world) connect(dpid netview.DPID) {
	m := w.models[dpid]
	c := &wire{loop: w.loop, dpid: dpid, epoch: epochs.Add(1), model: m, room: 1 << 20, dense: w.loud, log: w.say}
	if !w.loud {
		c.log = nil
	}
	w.wires[dpid] = c
	w.change(dpid, func(sw *netview.Switch) { sw.Connected, sw.State = true, netview.SwitchReady })
	w.loop.SwitchUp(c.at(), m.version, m.tables, c)
}

func (w *world) cut(dpid netview.DPID, done int) {
	w.wires[dpid].cut(done)
	delete(w.wires, dpid)
	w.change(dpid, func(sw *netview.Switch) {
		sw.Connected, sw.State, sw.Settled = false, netview.SwitchDisconnected, false
	})
}

func (w *world) settle(dpid netview.DPID) {
	w.facts.Update(func(tx *netview.FactsTx) { tx.SetSettled() })
	w.change(dpid, func(sw *netview.Switch) { sw.Settled = true })
}

func (w *world) owner(name string) *netview.Desired {
	if w.owners[name] == nil {
		w.owners[name] = w.view.Desired(name)
	}
	return w.owners[name]
}

func (w *world) want(dpid netview.DPID, owner string, rules ...netview.Rule) {
	w.owner(owner).Update(func(tx *netview.DesiredTx) { tx.Set(dpid, rules) })
}

func (w *world) meters(dpid netview.DPID, owner string, meters ...netview.Meter) {
	w.owner(owner).Update(func(tx *netview.DesiredTx) { tx.SetMeters(dpid, meters) })
}

// talk turns and answers until nobody has anything to say.
func (w *world) talk() {
	for range 1000 {
		w.turn()
		idle := true
		for _, dpid := range w.loop.core.dpids() {
			if c := w.wires[dpid]; c != nil && len(c.queue) > 0 {
				c.take(len(c.queue), false)
				idle = false
			}
		}
		if idle {
			return
		}
	}
	w.t.Fatal("flowsync never comes to rest")
}

// check verifies what must hold of the core between two steps.
func (w *world) check() {
	w.t.Helper()
	if err := w.view.Snapshot().Check(); err != nil {
		w.t.Fatal(err)
	}
	w.loop.core.check(w.t)
}

// check verifies the core's invariants.
func (c *Core) check(t tester) {
	t.Helper()
	weights := 0
	defer func() {
		if weights != c.readRules || len(c.readQueue) > 0 && c.readRules == 0 && c.holdUntil.IsZero() {
			t.Fatalf("%d switches wait for those that are read, of a weight of %d, counted as %d", len(c.readQueue),
				weights, c.readRules)
		}
	}()
	for _, dpid := range c.dpids() {
		sw := c.switches[dpid]
		sw.checkRuleSets(t)
		where := map[*row]rowState{}
		for _, r := range sw.queue {
			if where[r] == rowQueued && sw.rows[r.key] == r {
				t.Fatalf("%s: a row is in the queue twice", dpid)
			}
			where[r] = rowQueued
		}
		if sw.inflight != nil {
			for i := range sw.inflight.ops {
				if r := sw.inflight.ops[i].row; r != nil {
					where[r] = rowInFlight
				}
			}
			if sw.phase != phaseReady || sw.answerDeadline.IsZero() {
				t.Fatalf("%s: a batch is in flight in phase %d without a deadline", dpid, sw.phase)
			}
		}
		for key, r := range sw.rows {
			if r.key != key || r.state != where[r] {
				t.Fatalf("%s: row %v is in state %d, but stands in %d", dpid, key, r.state, where[r])
			}
			if r.rule != nil && r.status.state == netview.RuleInstalled && sw.phase == phaseReady &&
				r.state == rowIdle && !r.contentKnown {
				t.Fatalf("%s: %v is called installed, but is not known to be", dpid, key)
			}
			if r.rule == nil && sw.phase == phaseDown {
				t.Fatalf("%s: a removal outlived the session", dpid)
			}
		}
		waits := sw.phase == phaseReady && sw.inflight == nil && len(sw.queue) > 0 && !sw.meters.reading || sw.compactWaits()
		if waits && !sw.denied {
			t.Fatalf("%s: rows wait, and nothing is in flight", dpid)
		}
		weights += sw.readWeight
		if sw.phase == phaseReading && sw.answerDeadline.IsZero() && sw.readAt.IsZero() && !sw.inReadQueue {
			t.Fatalf("%s: waits for a reading that nobody asked for", dpid)
		}
	}
}

// parseRule reads a rule: words like table=1 priority=5004 kind=tree version=1 domain=1
// eth_type=0x0806 apply=1,2,controller goto=2 meter=1. Words that are none of these are fields of
// the match.
func parseRule(t tester, line string) netview.Rule {
	t.Helper()
	var r netview.Rule
	cookie := plan.Cookie{Domain: plan.DomainDefault, Kind: plan.KindTree}
	number := func(s string) uint64 {
		n, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return n
	}
	for _, word := range strings.Fields(line) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "table":
			r.Table = uint8(number(value))
		case "priority":
			r.Priority = uint16(number(value))
		case "domain":
			cookie.Domain = uint16(number(value))
		case "kind":
			cookie.Kind = plan.Kind(number(value))
		case "version":
			cookie.Version = uint16(number(value))
		case "apply":
			r.Instructions = append(r.Instructions, openflow.Apply(parseOutputs(t, value)...))
		case "goto":
			r.Instructions = append(r.Instructions, openflow.GotoTable(uint8(number(value))))
		case "meter":
			r.Instructions = append(r.Instructions, openflow.UseMeter(uint32(number(value))))
		default:
			if err := r.Match.SetText(key, value); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
	}
	r.Cookie = cookie.Encode()
	return r
}

func parseOutputs(t tester, list string) (actions []openflow.Action) {
	t.Helper()
	for _, word := range strings.Split(list, ",") {
		port, err := openflow.ParsePort(word)
		if err != nil {
			t.Fatal(err)
		}
		a := openflow.Output(port)
		if port == openflow.PortController {
			a = openflow.OutputController(openflow.ControllerNoCut)
		}
		actions = append(actions, a)
	}
	return actions
}

// Foreign returns the foreign entries that a switch held when it was last read, without their
// instructions, and how many there were; at most Config.ForeignMax are listed. Later tables, then
// higher priorities come first.
func (c *Core) Foreign(dpid netview.DPID) (list []Entry, total int) {
	sw := c.switches[dpid]
	if sw == nil {
		return nil, 0
	}
	for _, key := range slices.SortedFunc(maps.Keys(sw.foreign), entryKey.compare) {
		list = append(list, *sw.foreign[key])
	}
	return list, len(list) + sw.foreignOverflow
}

// Leftover returns the soft entries of an earlier run that a switch may still hold, in the order of
// Foreign. Expired ones are included unless the switch reported them.
func (c *Core) Leftover(dpid netview.DPID) (list []SoftEntry) {
	sw := c.switches[dpid]
	if sw == nil {
		return nil
	}
	for _, key := range slices.SortedFunc(maps.Keys(sw.soft), entryKey.compare) {
		list = append(list, *sw.soft[key])
	}
	return list
}
