package flowsync

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// parseOrder reads an order for a rule of a rule set of one rule: install or remove, then words
// like intent=7 version=1 priority=20000 in=1 out=2,3; words that are none of these are fields of
// the match.
func parseOrder(t tester, dpid netview.DPID, line string) ruleset.Order {
	t.Helper()
	p := &ruleset.Set{Kind: plan.KindIntent, Number: 1, Priority: 20000}
	hop := &ruleset.Hop{DPID: dpid, In: 1}
	var match openflow.Match
	words := strings.Fields(line)
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		number := func() uint64 {
			n, err := strconv.ParseUint(value, 10, 32)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			return n
		}
		switch key {
		case "intent":
			p.Number = uint32(number())
		case "version":
			p.Version = uint16(number())
		case "priority":
			p.Priority = uint16(number())
		case "in":
			hop.In = uint32(number())
		case "out":
			for _, a := range parseOutputs(t, value) {
				hop.Out = append(hop.Out, a.Port)
			}
		default:
			if err := match.SetText(key, value); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
	}
	p.Legs = []ruleset.Leg{{Match: match.Canonical().OXM, Route: &ruleset.Route{Hops: []*ruleset.Hop{hop}}}}
	return ruleset.Order{Rules: p, Remove: words[0] == "remove"}
}

func parseOrders(t tester, dpid netview.DPID, text string) (list []ruleset.Order) {
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			list = append(list, parseOrder(t, dpid, line))
		}
	}
	return list
}

// onOutcomes takes outcomes.
func (w *world) onOutcomes(list []ruleset.Outcome) {
	for i := range list {
		o := &list[i]
		_, hop := o.Rules.At(int(o.Rule))
		line := fmt.Sprintf("%s %s v%d %s: %s", hop.DPID, ownerOf(o.Rules), o.Rules.Version,
			placeText(o.Rules, o.Rule), o.Result)
		if o.Result == ruleset.Refused {
			line += fmt.Sprintf(": %s", o.Reason)
		}
		w.say(line)
		w.orders.answered(w.t, o)
	}
}

func placeText(p *ruleset.Set, rule uint16) string {
	r := p.Rule(int(rule), 1, false)
	return fmt.Sprintf("priority=%d %s", p.Priority, r.Match.String())
}

// checkRuleSets verifies what must hold of a switch's rules of rule sets between two steps.
func (sw *switchState) checkRuleSets(t tester) {
	t.Helper()
	p := sw.compact
	if p == nil {
		return
	}
	where := make([]rowFlags, len(p.rows))
	for _, i := range p.queue {
		if where[i] != 0 {
			t.Fatalf("%s: row %d waits twice", sw.dpid, i)
		}
		where[i] = flagQueued
	}
	if sw.inflight != nil && sw.inflight.compact != nil {
		for _, o := range p.inflight.ops {
			where[o.row] |= flagInFlight
		}
	}
	var count [classes]int
	for n := range p.rows {
		r := &p.rows[n]
		if r.set == nil {
			if !slices.Contains(p.free, uint32(n)) || where[n] != 0 {
				t.Fatalf("%s: row %d is empty and not free", sw.dpid, n)
			}
			continue
		}
		count[r.flags.class()]++
		a := r.place()
		if i, ok := p.find(a, a.hash()); !ok || i != uint32(n) {
			t.Fatalf("%s: row %d is not found in its place", sw.dpid, n)
		}
		if r.flags&(flagQueued|flagInFlight) != where[n] {
			t.Fatalf("%s: row %d has flags %b and stands in %b", sw.dpid, n, r.flags, where[n])
		}
		sw.checkRow(t, uint32(n), where[n])
	}
	if count != p.count {
		t.Fatalf("%s: counts are %v, should be %v", sw.dpid, p.count, count)
	}
}

// legal reports whether a row may have these flags together, by the table of rowFlags.
func (f rowFlags) legal() bool {
	one := func(of rowFlags, combinations ...rowFlags) bool {
		return f&of == 0 || slices.Contains(combinations, f&of)
	}
	return one(flagDesired|flagReported|flagRemovalOrdered|flagPruning,
		flagDesired, flagDesired|flagReported, flagRemovalOrdered, flagPruning) &&
		one(flagMayHold|flagVerified, flagMayHold, flagMayHold|flagVerified) &&
		one(flagQueued|flagInFlight|flagAdding, flagQueued, flagInFlight, flagInFlight|flagAdding) &&
		f&(flagVerified|flagInFlight) != flagVerified|flagInFlight
}

func (sw *switchState) checkRow(t tester, i uint32, where rowFlags) {
	r := &sw.compact.rows[i]
	idle := sw.phase == phaseReady && where == 0
	failure := sw.compact.failures[i]
	later := failure != nil && !failure.retryAt.IsZero()
	switch {
	case !r.flags.legal():
		t.Fatalf("%s: row %d has an illegal combination of flags: %b", sw.dpid, i, r.flags)
	// else it is told when the listing has ended
	case idle && r.flags&(flagReported|flagVerified) == flagReported && sw.auditAt.IsZero() && sw.audit.id == 0:
		t.Fatalf("%s: row %d is called installed, but is not known to be", sw.dpid, i)
	case idle && r.flags&(flagDesired|flagReported) == flagDesired && !later && sw.auditAt.IsZero() && sw.audit.id == 0:
		t.Fatalf("%s: row %d is wanted, and nothing is done about it", sw.dpid, i)
	case idle && r.flags&(flagRemovalOrdered|flagPruning) != 0 && !later:
		t.Fatalf("%s: row %d is to go, and nothing is done about it", sw.dpid, i)
	case idle && r.flags.class() == classNone && sw.audit.id == 0:
		t.Fatalf("%s: row %d is nothing", sw.dpid, i)
	}
}

// compactWaits reports whether compact rows wait and nothing is in flight.
func (sw *switchState) compactWaits() bool {
	p := sw.compact
	return p != nil && sw.phase == phaseReady && sw.inflight == nil && len(p.queue) > 0 && !sw.meters.reading &&
		sw.resendAt.IsZero()
}

// compactRules are the rules of rule sets that are desired at a switch.
func (c *Core) compactRules(dpid netview.DPID) (rules []*netview.Rule) {
	list, single := c.viewsOf(dpid)
	for i := range list {
		rules = append(rules, list[i].render(c.config.Domain, single))
	}
	return rules
}

// compactText is what is known of the rules of rule sets at a switch.
func (c *Core) compactText(dpid netview.DPID) string {
	var lines []string
	for _, r := range c.compactRules(dpid) {
		lines = append(lines, fmt.Sprintf("%s: table=%d priority=%d cookie=0x%016x %s %v %s %s", r.Owner, r.Table,
			r.Priority, r.Cookie, r.Match.String(), r.Instructions, r.State, r.Reason))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
