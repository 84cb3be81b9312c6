package flowsync

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// fleet is a core with many connected switches, and rules for each.
type fleet struct {
	core    *Core
	now     time.Time
	rules   [2][][]*netview.Rule // two contents of each switch's rules
	inputs  []Input
	sent    []Input
	session uint64
}

const (
	fleetSwitches = 206
	fleetRules    = 10
)

func newFleet(t tester) *fleet {
	f := &fleet{core: NewCore(Config{}), now: time.Unix(0, 0)}
	for dpid := range netview.DPID(fleetSwitches) {
		var contents [2][]*netview.Rule
		for i := range fleetRules {
			for version := range contents {
				r := parseRule(t, fmt.Sprintf("table=1 priority=%d version=%d eth_type=0x0806 apply=1,2,3 goto=2",
					5000+i, version))
				r.DPID, r.Owner, r.State = dpid, "forward", netview.RulePending
				contents[version] = append(contents[version], &r)
			}
		}
		for version := range contents {
			f.rules[version] = append(f.rules[version], contents[version])
		}
	}
	return f
}

// connect connects all switches; each holds what reading says.
func (f *fleet) connect(reading func(dpid netview.DPID) Reading) {
	f.session++
	for dpid := range netview.DPID(fleetSwitches) {
		f.step(Up{Address{dpid, f.session}, openflow.V13, 254})
		f.step(Entries{Address: Address{dpid, f.session}, ID: f.core.switches[dpid].reading.id, Reading: reading(dpid)})
	}
}

func (f *fleet) step(in Input) int {
	f.inputs = append(f.inputs[:0], in)
	return f.stepAll()
}

// stepAll steps the inputs, sends all and confirms it, and returns how many messages were sent.
func (f *fleet) stepAll() (messages int) {
	inputs := f.inputs
	for len(inputs) > 0 {
		ready := f.core.Step(inputs, f.now)
		f.sent = f.sent[:0]
		for _, b := range ready.Batches {
			messages += len(b.Messages) + b.Count
			f.sent = append(f.sent, Sent{Address: Address{b.DPID, b.Epoch}, Messages: len(b.Messages),
				Frames: b.Count > 0, Barrier: true}, Confirmed{Address{b.DPID, b.Epoch}, b.ID, nil})
		}
		inputs = f.sent
	}
	return messages
}

// change has all rules of all switches change, and returns how many messages that took.
func (f *fleet) change(version int) int {
	f.inputs = f.inputs[:0]
	for _, rules := range f.rules[version] {
		for _, r := range rules {
			f.inputs = append(f.inputs, Rule{Rule: r})
		}
	}
	return f.stepAll()
}

func nothing(netview.DPID) Reading { return Reading{} }

// BenchmarkChange206x10 changes 10 rules on each of 206 switches: decided, sent and confirmed,
// codec and view apart.
func BenchmarkChange206x10(b *testing.B) {
	f := newFleet(b)
	f.connect(nothing)
	f.change(0)
	b.ReportAllocs()
	n := 0
	for i := 0; b.Loop(); i++ {
		n += f.change((i + 1) % 2)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/rule")
}

// BenchmarkReconnect206x10 connects 206 switches that hold all of their 10 rules: nothing is
// written.
func BenchmarkReconnect206x10(b *testing.B) {
	f := newFleet(b)
	f.connect(nothing)
	f.change(0)
	b.ReportAllocs()
	for b.Loop() {
		f.connect(f.held)
	}
}

// held is what a switch with all rules of version 0 answers.
func (f *fleet) held(dpid netview.DPID) Reading {
	var stats []openflow.FlowStats
	for _, r := range f.rules[0][dpid] {
		stats = append(stats, openflow.FlowStats{
			Table: r.Table, Priority: r.Priority, Cookie: r.Cookie, Match: r.Match, Instructions: r.Instructions,
		})
	}
	return f.core.config.readAll(stats, false)
}

// TestChangeBudget holds a changed rule to its allocations and messages.
func TestChangeBudget(t *testing.T) {
	need.NoRace(t)
	f := newFleet(t)
	f.connect(nothing)
	version := 0
	change := func() {
		version = 1 - version
		if n := f.change(version); n != fleetSwitches*fleetRules {
			t.Errorf("%d messages for %d changed rules", n, fleetSwitches*fleetRules)
		}
	}
	change()
	const budget = 12
	if got := testing.AllocsPerRun(5, change) / (fleetSwitches * fleetRules); got > budget {
		t.Errorf("%.1f allocations a changed rule, budget %d", got, budget)
	}
}

// TestReconnectBudget: switches that hold what is desired cost no message.
func TestReconnectBudget(t *testing.T) {
	f := newFleet(t)
	f.connect(nothing)
	f.change(0)
	before := f.core.Counters()
	f.connect(f.held)
	if after := f.core.Counters(); after.FlowMods != before.FlowMods || after.Readings != before.Readings+fleetSwitches {
		t.Errorf("a reconnect of switches as wanted: %+v, before %+v", after, before)
	}
}
