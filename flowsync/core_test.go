package flowsync

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// TestConversations runs the golden conversations in testdata. Their commands are those of
// scene.do.
func TestConversations(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, path string) {
		s := &scene{}
		golden.Run(t, path, s.do)
	})
}

// scene is a conversation in flight.
type scene struct {
	*world
	config Config
}

// Raise and Clear say what alarms there are.
func (s *scene) Raise(kind netview.AlarmKind, object, text string) {
	s.say(fmt.Sprintf("alarm %s %s: %s", kind, object, text))
}

func (s *scene) Clear(kind netview.AlarmKind, object string) {
	s.say(fmt.Sprintf("alarm %s %s ends", kind, object))
}

// do does one command and returns what was said because of it.
func (s *scene) do(t *testing.T, c *golden.Command) string {
	if s.world == nil {
		config := Config{BatchMax: 8, NoMonitor: true, ReadEvery: 24 * time.Hour, Alarms: s}
		if c.Name == "config" { // the first command
			config.NoMonitor = c.Arg("monitor", "no") == "no"
			if most, err := strconv.Atoi(c.Arg("at_once", "")); err == nil {
				config.ReadRulesMax = most
			}
			if every, err := time.ParseDuration(c.Arg("read", "24h")); err == nil {
				config.ReadEvery = every
			}
		}
		s.world, s.config = newWorld(t, config), config
		s.loud, s.brief = true, c.Name != "config" || c.Arg("objects", "no") == "no"
	}
	if c.Name == "config" {
		return ""
	}
	s.t, s.lines = t, nil
	dpid := netview.DPID(1)
	if len(c.Args) > 0 {
		if n, err := strconv.ParseUint(c.Args[0], 10, 64); err == nil {
			dpid = netview.DPID(n)
		}
	}
	if text, ok := s.show(c.Name, dpid); ok {
		return text
	}
	s.act(c, dpid)
	s.turn()
	return strings.Join(s.lines, "\n")
}

// show does the commands that only look.
func (s *scene) show(name string, dpid netview.DPID) (string, bool) {
	switch name {
	case "table": // what the switch holds
		return s.models[dpid].String(), true
	case "standing":
		for _, standing := range s.loop.core.Statuses() {
			if standing.DPID == dpid {
				standing.ReadCost = 0 // which is measured
				return fmt.Sprintf("%+v", standing), true
			}
		}
		return "none", true
	case "counters":
		return fmt.Sprintf("%+v", s.loop.core.Counters()), true
	case "rulesets": // their rules, with what is known of them
		return s.loop.core.orderedText(dpid), true
	case "objects": // groups and meters, with what is known of them
		return s.loop.core.switches[dpid].objects.String(), true
	case "foreign":
		list, total := s.loop.core.Foreign(dpid)
		text := fmt.Sprintf("%d\n", total)
		for i := range list {
			text += list[i].String() + "\n"
		}
		return text, true
	case "leftover":
		text := ""
		for _, e := range s.loop.core.Leftover(dpid) {
			text += fmt.Sprintf("table=%d priority=%d cookie=0x%016x match=%s ports=%v\n", e.Table, e.Priority,
				e.Cookie, e.Match.String(), e.Ports)
		}
		return text, true
	}
	return "", false
}

