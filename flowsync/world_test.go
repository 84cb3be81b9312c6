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
	"github.com/weirnet/weir/ruleset"
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
	brief  bool // wire.brief
	now    time.Time
	holds  bool // what was said of the last switch that was first read in a session

	orders *accounts // nil if nobody keeps an account of them
}

func newWorld(t tester, config Config) *world {
	view := netview.New(netview.Limits{})
	w := &world{}
	if config.ReadEvery == 0 {
		config.ReadEvery = 24 * time.Hour
	}
	config.OnOutcomes = w.onOutcomes
	config.OnTreeEntries = func(at Address, entries []Entry, holds bool) {
		w.holds = holds
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
	w.models[dpid].now = func() time.Time { return w.now }
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
	c := &wire{loop: w.loop, dpid: dpid, epoch: epochs.Add(1), model: m, room: 1 << 20, dense: w.loud, brief: w.brief, log: w.say}
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
	w.loop.core.mustHold(w.t)
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

// keyOf returns the key of a rule of the view.
func keyOf(r *netview.Rule) entryKey { return entryKey{r.Table, r.Priority, r.Match.Key()} }

// sameInstructions reports whether a switch does the same for both.
func sameInstructions(a, b []openflow.Instruction) bool {
	return string(ruleset.AppendKey(nil, a)) == string(ruleset.AppendKey(nil, b))
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
	for _, key := range slices.SortedFunc(maps.Keys(sw.foreign.at), entryKey.compare) {
		list = append(list, *sw.foreign.at[key])
	}
	return list, sw.foreign.count()
}

// Leftover returns the soft entries of an earlier run that a switch may still hold, in the order of
// Foreign. Expired ones are included unless the switch reported them.
func (c *Core) Leftover(dpid netview.DPID) (list []SoftEntry) {
	sw := c.switches[dpid]
	if sw == nil {
		return nil
	}
	for _, key := range slices.SortedFunc(maps.Keys(sw.soft.at), entryKey.compare) {
		list = append(list, *sw.soft.at[key])
	}
	return list
}
