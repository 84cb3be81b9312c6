package flowsync

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/program"
)

// parseOrder reads an order for a rule of a program of one rule: install or remove, then words like intent=7 version=1 priority=20000
// in=1 out=2,3; words that are none of these are fields of the match.
func parseOrder(t tester, dpid netview.DPID, line string) Order {
	t.Helper()
	p := &program.Program{Kind: plan.KindIntent, Number: 1, Priority: 20000}
	hop := &program.Hop{DPID: dpid, In: 1}
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
	p.Legs = []program.Leg{{Match: match.Canonical().OXM, Route: &program.Route{Hops: []*program.Hop{hop}}}}
	return Order{Program: p, Remove: words[0] == "remove"}
}

func parseOrders(t tester, dpid netview.DPID, text string) (list []Order) {
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			list = append(list, parseOrder(t, dpid, line))
		}
	}
	return list
}

// told takes outcomes.
func (w *world) told(list []Outcome) {
	for i := range list {
		o := &list[i]
		_, hop := o.Program.At(int(o.Rule))
		line := fmt.Sprintf("%s %s v%d %s: %s", hop.DPID, ownerOf(o.Program), o.Program.Version, placeText(o.Program, o.Rule), o.What)
		if o.What == OrderRefused {
			line += fmt.Sprintf(": %s", o.Reason)
		}
		w.say(line)
		w.orders.answered(w.t, o)
	}
}

func placeText(p *program.Program, rule uint16) string {
	r := p.Rule(int(rule), 1, false)
	return fmt.Sprintf("priority=%d %s", p.Priority, r.Match.String())
}

// checkPrograms verifies what must hold of a switch's rules of programs between two steps.
func (l *ledger) checkPrograms(t tester) {
	t.Helper()
	p := l.programs
	if p == nil {
		return
	}
	where := make([]rowFlags, len(p.rows))
	for _, i := range p.queue {
		if where[i] != 0 {
			t.Fatalf("%s: row %d waits twice", l.dpid, i)
		}
		where[i] = rowWaits
	}
	if l.flight != nil && l.flight.programs != nil {
		for _, o := range p.flights.ops {
			where[o.row] |= rowFlies
		}
	}
	var count [classes]int
	for n := range p.rows {
		r := &p.rows[n]
		if r.program == nil {
			if !slices.Contains(p.free, uint32(n)) || where[n] != 0 {
				t.Fatalf("%s: row %d is empty and not free", l.dpid, n)
			}
			continue
		}
		count[r.flags.class()]++
		a := r.place()
		if i, ok := p.find(a, a.hash()); !ok || i != uint32(n) {
			t.Fatalf("%s: row %d is not found in its place", l.dpid, n)
		}
		if r.flags&(rowWaits|rowFlies) != where[n] {
			t.Fatalf("%s: row %d has flags %b and stands in %b", l.dpid, n, r.flags, where[n])
		}
		l.checkRow(t, uint32(n), where[n])
	}
	if count != p.count {
		t.Fatalf("%s: counts are %v, should be %v", l.dpid, p.count, count)
	}
}

func (l *ledger) checkRow(t tester, i uint32, where rowFlags) {
	r := &l.programs.rows[i]
	idle := l.phase == phaseReady && where == 0
	trouble := l.programs.troubles[i]
	later := trouble != nil && !trouble.retryAt.IsZero()
	switch {
	case r.flags&rowWanted != 0 && r.flags&(rowRemoval|rowGoing) != 0:
		t.Fatalf("%s: row %d is wanted and on its way out", l.dpid, i)
	case idle && r.flags&(rowTold|rowSure) == rowTold && l.auditAt.IsZero() && l.audit.id == 0: // else it is told when the listing has ended
		t.Fatalf("%s: row %d is called installed, but is not known to be", l.dpid, i)
	case idle && r.flags&(rowWanted|rowTold) == rowWanted && !later && l.auditAt.IsZero() && l.audit.id == 0:
		t.Fatalf("%s: row %d is wanted, and nothing is done about it", l.dpid, i)
	case idle && r.flags&(rowRemoval|rowGoing) != 0 && !later:
		t.Fatalf("%s: row %d is to go, and nothing is done about it", l.dpid, i)
	case idle && r.flags.class() == classNone && l.audit.id == 0:
		t.Fatalf("%s: row %d is nothing", l.dpid, i)
	}
}

// programsWait says whether rows of programs wait and nothing is under way.
func (l *ledger) programsWait() bool {
	p := l.programs
	return p != nil && l.phase == phaseReady && l.flight == nil && len(p.queue) > 0 && !l.meters.reading && l.resendAt.IsZero()
}

// programRules are the rules of programs that are wanted at a switch.
func (c *Core) programRules(dpid netview.DPID) (rules []*netview.Rule) {
	list, single := c.standingRules(dpid)
	for i := range list {
		rules = append(rules, list[i].row(c.config.Domain, single))
	}
	return rules
}

// programsText is what is known of the rules of programs at a switch.
func (c *Core) programsText(dpid netview.DPID) string {
	var lines []string
	for _, r := range c.programRules(dpid) {
		lines = append(lines, fmt.Sprintf("%s: table=%d priority=%d cookie=0x%016x %s %v %s %s", r.Owner, r.Table, r.Priority, r.Cookie, r.Match.String(), r.Instructions, r.State, r.Reason))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