// act does the commands that something follows from.
func (s *scene) act(c *golden.Command, dpid netview.DPID) {
	number := func(key, otherwise string) int {
		n, err := strconv.Atoi(c.Arg(key, otherwise))
		if err != nil {
			s.t.Fatal(err)
		}
		return n
	}
	switch c.Name {
	case "switch": // a switch appears, not connected
		version := openflow.V13
		if c.Arg("version", "1.3") == "1.0" {
			version = openflow.V10
		}
		s.add(dpid, version, uint8(number("tables", "254")), 1, 2, 3)
		s.models[dpid].monitor.offered = c.Arg("monitor", "no") == "yes"
		s.models[dpid].meterous = version == openflow.V13 && c.Arg("meters", "yes") == "yes"
	case "holds": // the switch has entries, or somebody writes them
		for _, r := range s.rules(c.Input) {
			s.models[dpid].put(&r)
		}
	case "connect":
		s.connect(dpid)
	case "take": // the switch does messages=N of what it was sent, or all, and answers
		s.wires[dpid].take(number("messages", "1000"), false)
	case "cut": // the session ends, of a switch that is stuck=how; the switch had done messages=N
		s.wires[dpid].stuck = c.Arg("stuck", "")
		s.cut(dpid, number("messages", "0"))
	case "room": // of the session's queue, in messages
		s.wires[dpid].room = number("messages", "0")
	case "want": // an owner wants these rules, and no others, at the switch
		s.want(dpid, c.Arg("owner", "forward"), s.rules(c.Input)...)
	case "order": // lines of rules_world_test.go's parseOrder, as one list
		s.loop.Order(parseOrders(s.t, dpid, c.Input))
	case "meter":
		s.meters(dpid, "forward", netview.Meter{ID: uint32(number("id", "1")), Rate: uint32(number("rate", "0")),
			Burst: uint32(number("burst", "0"))})
	case "oldmeter": // the switch has a meter from before
		id := uint32(number("id", "1"))
		s.models[dpid].meters[id] = &openflow.MeterConfig{Flags: openflow.MeterFlagPktps, Meter: id,
			Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 9}}}
	case "nometers":
		s.meters(dpid, "forward")
	case "roomfor": // so many groups, and meters by content
		s.models[dpid].room = number("objects", "0")
	case "meddle": // somebody has a group output to port 9, or a meter let 99 packets a second pass, or deletes it
		s.meddle(dpid, uint32(number("group", "0")), uint32(number("meter", "0")), c.Arg("delete", "no") == "yes")
	case "settle":
		s.settle(dpid)
	case "port": // port=N goes down, or up
		s.change(dpid, func(sw *netview.Switch) { sw.Ports[number("port", "1")-1].Up = c.Arg("state", "down") == "up" })
	case "refuse": // rules of priority=N, with a code; 0 ends it
		s.models[dpid].refuse[uint16(number("priority", "0"))] = openflow.ErrorCode(number("code", "0"))
	case "lose": // somebody removes entries of priority=N at the switch
		s.lose(dpid, uint16(number("priority", "0")))
	case "delete": // the same, and no flow-removed
		s.models[dpid].forget(uint16(number("priority", "0")))
	case "change": // somebody has entries of priority=N output to port=N
		s.models[dpid].modify(uint16(number("priority", "0")), uint32(number("port", "9")))
	case "expire": // the switch ends entries of priority=N whose time-outs are over, or, with told=no, sends no flow-removed
		s.expire(dpid, c.Arg("told", "yes") == "yes",
			func(k entryKey) bool { return k.priority == uint16(number("priority", "0")) })
	case "retime": // somebody gives entries of priority=N these time-outs
		for key, e := range s.models[dpid].entries {
			if key.priority == uint16(number("priority", "0")) {
				s.models[dpid].retime(e, uint16(number("idle", "0")), uint16(number("hard", "0")))
			}
		}
	case "forget": // the switch confirms entries of priority=N and does not keep them, or, with forget=no, does
		s.models[dpid].forgets[uint16(number("priority", "0"))] = c.Arg("forget", "yes") == "yes"
	case "pause":
		s.models[dpid].pause()
		s.loop.MonitorPaused(s.wires[dpid].at(), true)
	case "restart": // an engine that knows nothing takes the place of this one
		s.restart()
	case "hold":
		s.loop.Hold()
	case "release":
		s.loop.Release()
	case "miss": // the switch tells more than the loop takes, at once
		s.miss(dpid)
	case "resume":
		s.models[dpid].resume()
		s.loop.MonitorPaused(s.wires[dpid].at(), false)
	case "drop": // the switch does messages=N of what it was sent, and does not answer
		s.wires[dpid].take(number("messages", "1000"), true)
	case "check":
		s.check1(dpid)
	case "wait":
		d, err := time.ParseDuration(c.Args[0])
		if err != nil {
			s.t.Fatal(err)
		}
		s.now = s.now.Add(d)
	default:
		s.t.Fatalf("%s:%d: no command %s", c.File, c.Line, c.Name)
	}
}

