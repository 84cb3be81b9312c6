package flowsync

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// accounts is the account of orders and their outcomes: a naive model of what orders mean.
type accounts struct {
	places map[string][]*twinOrder // in the order in which they were given, those that are refused left out
	by     map[*ruleset.Set]*twinOrder
}

// twinOrder is an order, of a rule set of its own, and how it was answered.
type twinOrder struct {
	ruleset.Order
	key       entryKey
	answered  bool
	installed bool // and not lost since
	ended     bool
	over      bool      // the switch let the rule end while it was called installed
	until     time.Time // of an order that was installed: when a hard time-out is over at the latest
}

// placeName names a place over all switches.
func placeName(p *ruleset.Set) string {
	_, hop := p.At(0)
	return hop.DPID.String() + " " + placeText(p, 0)
}

// orderSome gives some orders for few places, so that they meet.
func (c *chaos) orderSome(r *rapid.T) {
	var list []ruleset.Order
	dpid := c.some(r)
	for range rapid.IntRange(1, 4).Draw(r, "orders") {
		o := c.anyOrder(r, dpid, "", "", "", " hard=2", " idle=2", " idle=2 hard=4", " hard=5000", " idle=5000")
		list = append(list, o)
		c.orders.give(o, c.models[dpid].tables < 3)
	}
	c.loop.Order(list)
}

// earlierRun has a switch hold rules of an earlier run, some of them for what was left of their time.
func (c *chaos) earlierRun(r *rapid.T, dpid netview.DPID) {
	for range rapid.IntRange(0, 3).Draw(r, "earlier") {
		o := c.anyOrder(r, dpid, "", " hard=2", " idle=2 hard=4", " hard=5000")
		if len(o.Rules.Legs[0].Route.Hops[0].Do.Objects()) > 0 {
			continue
		}
		var mod openflow.FlowMod
		o.Rules.FlowMod(0, plan.DomainDefault, c.models[dpid].tables < 3, &mod)
		if mod.HardTimeout > 0 {
			mod.HardTimeout -= uint16(rapid.IntRange(0, 1).Draw(r, "passed"))
		}
		c.models[dpid].store(&mod)
	}
}

// anyOrder draws one of few orders.
func (c *chaos) anyOrder(r *rapid.T, dpid netview.DPID, times ...string) ruleset.Order {
	line := fmt.Sprintf("install intent=%d version=%d priority=%d in=%d eth_type=0x0806",
		rapid.IntRange(1, 2).Draw(r, "intent"),
		rapid.IntRange(0, 1).Draw(r, "version"), rapid.IntRange(20000, 20001).Draw(r, "priority"),
		rapid.IntRange(1, 2).Draw(r, "in"))
	if out := rapid.SampledFrom([]string{"", "1", "2", "2,3"}).Draw(r, "out"); out != "" {
		line += " out=" + out
	}
	if c.models[dpid].version == openflow.V13 {
		line += rapid.SampledFrom([]string{"", "", " meter=1", " meter=2 backup=2,3", " backup=2,3", " copies=1,3",
			" copies=1,2"}).Draw(r, "objects")
	} else {
		line += rapid.SampledFrom([]string{"", "", " backup=2,3"}).Draw(r, "objects")
	}
	line += rapid.SampledFrom(times).Draw(r, "times")
	o := parseOrder(c.t, dpid, line)
	o.Remove = rapid.Bool().Draw(r, "remove")
	return o
}

func (a *accounts) give(o ruleset.Order, single bool) {
	at := placeOf(o.Rules, 0, single)
	t := &twinOrder{Order: o, key: at.key()}
	a.by[o.Rules] = t
	name := placeName(o.Rules)
	a.places[name] = append(a.places[name], t)
}

