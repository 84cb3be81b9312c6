package flowsync

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// TestConvergesWhateverHappens has applications change their minds, sessions break in the middle of
// batches, switches refuse, queues fill, and strangers write and remove. After each step what is
// called installed must be held; once all is quiet the switches must hold what is desired, and
// nothing else of ours.
func TestConvergesWhateverHappens(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := newChaos(r)
		r.Repeat(map[string]func(*rapid.T){
			"":         c.installedIsHeld,
			"want":     c.wantSome,
			"meter":    c.wantMeter,
			"connect":  c.connectOne,
			"cut":      c.cutOne,
			"take":     c.takeSome,
			"turn":     func(*rapid.T) { c.turn() },
			"settle":   func(r *rapid.T) { c.settle(c.some(r)) },
			"refuse":   c.refuse,
			"stranger": c.stranger,
			"soft":     c.fastPath,
			"room":     c.squeeze,
			"port":     c.flipPort,
			"wait":     c.waitSome,
			"alter":    c.alter,
			"usurp":    c.usurp,
			"pause":    c.pauseSome,
			"order":    c.orderSome,
			"meddle":   c.meddle,
			"expire":   c.expireSome,
			"talk":     func(*rapid.T) { c.talk() },
		})
		c.heal(r)
	})
}

// chaos is a world that is treated badly.
type chaos struct {
	*world
	foreign map[netview.DPID]map[entryKey]bool // that strangers wrote
	drifted map[netview.DPID]map[entryKey]bool // in whose place they did something that nobody tells of
	meddled map[netview.DPID]bool              // whose groups or meters they changed, which nobody tells of either
}

var chaosSwitches = []netview.DPID{1, 2, 3}

func newChaos(r *rapid.T) *chaos {
	config := Config{BatchMax: rapid.IntRange(1, 9).Draw(r, "batch"), ReadEvery: 30 * time.Second,
		ReadRulesMax: rapid.IntRange(1, 5).Draw(r, "readings")}
	c := &chaos{
		world: newWorld(r, config), foreign: map[netview.DPID]map[entryKey]bool{}, drifted: map[netview.DPID]map[entryKey]bool{},
		meddled: map[netview.DPID]bool{},
	}
	c.add(1, openflow.V13, 254, 1, 2, 3)
	c.add(2, openflow.V13, 1, 1, 2, 3)
	c.add(3, openflow.V10, 1, 1, 2, 3)
	c.models[2].meterous = false
	c.orders = &accounts{places: map[string][]*twinOrder{}, by: map[*ruleset.Set]*twinOrder{}}
	for _, dpid := range chaosSwitches {
		c.foreign[dpid], c.drifted[dpid] = map[entryKey]bool{}, map[entryKey]bool{}
		c.models[dpid].monitor.offered = rapid.Bool().Draw(r, "monitor")
		c.earlierRun(r, dpid)
		c.models[dpid].stores = func(e *openflow.FlowStats) { c.notRevived(dpid, e) }
	}
	return c
}

func (c *chaos) some(r *rapid.T) netview.DPID {
	return rapid.SampledFrom(chaosSwitches).Draw(r, "switch")
}

// anyRule draws one of few rules, so that they meet: all can be said in either version.
func (c *chaos) anyRule(r *rapid.T, dpid netview.DPID) netview.Rule {
	rule := netview.Rule{Priority: uint16(rapid.IntRange(5000, 5003).Draw(r, "priority"))}
	if rapid.Bool().Draw(r, "arp") {
		rule.Match.SetUint(openflow.FieldEthType, 0x0806)
	}
	if rapid.IntRange(0, 7).Draw(r, "contest") == 0 { // in the place of an order's rule
		rule.Priority, rule.Match = uint16(rapid.IntRange(20000, 20001).Draw(r, "contested")), openflow.Match{}
		rule.Match.SetUint(openflow.FieldInPort, uint64(rapid.IntRange(1, 2).Draw(r, "in")))
		rule.Match.SetUint(openflow.FieldEthType, 0x0806)
		rule.Table = plan.ForwardingTable(dpid != 1)
	} else if dpid == 1 {
		rule.Table = uint8(rapid.IntRange(1, 2).Draw(r, "table"))
		if rapid.Bool().Draw(r, "metered") {
			rule.Instructions = append(rule.Instructions, openflow.UseMeter(1))
		}
	}
	var actions []openflow.Action
	for _, p := range rapid.SliceOfNDistinct(rapid.Uint32Range(1, 3), 0, 3, rapid.ID).Draw(r, "ports") {
		actions = append(actions, openflow.Output(p))
	}
	if len(actions) > 0 {
		rule.Instructions = append(rule.Instructions, openflow.Apply(actions...))
	}
	rule.Cookie = plan.Cookie{
		Domain: plan.DomainDefault, Kind: plan.KindTree, Version: uint16(rapid.IntRange(0, 1).Draw(r, "version")),
	}.Encode()
	return rule
}

