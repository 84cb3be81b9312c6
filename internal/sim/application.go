package sim

import (
	"fmt"
	"slices"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
)

// application is one of the instance's that orders rules with groups and meters, which match nothing that hosts send. What
// it wants outlives every instance; each that starts is given the orders anew.
type application struct {
	w      *world
	groups []*object.Group
	meters []*object.Meter
	rules  []*appRule // by number; nil: not wanted
}

// appRule is a rule of the application.
type appRule struct {
	set  *ruleset.Set
	last ruleset.Result
	told bool   // last is what became of it since it was ordered
	why  string // of a refusal
}

func newApplication(w *world, n int) *application {
	a := &application{w: w, rules: make([]*appRule, n)}
	if n > 0 {
		a.makeObjects()
	}
	return a
}

// makeObjects makes a few groups of each type and meters of both units, which the rules share. Ports are 1, which each
// switch has, and some that are nowhere.
func (a *application) makeObjects() {
	group := func(kind openflow.GroupType, buckets ...object.Bucket) *object.Group {
		g, err := object.NewGroup(kind, buckets...)
		if err != nil {
			a.w.fail("a group of the application: %v", err)
		}
		a.groups = append(a.groups, g)
		return g
	}
	to := func(ports ...uint32) (list []openflow.Action) {
		for _, p := range ports {
			list = append(list, openflow.Output(p))
		}
		return list
	}
	backup := group(openflow.GroupTypeFastFailover, object.Bucket{WatchPort: 1, Actions: to(1)},
		object.Bucket{WatchPort: 2, Actions: to(2)})
	all := group(openflow.GroupTypeAll, object.Bucket{Actions: to(1)}, object.Bucket{Actions: to(2)})
	share := group(openflow.GroupTypeSelect, object.Bucket{Weight: 2, Actions: to(1)}, object.Bucket{Weight: 1, Actions: to(2)})
	group(openflow.GroupTypeIndirect, object.Bucket{Actions: to(1)})
	group(openflow.GroupTypeIndirect, object.Bucket{Group: share})
	group(openflow.GroupTypeAll, object.Bucket{Group: backup}, object.Bucket{Group: all})
	meter := func(unit object.Unit, bands ...openflow.Band) {
		m, err := object.NewMeter(unit, bands...)
		if err != nil {
			a.w.fail("a meter of the application: %v", err)
		}
		a.meters = append(a.meters, m)
	}
	meter(object.PacketsPerSecond, openflow.Band{Type: openflow.BandDrop, Rate: 100, Burst: 10})
	meter(object.KilobitsPerSecond, openflow.Band{Type: openflow.BandDrop, Rate: 5000})
	meter(object.KilobitsPerSecond, openflow.Band{Type: openflow.BandDSCPRemark, Rate: 64, PrecLevel: 1},
		openflow.Band{Type: openflow.BandDrop, Rate: 128})
}

// make makes the rule of an event: its switch, its group and its meter follow from the event's number.
func (a *application) make(e Event) *ruleset.Set {
	b := e.B
	dpid := netview.DPID(1 + b%a.w.plan.Switches)
	b /= a.w.plan.Switches
	var objects []object.Object
	var instructions []openflow.Instruction
	if n := b % (len(a.meters) + 1); n < len(a.meters) {
		instructions, objects = append(instructions, openflow.UseMeter(0)), append(objects, a.meters[n])
	}
	b /= len(a.meters) + 1
	action := openflow.Output(1)
	if n := b % (len(a.groups) + 1); n < len(a.groups) {
		action, objects = openflow.Group(uint32(len(objects))), append(objects, a.groups[n])
	}
	do, err := ruleset.Use(0, append(instructions, openflow.Apply(action)), objects...)
	if err != nil {
		a.w.fail("a rule of the application: %v", err)
	}
	match := []byte{0x80, 0, byte(openflow.FieldEthType) << 1, 2, 0x89, byte(e.A)}
	return ruleset.New(plan.KindApp, uint32(e.A+1), plan.BandApp.Low, ruleset.Leg{Match: match,
		Route: &ruleset.Route{Hops: []*ruleset.Hop{{DPID: dpid, Do: do}}}})
}