// check1 has a switch compared and says what was found, when it has answered.
func (s *scene) check1(dpid netview.DPID) {
	found := make(chan Findings, 1)
	s.loop.checks[dpid] = append(s.loop.checks[dpid], found)
	s.loop.inbox.post(Check{dpid})
	s.turn()
	if w := s.wires[dpid]; w != nil {
		w.take(1000, false)
	}
	s.turn()
	select {
	case f := <-found:
		s.say(fmt.Sprintf("%s: wanted=%d compared=%d in_flight=%d failed=%d foreign=%d shadowed=%d error=%v",
			f.DPID, f.Desired, f.Compared, f.InFlight, f.Failed, f.Foreign, f.Shadowed, f.Err))
		for _, d := range f.Shadows {
			s.say(fmt.Sprintf("  %s shadows %s's priority=%d %s", d.Entry.String(), d.Rule.Owner, d.Rule.Priority,
				d.Rule.Match.String()))
		}
		for _, d := range f.Differences {
			if d.Object != "" {
				s.say(fmt.Sprintf("  %s %s: wanted %q held %q", d.Kind, d.Object, d.Desired, d.Held))
				continue
			}
			s.say(fmt.Sprintf("  %s table=%d priority=%d %s %s: wanted %q held %q", d.Kind, d.Table, d.Priority,
				d.Match.String(), d.Owner, d.Desired, d.Held))
		}
	default:
		s.say("no findings")
	}
}

func (s *scene) meddle(dpid netview.DPID, group, meter uint32, remove bool) {
	m := s.models[dpid]
	switch {
	case remove && group > 0:
		m.group(&openflow.GroupMod{Command: openflow.GroupDelete, Group: group})
	case remove:
		m.meter(&openflow.MeterMod{Command: openflow.MeterDelete, Meter: meter})
	case group > 0:
		m.groups[group].Buckets = []openflow.Bucket{{Actions: []openflow.Action{openflow.Output(9)}}}
	default:
		m.meters[meter].Bands[0].Rate = 99
	}
	for _, e := range m.gone {
		s.wires[dpid].removed(e)
	}
	m.gone = nil
}

func (s *scene) miss(dpid netview.DPID) {
	for range s.loop.config.UnsolicitedMax / inputBytes {
		s.loop.Refused(s.wires[dpid].at(), 0, 0, &openflow.ErrorMsg{})
	}
}

func (s *scene) lose(dpid netview.DPID, priority uint16) {
	m := s.models[dpid]
	for _, key := range m.keys() {
		if e := m.entries[key]; e.Priority == priority {
			gone := m.remove(&openflow.FlowMod{Table: e.Table, Priority: e.Priority, Match: e.Match})
			s.wires[dpid].removed(gone)
		}
	}
}

func (s *scene) rules(text string) (rules []netview.Rule) {
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			rules = append(rules, parseRule(s.t, line))
		}
	}
	return rules
}

// restart has another engine, in a view of its own. The switches keep what they have.
func (s *scene) restart() {
	before := s.world
	s.world = newWorld(before.t, s.config)
	s.loud, s.brief, s.now = before.loud, before.brief, before.now
	for dpid, m := range before.models {
		s.add(dpid, m.version, m.tables, 1, 2, 3)
		s.models[dpid], m.now = m, s.models[dpid].now
		m.monitor.tell = nil
	}
}