func (c *chaos) wantSome(r *rapid.T) {
	dpid := c.some(r)
	var rules []netview.Rule
	for range rapid.IntRange(0, 4).Draw(r, "rules") {
		rules = append(rules, c.anyRule(r, dpid))
	}
	c.want(dpid, rapid.SampledFrom([]string{"one", "two"}).Draw(r, "owner"), rules...)
}

func (c *chaos) wantMeter(r *rapid.T) {
	var meters []netview.Meter
	if rate := rapid.Uint32Range(0, 2).Draw(r, "rate"); rate > 0 {
		meters = append(meters, netview.Meter{ID: 1, Rate: rate})
	}
	c.meters(c.some(r), "one", meters...)
}

func (c *chaos) connectOne(r *rapid.T) {
	if dpid := c.some(r); c.wires[dpid] == nil {
		c.connect(dpid)
	}
}

func (c *chaos) cutOne(r *rapid.T) {
	if dpid := c.some(r); c.wires[dpid] != nil {
		c.cut(dpid, rapid.IntRange(0, 8).Draw(r, "done"))
	}
}

func (c *chaos) takeSome(r *rapid.T) {
	if w := c.wires[c.some(r)]; w != nil {
		w.take(rapid.IntRange(1, 8).Draw(r, "messages"), false)
	}
}

func (c *chaos) refuse(r *rapid.T) {
	m := c.models[c.some(r)]
	if rapid.Bool().Draw(r, "objects") {
		m.room = rapid.IntRange(0, 3).Draw(r, "room")
		return
	}
	if rapid.Bool().Draw(r, "capacity") {
		m.capacity = rapid.IntRange(0, 8).Draw(r, "entries")
		return
	}
	codes := []openflow.ErrorCode{0, openflow.FlowModFailedTableFull, openflow.FlowModFailedEPerm, openflow.BadActionBadOutPort}
	m.refuse[rapid.SampledFrom([]uint16{5000, 5001, 5002, 5003, 20000, 20001}).Draw(r,
		"priority")] = rapid.SampledFrom(codes).Draw(r, "code")
}

// stranger removes an entry of ours, or writes one of his own in a place of his own.
func (c *chaos) stranger(r *rapid.T) {
	dpid := c.some(r)
	m := c.models[dpid]
	if rapid.Bool().Draw(r, "write") {
		rule := parseRule(c.t,
			fmt.Sprintf("priority=%d domain=2 in_port=3 apply=1", rapid.IntRange(5000, 5003).Draw(r, "priority")))
		m.put(&rule)
		c.foreign[dpid][keyOf(&rule)] = true
		return
	}
	w := c.wires[dpid]
	if w == nil || len(m.entries) == 0 {
		return
	}
	key := rapid.SampledFrom(m.keys()).Draw(r, "entry")
	if e := m.entries[key]; !plan.Foreign(e.Cookie, plan.DomainDefault) {
		delete(m.entries, key)
		m.report(openflow.FlowDeleted, e)
		w.removed(&openflow.FlowRemoved{
			Cookie: e.Cookie, Table: e.Table, Priority: e.Priority, Match: e.Match, Reason: openflow.RemovedDelete,
		})
		c.turn()
	}
}

// ourEntry draws an entry of ours on a switch, nil if there is none, and notes that nobody may tell
// what happens to it.
func (c *chaos) ourEntry(r *rapid.T) (m *model, e *openflow.FlowStats) {
	dpid := c.some(r)
	m = c.models[dpid]
	if len(m.entries) == 0 {
		return nil, nil
	}
	key := rapid.SampledFrom(m.keys()).Draw(r, "entry")
	if e = m.entries[key]; plan.Foreign(e.Cookie, plan.DomainDefault) || plan.Decode(e.Cookie).Kind.Soft() {
		return nil, nil
	}
	c.drifted[dpid][key] = true
	return m, e
}

// alter deletes or changes an entry of ours; the switch tells it by a flow monitor only.
func (c *chaos) alter(r *rapid.T) {
	m, e := c.ourEntry(r)
	switch {
	case e == nil:
	case rapid.Bool().Draw(r, "delete"):
		delete(m.entries, entryKey{e.Table, e.Priority, e.Match.Key()})
		m.report(openflow.FlowDeleted, e)
	case rapid.IntRange(0, 2).Draw(r, "times") == 0:
		m.retime(e, uint16(rapid.IntRange(0, 2).Draw(r, "idle")), uint16(rapid.IntRange(0, 4).Draw(r, "hard")))
	default:
		changed := *e
		changed.Instructions = []openflow.Instruction{openflow.Apply(openflow.Output(rapid.Uint32Range(1, 4).Draw(r, "port")))}
		m.entries[entryKey{e.Table, e.Priority, e.Match.Key()}] = &changed
		m.report(openflow.FlowModified, &changed)
	}
}