// hopOf is where a rule of the application is, and what it does.
func hopOf(set *ruleset.Set) *ruleset.Hop {
	_, hop := set.At(0)
	return hop
}

// change orders a rule, in place of the one of the same number, or its removal.
func (a *application) change(e Event) {
	l := a.w.decider()
	if l == nil || l.machine.isPaused() {
		return
	}
	was := a.rules[e.A]
	a.rules[e.A] = nil
	var list []ruleset.Order
	if e.Kind == OrderRule {
		now := &appRule{set: a.make(e)}
		a.rules[e.A] = now
		list = append(list, ruleset.Order{Rules: now.set})
	}
	if was != nil && (e.Kind == RemoveRule || hopOf(was.set).DPID != hopOf(a.rules[e.A].set).DPID) {
		list = append(list, ruleset.Order{Rules: was.set, Remove: true})
	}
	l.instance.Order(list)
}

// begin orders of an instance that starts what is wanted.
func (a *application) begin() {
	var list []ruleset.Order
	for _, r := range a.rules {
		if r != nil {
			r.told = false
			list = append(list, ruleset.Order{Rules: r.set})
		}
	}
	a.w.decider().instance.Order(list)
}

// told takes outcomes.
func (a *application) told(list []ruleset.Outcome) {
	for i := range list {
		o := &list[i]
		a.w.say("rule %d of the application: %s %s", o.Rules.Number, o.Result, o.Reason)
		if r := a.rules[o.Rules.Number-1]; r != nil && r.set == o.Rules {
			r.last, r.told, r.why = o.Result, true, o.Reason
		}
	}
}

// takes reports whether a switch takes a rule: OpenFlow 1.0 has neither groups nor meters, and the emulated switches no
// bundles.
func (a *application) takes(set *ruleset.Set) bool {
	return a.w.plan.Version >= openflow.V13 || len(hopOf(set).Do.Objects()) == 0
}

// check holds the instance to what the application wants: each rule is installed, and does as it should with the numbers
// that its switch lists; each switch has the groups and meters of its rules, once, and no others.
func (a *application) check() (found []string) {
	bad := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	want := make([]map[string]object.Object, len(a.w.net.Switches())) // by switch, by content
	for i := range want {
		want[i] = make(map[string]object.Object)
	}
	for i, r := range a.rules {
		switch {
		case r == nil:
		case !a.takes(r.set):
			if !r.told || r.last != ruleset.Refused {
				bad("rule %d of the application is not refused: %v, %s", i+1, r.told, r.last)
			}
		case !r.told || r.last != ruleset.Installed:
			bad("rule %d of the application is not installed: %v, %s %s", i+1, r.told, r.last, r.why)
		default:
			if what := a.entry(r.set); what != "" {
				bad("rule %d of the application %s", i+1, what)
			}
			for _, o := range hopOf(r.set).Do.Objects() {
				want[hopOf(r.set).DPID-1][o.Key()] = o
			}
		}
	}
	for i := range want {
		found = append(found, a.objects(i, want[i])...)
	}
	return found
}

// listed are the groups and meters of a switch that are in the domain's range, as contents, and the numbers of those that
// are not understood.
func (a *application) listed(sw int) (numbers *object.Numbers, bad []uint32) {
	groups, meters := a.w.net.Switches()[sw].Console().Objects()
	first, last, _ := plan.SharedNumbers(plan.DomainDefault)
	ofOthers := func(n uint32) bool { return n < first || n > last }
	groups = slices.DeleteFunc(groups, func(g openflow.GroupDesc) bool { return ofOthers(g.Group) })
	meters = slices.DeleteFunc(meters, func(m openflow.MeterConfig) bool { return ofOthers(m.Meter) })
	numbers = new(object.Numbers)
	var badGroups, badMeters map[uint32]error
	numbers.Groups, badGroups = object.ReadGroups(groups)
	numbers.Meters, badMeters = object.ReadMeters(meters)
	for n := range badGroups {
		bad = append(bad, n)
	}
	for n := range badMeters {
		bad = append(bad, n)
	}
	slices.Sort(bad)
	return numbers, bad
}

