package flowsync

import (
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/timerq"
)

// Core decides what is sent to which switch. It does no I/O: Step takes what happened and returns
// what to do. It gives each input to the core of its switch, and has those act that have something to do.
type Core struct {
	shared

	switches map[netview.DPID]*switchCore
	dirty    []*switchCore // act at the end of the step
}

// NewCore returns a core that knows no switch.
func NewCore(config Config) *Core {
	c := &Core{switches: make(map[netview.DPID]*switchCore)}
	c.config = config.withDefaults()
	c.readQueue.rulesMax = c.config.ReadRulesMax
	return c
}

// Step takes inputs in the order in which they happened and returns what to do, valid until the
// next Step. Changes that belong together should come in one step: they leave in one batch.
func (c *Core) Step(inputs []Input, now time.Time) *Ready {
	c.ready.reset()
	if c.frames = c.frames[:0]; cap(c.frames) > framesKept {
		c.frames = nil
	}
	for _, in := range inputs {
		if sw := c.apply(in, now); sw != nil {
			c.markDirty(sw)
		}
	}
	for at := c.nextDeadline(); reached(at, now); at = c.nextDeadline() {
		sw := c.switches[c.deadlines.Pop()]
		sw.wake = time.Time{}
		c.markDirty(sw)
	}
	for _, sw := range c.dirty {
		sw.dirty = false
		if sw.advance(now); sw.gone() {
			delete(c.switches, sw.dpid)
		}
	}
	clear(c.dirty)
	c.dirty = c.dirty[:0]
	c.readQueue.begin(now)
	c.previous = c.viewRevision
	c.ready.Wake = c.nextDeadline()
	if at := c.readQueue.heldUntil(); !at.IsZero() && (c.ready.Wake.IsZero() || at.Before(c.ready.Wake)) {
		c.ready.Wake = at
	}
	return &c.ready
}

// markDirty has a switch advanced at the end of the step.
func (c *Core) markDirty(sw *switchCore) {
	if !sw.dirty {
		sw.dirty = true
		c.dirty = append(c.dirty, sw)
	}
}

// nextDeadline is the earliest deadline that counts, zero if there is none.
func (c *Core) nextDeadline() time.Time {
	for {
		at, dpid, ok := c.deadlines.First()
		if sw := c.switches[dpid]; !ok || sw != nil && sw.wake.Equal(at) {
			return at
		}
		c.deadlines.Pop()
	}
}

// apply applies one input and returns its switch, nil if it is about none.
func (c *Core) apply(in Input, now time.Time) *switchCore {
	switch in := in.(type) {
	case Up:
		sw := c.switchOf(in.DPID)
		if in.Epoch <= sw.epoch {
			return nil
		}
		sw.onUp(in, now)
		return sw
	case SwitchFacts:
		sw := c.switchOf(in.Switch.DPID)
		sw.onFacts(in, now)
		return sw
	case SwitchDeleted: // as long as it is connected its core stays
		sw := c.switches[in.DPID]
		if sw != nil {
			sw.facts, sw.settled = nil, time.Time{}
		}
		return sw
	case Rule:
		sw := c.switchOf(in.Rule.DPID)
		if in.Withdrawn {
			sw.rules.ofView().withdraw(in.Rule)
		} else {
			sw.rules.ofView().desire(in.Rule)
		}
		return sw
	case Meter:
		sw := c.switchOf(in.Meter.DPID)
		if in.Withdrawn {
			sw.objects.Unfix(in.Meter.ID)
		} else {
			sw.objects.Fix(in.Meter.ID, in.Meter.Rate, in.Meter.Burst)
		}
		return sw
	case Desired:
		sw := c.switchOf(in.DPID)
		sw.rules.ofView().replace(in.Rules)
		sw.objects.replace(in.Meters)
		return sw
	case Orders:
		c.order(in.List)
		return nil
	case ViewRevision:
		c.viewRevision = in.Revision
		return nil
	case Hold:
		c.readQueue.hold(in.On, now)
		return nil
	case Check:
		sw := c.switchOf(in.DPID)
		sw.checks.request()
		return sw
	}
	if of, ok := in.(interface{ session() Address }); ok { // one of an earlier session is ignored
		if sw := c.inSession(of.session()); sw != nil {
			sw.apply(in, now)
			return sw
		}
	}
	return nil
}

