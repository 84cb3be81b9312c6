//go:build real

package flowsync

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

const realController = "127.0.0.1:6653"

// wanted13 and wanted10 are rules with everything in them that the switch plan uses.
const (
	wanted13 = `table=1 priority=5004 eth_dst=ff:ff:ff:ff:ff:ff apply=1,2,3 goto=2
table=1 priority=5003 eth_dst=01:00:00:00:00:00/01:00:00:00:00:00 apply=1,2,3 goto=2
table=1 priority=5002 eth_type=0x0806 apply=1,2,3 goto=2
table=1 priority=5001 icmpv6_type=135 apply=1,2,3 goto=2
table=1 priority=5001 icmpv6_type=136 apply=1,2,3 goto=2
table=1 priority=5024 in_port=3 eth_dst=ff:ff:ff:ff:ff:ff
table=1 priority=5000 vlan_vid=7 vlan_pcp=2 apply=1
table=1 priority=4999 vlan_vid=none apply=1
table=1 priority=4998 vlan_vid=any apply=1
table=2 priority=1 in_port=3
table=2 priority=0 meter=1 apply=controller`
	wanted10 = `priority=5004 eth_dst=ff:ff:ff:ff:ff:ff apply=1,2,3,controller
priority=5014 in_port=2 eth_dst=ff:ff:ff:ff:ff:ff apply=1,3
priority=5002 eth_type=0x0806 apply=1,2,3,controller
priority=5001 eth_type=0x86dd apply=1,2,3,controller
priority=5024 in_port=3 eth_type=0x0806
priority=5000 vlan_vid=7 vlan_pcp=2 apply=1
priority=4999 vlan_vid=none apply=1
priority=4998 ipv4_src=10.1.2.0/24 tcp_dst=80 apply=2`
)

// TestOpenvSwitchHoldsWhatIsDesired is flowsync against a real ovs-vswitchd: all is installed; a
// reconnect writes nothing; what somebody removes comes back; what somebody writes stays; what
// nobody wants goes once discovery has settled.
func TestOpenvSwitchHoldsWhatIsDesired(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) {
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
				newRealSwitch(t, l, v).run()
			})
		})
	}
}

// realSwitch is an engine with an Open vSwitch.
type realSwitch struct {
	*engine
	lab   *netlab.Lab
	ovs   *netlab.OVS
	rules []netview.Rule
}

func newRealSwitch(t *testing.T, l *netlab.Lab, v openflow.Version) *realSwitch {
	return newRealSwitchWith(t, l, v, Config{})
}

func newRealSwitchWith(t *testing.T, l *netlab.Lab, v openflow.Version, config Config) *realSwitch {
	r := &realSwitch{engine: newEngine(t, v, config), lab: l}
	text := wanted13
	if v == openflow.V10 {
		text = wanted10
	}
	for _, line := range strings.Split(text, "\n") {
		r.rules = append(r.rules, parseRule(t, line))
	}
	r.listen()
	r.ovs = l.StartOVS()
	r.ovs.AddBridge("s1", 1, v.String(), "tcp:"+realController)
	return r
}

// listen has the engine listen for a real switch.
func (r *engine) listen() {
	listener, err := net.Listen("tcp", realController)
	if err != nil {
		r.t.Fatal(err)
	}
	r.serve(listener)
}

func (r *realSwitch) run() {
	wanted := r.view.Desired("forward")
	wanted.Update(func(tx *netview.DesiredTx) {
		tx.Set(1, r.rules)
		if r.v == openflow.V13 {
			tx.SetMeters(1, []netview.Meter{{ID: 1, Rate: 100, Burst: 10}})
		}
	})
	r.agree("at first")
	sent := r.counters()

	r.ovs.Vsctl("del-controller", "s1") // which flushes the switch: it is not ours to forbid
	r.ovs.Vsctl("set-controller", "s1", "tcp:"+realController)
	r.agree("after a flush")

	sent = r.counters()
	r.reconnect()
	r.agree("after a reconnect")
	if now := r.counters(); now.FlowMods != sent.FlowMods || now.MeterMods != sent.MeterMods {
		r.t.Errorf("a reconnect wrote: %+v, before %+v", now, sent)
	}

	r.ofctl("--strict", "del-flows", "s1", "priority=5004,dl_dst=ff:ff:ff:ff:ff:ff"+r.table())
	r.lab.Eventually(5*time.Second, "the loss is noticed", func() bool { return r.counters().Repairs > sent.Repairs })
	r.agree("after a loss")

	r.ofctl("add-flow", "s1", "priority=77,in_port=1,actions=drop")
	r.ofctl("add-flow", "s1", "priority=78,cookie=0x0011000000000000,in_port=1,actions=drop")
	r.reconnect()
	r.lab.Eventually(5*time.Second, "the foreign entry is listed", func() (ok bool) {
		r.loop.Ask(func(c *Core) { _, n := c.Foreign(1); ok = n == 1 })
		return ok
	})
	r.facts.Update(func(tx *netview.FactsTx) { tx.SetSettled() })
	r.lab.Eventually(5*time.Second, "the stale entry is gone", func() bool { return r.dump("priority=78") == 0 })
	if r.dump("priority=77") != 1 {
		r.t.Error("the foreign entry is gone")
	}
	wanted.Update(func(tx *netview.DesiredTx) { tx.Set(1, nil); tx.SetMeters(1, nil) })
	infrastructure := len(Infrastructure(1, r.v, 254))
	r.lab.Eventually(5*time.Second, "the withdrawn rules are gone", func() bool { return r.dump("cookie=") == infrastructure+1 })
}

func (r *realSwitch) table() string {
	if r.v == openflow.V13 {
		return ",table=1"
	}
	return ""
}

func (r *realSwitch) ofctl(args ...string) string { return r.ovs.Ofctl(r.v.String(), args...) }

// dump counts the entries of the switch's own listing with a text in them.
func (r *realSwitch) dump(text string) int {
	return strings.Count(r.ofctl("dump-flows", "s1"), text)
}

// agree waits until all is installed and the switch's own listing has as many entries: what the
// view says may be from before the switch lost them.
func (r *realSwitch) agree(when string) {
	r.t.Helper()
	want := len(r.rules) + len(Infrastructure(1, r.v, 254))
	r.lab.Eventually(10*time.Second, "all is installed "+when, func() bool {
		if installed(r.view, 1) == want && r.dump("cookie=") == want {
			return true
		}
		for rule := range r.view.Snapshot().Rules(1) {
			if rule.State == netview.RuleFailed {
				r.t.Fatalf("%s: %s: %s", when, rule.Match.String(), rule.Reason)
			}
		}
		return false
	})
	for rule := range r.view.Snapshot().Rules(1) {
		if rule.Reason != "" {
			r.t.Errorf("%s: %s is installed, but %s", when, rule.Match.String(), rule.Reason)
		}
	}
}

// reconnect ends the session from here and waits for the next one to have been compared.
func (r *realSwitch) reconnect() {
	before := r.counters().Readings
	r.loop.inbox.mu.Lock()
	s := r.loop.inbox.sessions[1].conn.(*sessionConn)
	r.loop.inbox.mu.Unlock()
	s.Close(nil)
	r.lab.Eventually(15*time.Second, "a reconnect", func() (ok bool) {
		r.loop.Ask(func(c *Core) { ok = c.Counters().Readings > before && c.Statuses()[0].Compared })
		return ok
	})
}