// meddle deletes or changes a group or a meter by content; its entries go, as the switch tells, or stay.
func (c *chaos) meddle(r *rapid.T) {
	dpid := c.some(r)
	m := c.models[dpid]
	var ids []uint32
	for id := range m.groups {
		ids = append(ids, id)
	}
	for id := range m.meters {
		if id >= 1<<20 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return
	}
	slices.Sort(ids)
	id := rapid.SampledFrom(ids).Draw(r, "object")
	c.meddled[dpid] = true
	g, isGroup := m.groups[id]
	switch remove := rapid.Bool().Draw(r, "delete"); {
	case remove && isGroup && m.group(&openflow.GroupMod{Command: openflow.GroupDelete, Group: id}) == 0:
	case remove && !isGroup:
		m.meter(&openflow.MeterMod{Command: openflow.MeterDelete, Meter: id})
	case isGroup:
		g.Buckets = slices.Clone(g.Buckets[:1])
		g.Buckets[0].Actions = []openflow.Action{openflow.Output(4)}
	default:
		m.meters[id].Bands[0].Rate = 99
	}
	if w := c.wires[dpid]; w != nil {
		for _, e := range m.gone {
			w.removed(e)
		}
		c.turn()
	}
	m.gone = nil
}

// usurp puts an entry of a stranger in the place of one of ours.
func (c *chaos) usurp(r *rapid.T) {
	if m, e := c.ourEntry(r); e != nil {
		theirs := *e
		theirs.Cookie, theirs.Flags = strangersCookie, 0
		m.entries[entryKey{e.Table, e.Priority, e.Match.Key()}] = &theirs
		m.report(openflow.FlowModified, &theirs)
	}
}

const strangersCookie = 0x7700_0000_0000_0001

// pauseSome has a flow monitor pause, or catch up.
func (c *chaos) pauseSome(r *rapid.T) {
	dpid := c.some(r)
	m, w := c.models[dpid], c.wires[dpid]
	switch {
	case w == nil || m.monitor.tell == nil:
	case m.monitor.paused:
		m.resume()
		c.loop.MonitorPaused(w.at(), false)
	default:
		m.pause()
		c.loop.MonitorPaused(w.at(), true)
	}
}

// fastPath writes a soft entry past flowsync.
func (c *chaos) fastPath(r *rapid.T) {
	rule := parseRule(c.t, fmt.Sprintf("priority=10000 kind=2 eth_dst=02:00:00:00:00:0%d apply=%d",
		rapid.IntRange(1, 4).Draw(r, "host"), rapid.IntRange(1, 3).Draw(r, "port")))
	c.models[c.some(r)].put(&rule)
}

func (c *chaos) squeeze(r *rapid.T) {
	if w := c.wires[c.some(r)]; w != nil {
		w.room = rapid.IntRange(1, 20).Draw(r, "room")
	}
}

func (c *chaos) flipPort(r *rapid.T) {
	c.change(c.some(r), func(sw *netview.Switch) {
		p := &sw.Ports[rapid.IntRange(0, 2).Draw(r, "port")]
		p.Up = !p.Up
	})
}

func (c *chaos) waitSome(r *rapid.T) {
	c.now = c.now.Add(time.Duration(rapid.IntRange(1, 5000).Draw(r, "ms")) * time.Millisecond)
}

// installedIsHeld is the promise of the state "installed", for what the view wants now.
func (c *chaos) installedIsHeld(r *rapid.T) {
	c.orders.installedAreHeld(r, c)
	for _, dpid := range chaosSwitches {
		for rule := range c.view.Snapshot().Rules(dpid) {
			if rule.State == netview.RuleInstalled && !c.drifted[dpid][keyOf(rule)] && !c.holds(rule) {
				r.Fatalf("%s: called installed, not held: %v %s, table:\n%s", dpid, rule, rule.Match.String(), c.models[dpid])
			}
		}
	}
}

// holds reports whether a switch holds a rule of the view, or, if the reason says so, the rule
// without its meter.
func (c *chaos) holds(rule *netview.Rule) bool {
	e := c.models[rule.DPID].entries[keyOf(rule)]
	want := rule.Instructions
	if rule.Reason != "" {
		want = withoutMeter(want)
	}
	return e != nil && e.Cookie == rule.Cookie && sameInstructions(e.Instructions, want)
}