// objects compares a switch's groups and meters with those that its rules use.
func (a *application) objects(sw int, want map[string]object.Object) (found []string) {
	numbers, bad := a.listed(sw)
	name := a.w.net.Switches()[sw].Name()
	for _, n := range bad {
		found = append(found, fmt.Sprintf("switch %s has group or meter %d with a content that nobody wants", name, n))
	}
	have := make(map[string]int)
	for _, g := range numbers.Groups {
		have[g.Key()]++
	}
	for _, m := range numbers.Meters {
		have[m.Key()]++
	}
	for key, o := range want {
		if have[key] != 1 {
			found = append(found, fmt.Sprintf("switch %s has %s %d times, want once", name, o, have[key]))
		}
	}
	for key, n := range have {
		if want[key] == nil {
			found = append(found, fmt.Sprintf("switch %s has %d groups and meters of a content that no rule wants", name, n))
		}
	}
	slices.Sort(found)
	return found
}

// entry returns how the entry of a rule is wrong; "" if it is not.
func (a *application) entry(set *ruleset.Set) string {
	hop, v := hopOf(set), a.w.plan.Version
	numbers, _ := a.listed(int(hop.DPID) - 1)
	entries := a.entries(int(hop.DPID)-1, set.Number)
	if len(entries) != 1 {
		return fmt.Sprintf("has %d entries", len(entries))
	}
	if key := string(ruleset.AppendKeyOf(nil, entries[0].Instructions, numbers)); v >= openflow.V13 && key != hop.Do.Key() {
		return fmt.Sprintf("does something else: %v", entries[0].Instructions)
	}
	return ""
}

// entries are those of the application's at a switch, of one rule or, with 0, of all.
func (a *application) entries(sw int, number uint32) []openflow.FlowStats {
	return slices.DeleteFunc(a.w.net.Switches()[sw].Flows(a.w.plan.Version), func(f openflow.FlowStats) bool {
		c := plan.Decode(f.Cookie)
		return c.Kind != plan.KindApp || number != 0 && c.Owner != number
	})
}

// harm deletes or changes a group, a meter or an entry behind the instance's back.
func (a *application) harm(e Event) {
	sw, v := a.w.net.Switches()[e.A], a.w.plan.Version
	if e.Kind == HarmRule {
		list := a.entries(e.A, 0)
		if len(list) == 0 {
			return
		}
		f := &list[e.B/2%len(list)]
		m := openflow.FlowMod{Command: openflow.FlowDeleteStrict, Table: f.Table, Priority: f.Priority, Match: f.Match,
			Cookie: f.Cookie, Flags: f.Flags, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
		if e.B%2 == 0 {
			m.Command = openflow.FlowAdd
		}
		a.apply(sw, &m)
		return
	}
	if v == openflow.V10 {
		return
	}
	groups, meters := sw.Console().Objects()
	n := len(groups) + len(meters)
	if n == 0 {
		return
	}
	var m openflow.Message
	if k := e.B % n; k < len(groups) {
		g := &openflow.GroupMod{Command: openflow.GroupDelete, Kind: groups[k].Kind, Group: groups[k].Group}
		if e.Kind == ChangeObject {
			g.Command, g.Kind = openflow.GroupModify, openflow.GroupTypeIndirect
			g.Buckets = []openflow.Bucket{{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny}}
		}
		m = g
	} else {
		d := &openflow.MeterMod{Command: openflow.MeterDelete, Meter: meters[k-len(groups)].Meter}
		if e.Kind == ChangeObject {
			d.Command, d.Flags = openflow.MeterModify, openflow.MeterFlagKbps
			d.Bands = []openflow.Band{{Type: openflow.BandDrop, Rate: 77}}
		}
		m = d
	}
	a.apply(sw, m)
}

func (a *application) apply(sw *emu.Switch, m openflow.Message) {
	if err := sw.Console().Apply(a.w.plan.Version, m); err != nil {
		a.w.say("%s does not take it: %v", sw.Name(), err)
	}
}