// answered takes an outcome.
func (a *accounts) answered(t tester, o *ruleset.Outcome, now time.Time) {
	if a == nil {
		return
	}
	name := placeName(o.Rules)
	order := a.by[o.Rules]
	switch {
	case order == nil:
		t.Fatalf("%s: an outcome of no order: %+v", name, o)
	case order.ended:
		t.Fatalf("%s: had ended: %+v", name, o)
	case o.Result == ruleset.Ended && (order.Remove || !o.Rules.Mortal()):
		t.Fatalf("%s: ended, and has no time-out: %+v", name, order)
	case o.Result == ruleset.Lost && !order.installed:
		t.Fatalf("%s: lost, and was not installed", name)
	case o.Result == ruleset.Installed && (order.Remove || order.installed):
		t.Fatalf("%s: installed twice, or a removal: %+v", name, order)
	case (o.Result == ruleset.Removed || o.Result == ruleset.Refused) && order.answered && !order.installed && order.Remove:
		t.Fatalf("%s: answered twice: %+v", name, o)
	case o.Result == ruleset.Removed && !order.Remove:
		t.Fatalf("%s: an install was removed", name)
	}
	order.answered, order.installed = true, o.Result == ruleset.Installed
	order.ended = o.Result == ruleset.Ended
	if order.installed && order.until.IsZero() {
		order.until = now.Add(time.Duration(o.Rules.Hard) * time.Second)
	}
	if o.Result == ruleset.Lost {
		order.answered = false
	}
	list := a.places[name]
	at := slices.Index(list, order)
	switch {
	case o.Result == ruleset.Refused && strings.HasPrefix(o.Reason, "a rule of tree"): // the view's, now or before
		a.places[name] = list[at+1:]
	case o.Result == ruleset.Ended, o.Result == ruleset.Refused && !strings.HasPrefix(o.Reason, "a rule of intent"):
		// those before are not desired any more either
		a.places[name] = list[at+1:]
	// another's stays
	case o.Result == ruleset.Refused, o.Result == ruleset.Removed && at > 0 && list[at-1].Rules.Number != o.Rules.Number:
		a.places[name] = slices.Delete(list, at, at+1)
	}
}

// latest are the orders that count now, by place.
func (a *accounts) latest(yield func(*twinOrder) bool) {
	for _, list := range a.places {
		if n := len(list); n > 0 && !yield(list[n-1]) {
			return
		}
	}
}

// installedAreHeld is the promise of the outcome "installed".
func (a *accounts) installedAreHeld(r *rapid.T, c *chaos) {
	for o := range a.latest {
		_, hop := o.Rules.At(0)
		if o.installed && !c.drifted[hop.DPID][o.key] && !c.meddled[hop.DPID] && !c.holdsOrder(o) {
			r.Fatalf("%s: called installed, not held, table:\n%s", placeName(o.Rules), c.models[hop.DPID])
		}
	}
}

func (c *chaos) holdsOrder(o *twinOrder) bool {
	_, hop := o.Rules.At(0)
	e := c.models[hop.DPID].entries[o.key]
	if e == nil || plan.Foreign(e.Cookie, plan.DomainDefault) {
		return false
	}
	cookie := plan.Decode(e.Cookie)
	numbers := c.models[hop.DPID].numbers()
	return cookie.Kind == plan.KindIntent && cookie.Owner == o.Rules.Number && e.IdleTimeout == o.Rules.Idle &&
		e.HardTimeout <= o.Rules.Hard && (e.HardTimeout > 0) == (o.Rules.Hard > 0) &&
		string(ruleset.AppendKeyOf(nil, e.Instructions, numbers)) == hop.Do.Key()
}

// agree compares a switch with what the latest orders want of it, when all is quiet, and returns
// the places of what it is to hold.
func (a *accounts) agree(r *rapid.T, c *chaos, dpid netview.DPID) map[entryKey]bool {
	wanted := map[entryKey]bool{}
	for o := range a.latest {
		_, hop := o.Rules.At(0)
		if hop.DPID != dpid {
			continue
		}
		switch {
		case !o.answered:
			r.Fatalf("%s: never answered: %+v\n%s", placeName(o.Rules), o, c.loop.core.switches[dpid].objects.Table)
		case o.Remove && c.holdsSome(o):
			r.Fatalf("%s: was removed and is held, table:\n%s", placeName(o.Rules), c.models[dpid])
		case !o.Remove && (!o.installed || !c.holdsOrder(o)):
			r.Fatalf("%s: %v %+v not held after healing, table:\n%s", placeName(o.Rules),
				o.Rules.Legs[0].Route.Hops[0], o, c.models[dpid])
		}
		wanted[o.key] = !o.Remove
	}
	rules := 0
	for _, rule := range c.loop.core.orderedRules(dpid) {
		rules++
		if !wanted[keyOf(rule)] || rule.State != netview.RuleInstalled {
			r.Fatalf("%s: a rule of rule sets that nobody ordered, or %s: %v", dpid, rule.State, rule)
		}
	}
	for key, is := range wanted {
		if is {
			rules--
		} else {
			delete(wanted, key)
		}
	}
	if rules != 0 {
		r.Fatalf("%s: %d rules of rule sets too few", dpid, -rules)
	}
	return wanted
}

// holdsSome reports whether a switch holds an entry of the order's owner in its place.
func (c *chaos) holdsSome(o *twinOrder) bool {
	_, hop := o.Rules.At(0)
	e := c.models[hop.DPID].entries[o.key]
	return e != nil && e.Cookie&plan.OwnerMask == o.Rules.Cookie(plan.DomainDefault)&plan.OwnerMask
}
