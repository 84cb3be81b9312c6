//go:build real

package flowsync

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	conns "github.com/weirnet/weir/session"
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

// realSwitch is a node without anything but sessions and flowsync, and an Open vSwitch.
type realSwitch struct {
	t     *testing.T
	lab   *netlab.Lab
	ovs   *netlab.OVS
	v     openflow.Version
	view  *netview.View
	facts *netview.Facts
	loop  *Loop
	rules []netview.Rule
}

// sessionConn is the Conn of a session, which knows whose messages errors are about.
type sessionConn struct {
	*conns.Session
	at   Address
	mu   sync.Mutex
	sent map[uint32]Refused // by transaction id
}

func (c *sessionConn) Send(batch uint64, index int, messages ...openflow.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	first, err := c.Session.Send(messages...)
	c.own(first, len(messages), batch, index)
	return err
}

func (c *sessionConn) SendFrames(batch uint64, frames []byte, count int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	first, err := c.Session.SendFrames(frames, count)
	c.own(first, count, batch, 0)
	return err
}

// own notes messages that were sent; c.mu is held.
func (c *sessionConn) own(first uint32, count int, batch uint64, index int) {
	for i := range count {
		c.sent[first+uint32(i)] = Refused{Batch: batch, Index: index + i}
	}
}

// of is whose message has a transaction id.
func (c *sessionConn) of(xid uint32) (Refused, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of, ok := c.sent[xid]
	return of, ok
}

func (r *realSwitch) Connected(s *conns.Session) {
	f := s.Features()
	c := &sessionConn{Session: s, at: Address{netview.DPID(f.Datapath), epochs.Add(1)}, sent: make(map[uint32]Refused)}
	s.SetValue(c)
	r.loop.SwitchUp(c.at, f.Version, f.Tables, c)
}
func (r *realSwitch) PacketIn(*conns.Session, openflow.Header, *openflow.PacketIn) {}
func (r *realSwitch) BatchEnd(*conns.Session)                                      {}

func (r *realSwitch) Frame(s *conns.Session, h openflow.Header, frame []byte) bool {
	return h.Type == openflow.TypeFlowRemoved && r.loop.RemovedFrame(s.Value().(*sessionConn).at, h.Version, frame)
}

func (r *realSwitch) Message(s *conns.Session, h openflow.Header, m openflow.Message) {
	c := s.Value().(*sessionConn)
	switch m := m.(type) {
	case *openflow.ErrorMsg:
		r.t.Logf("%s", openflow.Text(h, m))
		if of, ok := c.of(h.XID); ok {
			r.loop.Refused(c.at, of.Batch, of.Index, m)
		}
	case *openflow.FlowRemoved:
		r.loop.Removed(c.at, m)
	case *openflow.MultipartReply:
		if list, ok := m.Body.(*openflow.FlowUpdateList); ok {
			r.loop.Updates(c.at, list)
		}
	case *openflow.Experimenter:
		if paused, ok := m.FlowMonitorPause(h.Version); ok {
			r.loop.MonitorPaused(c.at, paused)
		}
	}
}
func (r *realSwitch) Disconnected(s *conns.Session, _ error) {
	r.loop.SwitchDown(s.Value().(*sessionConn).at, "")
}

func newRealSwitch(t *testing.T, l *netlab.Lab, v openflow.Version) *realSwitch {
	return newRealSwitchWith(t, l, v, Config{})
}

func newRealSwitchWith(t *testing.T, l *netlab.Lab, v openflow.Version, config Config) *realSwitch {
	r := newEngine(t, v, config)
	r.serve()
	r.lab, r.ovs = l, l.StartOVS()
	r.ovs.AddBridge("s1", 1, v.String(), "tcp:"+realController)
	return r
}

// newEngine is a realSwitch without a switch, which does not listen for one.
func newEngine(t *testing.T, v openflow.Version, config Config) *realSwitch {
	r := &realSwitch{t: t, v: v, view: netview.New(netview.Limits{})}
	config.Grace = 10 * time.Millisecond
	r.facts, r.loop = r.view.Facts(), New(config, r.view)
	text := wanted13
	if v == openflow.V10 {
		text = wanted10
	}
	for _, line := range strings.Split(text, "\n") {
		r.rules = append(r.rules, parseRule(t, line))
	}
	r.facts.Update(func(tx *netview.FactsTx) {
		tx.PutSwitch(&netview.Switch{DPID: 1, State: netview.SwitchReady, Connected: true, Settled: true})
	})
	ctx, cancel := context.WithCancel(context.Background())
	go r.loop.Run(ctx)
	t.Cleanup(func() {
		cancel()
		<-r.loop.done
	})
	return r
}

// serve listens for the switch.
func (r *realSwitch) serve() {
	listener, err := net.Listen("tcp", realController)
	if err != nil {
		r.t.Fatal(err)
	}
	server := conns.NewServer(conns.Config{}, r)
	go server.Serve(listener)
	r.t.Cleanup(func() { server.Close(context.Background()) })
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

func (r *realSwitch) counters() (c Counters) {
	r.loop.Ask(func(core *Core) { c = core.Counters() })
	return c
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