// heal takes all trouble away, waits, and compares.
func (c *chaos) heal(r *rapid.T) {
	for _, dpid := range chaosSwitches {
		m := c.models[dpid]
		m.capacity, m.room = 0, 0
		clear(m.refuse)
		if c.wires[dpid] == nil {
			c.connect(dpid)
		}
		c.wires[dpid].room = 1 << 20
		if m.monitor.paused {
			m.resume()
			c.loop.MonitorPaused(c.wires[dpid].at(), false)
		}
		for _, key := range m.keys() { // usurpers may stand where nothing of ours was wanted any more
			if e := m.entries[key]; e.Cookie == strangersCookie {
				delete(m.entries, key)
				m.report(openflow.FlowDeleted, e)
			}
		}
		c.settle(dpid)
	}
	for range 10 {
		c.talk()
		c.now = c.now.Add(time.Minute)
		for _, dpid := range chaosSwitches {
			c.expire(dpid, true, func(entryKey) bool { return true })
		}
	}
	c.talk()
	for _, dpid := range chaosSwitches {
		c.agrees(r, dpid)
	}
	c.writesNothing(r)
}

// agrees compares one switch with what is desired of it.
func (c *chaos) agrees(r *rapid.T, dpid netview.DPID) {
	m, wanted := c.models[dpid], c.orders.agree(r, c, dpid)
	for rule := range c.view.Snapshot().Rules(dpid) {
		wanted[keyOf(rule)] = true
		if rule.State != netview.RuleInstalled || !c.holds(rule) {
			r.Fatalf("%s: %s after healing: %v %s %s, table:\n%s", dpid, rule.State, rule, rule.Match.String(), rule.Reason, m)
		}
	}
	for _, key := range m.keys() {
		switch e := m.entries[key]; {
		case plan.Foreign(e.Cookie, plan.DomainDefault), plan.Decode(e.Cookie).Kind.Soft():
			delete(c.foreign[dpid], key)
		case !wanted[key]:
			r.Fatalf("%s: holds what nobody wants: %v", dpid, key)
		}
	}
	if len(c.foreign[dpid]) > 0 {
		r.Fatalf("%s: foreign entries are gone: %v", dpid, c.foreign[dpid])
	}
	c.objectsAreUsed(r, dpid)
	for want := range c.view.Snapshot().Meters(dpid) {
		held := m.meters[want.ID]
		if m.meterous && (held == nil || held.Bands[0].Rate != want.Rate) {
			r.Fatalf("%s: meter %d is %v", dpid, want.ID, held)
		}
	}
}

// objectsAreUsed wants a switch to have the groups and meters by content that its rules use, each once, and no others.
func (c *chaos) objectsAreUsed(r *rapid.T, dpid netview.DPID) {
	m := c.models[dpid]
	unused := map[numbered]bool{}
	seen := map[string]uint32{}
	numbers := m.numbers()
	for id, g := range numbers.Groups {
		if other, twice := seen[g.Key()]; twice {
			r.Fatalf("%s: groups %d and %d do the same:\n%s", dpid, id, other, m)
		}
		seen[g.Key()] = id
	}
	for id := range m.groups {
		unused[numbered{"group", id}] = true
	}
	for id := range numbers.Meters {
		unused[numbered{"meter", id}] = true
	}
	use := func(groups []uint32) {
		for _, id := range groups {
			delete(unused, numbered{"group", id})
		}
	}
	for _, e := range m.entries {
		use(groupsOf(e.Instructions))
		delete(unused, numbered{"meter", meterOf(e.Instructions)})
	}
	for _, g := range m.groups {
		use(groupsOf(bucketsAsInstructions(g.Buckets)))
	}
	if len(unused) > 0 {
		r.Fatalf("%s: nobody uses %v:\n%s", dpid, unused, m)
	}
}

type numbered struct {
	kind string
	id   uint32
}

// writesNothing reconnects all switches: what they hold is as wanted, so nothing may be written. (A
// switch without meters is asked whether it has some by now, and any switch whether it takes a rule
// with a meter that nobody wants.)
func (c *chaos) writesNothing(r *rapid.T) {
	for _, dpid := range chaosSwitches {
		m := c.models[dpid]
		before, standing := m.writes, m.String()
		c.cut(dpid, 0)
		c.talk()
		c.connect(dpid)
		c.talk()
		meters, allowed := slices.Collect(c.view.Snapshot().Meters(dpid)), 0
		if len(meters) > 0 && !m.meterous && m.version == openflow.V13 {
			allowed++
		}
		for rule := range c.view.Snapshot().Rules(dpid) {
			if meterOf(rule.Instructions) != 0 && len(meters) == 0 {
				allowed++
			}
		}
		if wrote := m.writes - before; wrote > allowed+removed(standing, m.String()) {
			r.Fatalf("%s: %d writes after a reconnect, table before:\n%safter:\n%s", dpid, wrote, standing, m)
		}
	}
}

// removed is how many lines, soft entries whose port is down, went from one listing to the next.
func removed(before, after string) int { return lines(before) - lines(after) }

func lines(s string) int { return strings.Count(s, "\n") }
