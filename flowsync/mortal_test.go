package flowsync

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// due returns why the switch may end an entry by now: there is no traffic. False: its time-outs are not over.
func (m *model) due(key entryKey) (openflow.FlowRemovedReason, bool) {
	e, age := m.entries[key], m.now().Sub(m.born[key])
	over := func(seconds uint16) bool { return seconds > 0 && age >= time.Duration(seconds)*time.Second }
	switch {
	case over(e.HardTimeout):
		return openflow.RemovedHard, true
	case over(e.IdleTimeout):
		return openflow.RemovedIdle, true
	}
	return 0, false
}

// expire ends the entries of a model in some places whose time-outs are over. The monitor tells it before the flow-removed
// message, as that of Open vSwitch; told: there is such a message.
func (w *world) expire(dpid netview.DPID, told bool, which func(entryKey) bool) {
	m := w.models[dpid]
	for _, key := range m.keys() {
		why, due := m.due(key)
		if !due || !which(key) {
			continue
		}
		e := m.entries[key]
		delete(m.entries, key)
		if f := &m.monitor; f.tell != nil && f.paused {
			f.missed[key] = true
		} else if f.tell != nil {
			m.update(openflow.FlowDeleted, e, why)
		}
		if wire := w.wires[dpid]; wire != nil && told && e.Flags&openflow.FlagSendFlowRemoved != 0 {
			wire.removed(&openflow.FlowRemoved{Cookie: e.Cookie, Priority: e.Priority, Table: e.Table, Match: e.Match,
				Reason: why, IdleTimeout: e.IdleTimeout, HardTimeout: e.HardTimeout, Packets: 3, Bytes: 300})
		}
	}
}

// retime has somebody change an entry's time-outs.
func (m *model) retime(e *openflow.FlowStats, idle, hard uint16) {
	changed := *e
	changed.IdleTimeout, changed.HardTimeout = idle, hard
	m.entries[entryKey{e.Table, e.Priority, e.Match.Key()}] = &changed
	m.report(openflow.FlowModified, &changed)
}

// expireSome has a switch end some of the entries whose time-outs are over. If it does not say so, it does not matter for
// now that they are called installed.
func (c *chaos) expireSome(r *rapid.T) {
	dpid, told := c.some(r), rapid.IntRange(0, 3).Draw(r, "told") > 0
	m := c.models[dpid]
	c.expire(dpid, told, func(key entryKey) bool {
		if !rapid.Bool().Draw(r, "ends") {
			return false
		}
		for o := range c.orders.latest {
			_, hop := o.Rules.At(0)
			if hop.DPID == dpid && o.key == key && o.installed && c.holdsOrder(o) && !c.drifted[dpid][key] {
				o.over = true
			}
		}
		if c.wires[dpid] == nil || !told || m.entries[key].Flags&openflow.FlagSendFlowRemoved == 0 {
			c.drifted[dpid][key] = true
		}
		return true
	})
	c.turn()
}

// notRevived is the promise that no rule is put back that the switch let end, and none for longer than its time.
func (c *chaos) notRevived(dpid netview.DPID, e *openflow.FlowStats) {
	if e == nil { // it forgets
		return
	}
	key := entryKey{e.Table, e.Priority, e.Match.Key()}
	for o := range c.orders.latest {
		_, hop := o.Rules.At(0)
		switch left := (o.until.Sub(c.models[dpid].sent) + time.Second - 1) / time.Second; {
		case hop.DPID != dpid || o.key != key || o.Remove:
		case o.over:
			c.t.Fatalf("%s: had ended, and is put back: %+v", placeName(o.Rules), o)
		case !o.until.IsZero() && e.Cookie == o.Rules.Cookie(1) && e.HardTimeout > 0 &&
			time.Duration(e.HardTimeout) > max(1, left):
			c.t.Fatalf("%s: is put back for %d s, and has %d left: %+v", placeName(o.Rules), e.HardTimeout, left, o)
		}
	}
}

// TestMisfits: time-outs go with the policy, and plain rules have no record of any.
func TestMisfits(t *testing.T) {
	w := newWorld(t, Config{NoMonitor: true})
	w.loud = true
	w.add(1, openflow.V13, 254, 1, 2, 3)
	w.connect(1)
	w.talk()
	order := func(line string, policy ruleset.Policy) {
		o := parseOrder(t, 1, line)
		o.Rules.Policy = policy
		w.lines = nil
		w.loop.Order([]ruleset.Order{o})
		w.talk()
	}
	for _, c := range []struct {
		line   string
		policy ruleset.Policy
		want   string
	}{
		{"install in=1 out=2", ruleset.Mortal, "rules with time-outs, and no others, are ordered as mortal ones"},
		{"install in=1 out=2 hard=5", ruleset.Ordered, "rules with time-outs, and no others, are ordered as mortal ones"},
		{"install in=1 out=2 idle=5 kind=6", ruleset.Mortal, "entries of the kind protection are soft, and nobody's to order"},
	} {
		order(c.line, c.policy)
		if got := strings.Join(w.lines, "\n"); !strings.HasSuffix(got, "refused: "+c.want) {
			t.Errorf("%s: %s, want %s", c.line, got, c.want)
		}
	}
	if order("install in=1 out=2", ruleset.Ordered); len(w.loop.core.switches[1].rules.mortals.of) > 0 {
		t.Error("a rule without time-outs has a life")
	}
}
