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

// TestConversations runs the golden conversations in testdata. Their commands are those of scene.do.
func TestConversations(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, path string) {
		s := &scene{}
		golden.Run(t, path, s.do)
	})
}

// scene is a conversation under way.
type scene struct{ *world }

// do does one command and returns what was said because of it.
func (s *scene) do(t *testing.T, c *golden.Command) string {
	if s.world == nil {
		s.world = newWorld(t, Config{BatchMax: 8})
		s.loud = true
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
		for _, standing := range s.loop.core.Standings() {
			if standing.DPID == dpid {
				return fmt.Sprintf("%+v", standing), true
			}
		}
		return "none", true
	case "counters":
		return fmt.Sprintf("%+v", s.loop.core.Counters()), true
	case "foreign":
		list, total := s.loop.core.Foreign(dpid)
		text := fmt.Sprintf("%d\n", total)
		for i := range list {
			text += list[i].String() + "\n"
		}
		return text, true
	case "adopted":
		text := ""
		for _, e := range s.loop.core.Adopted(dpid) {
			text += fmt.Sprintf("table=%d priority=%d cookie=0x%016x match=%s ports=%v\n", e.Table, e.Priority, e.Cookie, e.Match.String(), e.Ports)
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
		s.models[dpid].meterous = version == openflow.V13 && c.Arg("meters", "yes") == "yes"
	case "holds": // the switch has entries from before
		for _, r := range s.rules(c.Input) {
			s.models[dpid].put(&r)
		}
	case "connect":
		s.connect(dpid)
	case "take": // the switch does messages=N of what it was sent, or all, and answers
		s.wires[dpid].take(number("messages", "1000"), false)
	case "cut": // the session ends; the switch had done messages=N
		s.cut(dpid, number("messages", "0"))
	case "room": // of the session's queue, in messages
		s.wires[dpid].room = number("messages", "0")
	case "want": // an owner wants these rules, and no others, at the switch
		s.want(dpid, c.Arg("owner", "forward"), s.rules(c.Input)...)
	case "meter":
		s.meters(dpid, "forward", netview.Meter{ID: uint32(number("id", "1")), Rate: uint32(number("rate", "0")), Burst: uint32(number("burst", "0"))})
	case "nometers":
		s.meters(dpid, "forward")
	case "settle":
		s.settle(dpid)
	case "port": // port=N goes down, or up
		s.change(dpid, func(sw *netview.Switch) { sw.Ports[number("port", "1")-1].Up = c.Arg("state", "down") == "up" })
	case "refuse": // rules of priority=N, with a code; 0 ends it
		s.models[dpid].refuse[uint16(number("priority", "0"))] = openflow.ErrorCode(number("code", "0"))
	case "lose": // somebody removes entries of priority=N at the switch
		s.lose(dpid, uint16(number("priority", "0")))
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

func (s *scene) lose(dpid netview.DPID, priority uint16) {
	m := s.models[dpid]
	for _, key := range m.keys() {
		if e := m.entries[key]; e.Priority == priority {
			gone := m.remove(&openflow.FlowMod{Table: e.Table, Priority: e.Priority, Match: e.Match})
			s.loop.Removed(dpid, s.wires[dpid], gone)
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