// order takes orders for any switches. It looks up several at a time: a look-up mostly waits for memory, and those that do
// not depend on each other wait together.
func (c *Core) order(list []ruleset.Order) {
	var places [ordersAhead]struct {
		sw *switchCore
		place
		hash, slot uint32
	}
	var sw *switchCore
	for n := 0; len(list) > 0; list = list[n:] {
		n = min(len(list), ordersAhead)
		for i := range list[:n] {
			p := &places[i]
			at := list[i].Rules.Place(int(list[i].Rule))
			if sw == nil || sw.dpid != at.DPID {
				sw = c.switchOf(at.DPID)
				c.markDirty(sw)
			}
			p.sw, p.place = sw, place{at.Match, at.In, at.Priority, at.TableIn(sw.singleTable)}
			p.hash = p.place.hash()
		}
		for i := range places[:n] {
			places[i].slot = places[i].sw.rules.slot(places[i].hash)
		}
		for i := range places[:n] {
			c.touched += places[i].sw.rules.touch(places[i].slot, places[i].hash)
		}
		for i := range list[:n] {
			if p := &places[i]; list[i].Remove {
				ruleOrders{&p.sw.rules}.orderRemoval(&list[i], p.place, p.hash)
			} else {
				ruleOrders{&p.sw.rules}.orderInstall(&list[i], p.place, p.hash)
			}
		}
	}
}

// ordersAhead is how many orders are looked up together.
const ordersAhead = 32

// switchOf returns the core of a switch, made if there is none.
func (c *Core) switchOf(dpid netview.DPID) *switchCore {
	sw := c.switches[dpid]
	if sw == nil {
		sw = newSwitchCore(dpid, &c.shared)
		c.switches[dpid] = sw
	}
	return sw
}

// inSession returns the core of a switch if the session is its current one, else nil.
func (c *Core) inSession(a Address) *switchCore {
	sw := c.switches[a.DPID]
	if sw == nil || sw.phase == phaseDown || sw.epoch != a.Epoch {
		return nil
	}
	return sw
}

// dpids returns all known switches, in order.
func (c *Core) dpids() []netview.DPID {
	return slices.Sorted(maps.Keys(c.switches))
}

// Counters returns the counters.
func (c *Core) Counters() Counters { return c.counters }

// Statuses returns the status of each switch, by datapath id.
func (c *Core) Statuses() []SwitchStatus {
	var list []SwitchStatus
	for _, dpid := range c.dpids() {
		list = append(list, c.switches[dpid].status())
	}
	return list
}

// Status returns the status of one switch; false if it is unknown.
func (c *Core) Status(dpid netview.DPID) (SwitchStatus, bool) {
	sw := c.switches[dpid]
	if sw == nil {
		return SwitchStatus{}, false
	}
	return sw.status(), true
}

// shared is what the switches of a Core have in common. None of it is about one switch.
type shared struct {
	config    Config
	counters  Counters
	readQueue readQueue
	deadlines deadlines
	ready     Ready

	touched uint32 // of memory that is read so that it is near: else the compiler would leave that out

	codec  codec
	key    []byte           // scratch memory
	mod    openflow.FlowMod // scratch memory
	frames []byte           // flow-mods encoded in this step

	busy     int    // number of switches with two batches in flight
	batches  uint64 // number of the last batch
	requests uint64 // number of the last reading

	readCosts   time.Duration // sum of reading.cost
	listedBytes int           // sum of softEntries.bytes and ruleTable.foundBytes
	leftover    int           // sum of softEntries.counted

	viewRevision netview.Revision // of the inputs so far
	previous     netview.Revision // viewRevision at the end of the last step
}

// deadlines are the times at which switches want to be looked at again. A switch has at most one
// that counts, session.wake; others are left over and do nothing.
type deadlines = timerq.Times[netview.DPID]

// reached reports whether a deadline is set and has come.
func reached(t, now time.Time) bool { return !t.IsZero() && !t.After(now) }
