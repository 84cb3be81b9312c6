package guard

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// TestConversations runs the golden conversations in testdata. Their commands are those of
// scene.do.
func TestConversations(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, path string) {
		s := newScene()
		golden.Run(t, path, s.do)
	})
}

// scene is a conversation under way: a core, a view that the commands fill, and what each port
// sends.
type scene struct {
	t       *testing.T
	view    *netview.View
	facts   *netview.Facts
	wanted  *netview.Desired
	core    *Core
	start   time.Time
	now     time.Time
	events  []Event
	rates   map[netview.Point]Sample // a second
	version map[netview.DPID]openflow.Version
	xid     uint32
	sent    map[uint32]Refused // by transaction id
	full    bool               // sessions take nothing
}

func newScene() *scene {
	v := netview.New(netview.Limits{})
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return &scene{
		view: v, facts: v.Facts(), wanted: v.Desired("forward"), core: NewCore(Config{}), start: start, now: start, xid: 100,
		sent:  make(map[uint32]Refused),
		rates: make(map[netview.Point]Sample), version: make(map[netview.DPID]openflow.Version),
	}
}

// do does one command and returns what came of it:
//
//	switch N version=1.0|1.3 tables=T ports=edge,link,…    a switch connects
//	down N                                              its session ends
//	port N/P edge|link|unknown|down                     a port changes
//	tree N OUT,…                                        the tree's broadcast row at a switch of the single-table form
//	send N/P DATA PROBES                                packet-ins a second that come from now on
//	run DURATION                                        time passes; steps are taken every 100 ms
//	removed N/P REASON packets=N lived=DURATION         a row went
//	refuse XID CODE                                     an error
//	meters N ID:FLOWS …                                 the answer to "clean"
//	full, taken                                         sessions take nothing, or all
//	held                                                what is held back
func (s *scene) do(t *testing.T, c *golden.Command) string {
	s.t = t
	switch c.Name {
	case "switch":
		s.connect(c)
	case "down":
		s.events = append(s.events, Event{DPID: s.dpid(c.Args[0]), Down: true})
	case "port":
		s.port(s.point(c.Args[0]), c.Args[1])
	case "tree":
		s.tree(s.dpid(c.Args[0]), c.Args[1])
	case "send":
		s.rates[s.point(c.Args[0])] = Sample{Data: uint64(s.number(c.Args[1])), Probes: uint64(s.number(c.Args[2]))}
	case "run":
		return s.run(s.duration(c.Args[0]))
	case "removed":
		at := s.point(c.Args[0])
		reason := map[string]openflow.FlowRemovedReason{"hard": openflow.RemovedHard, "delete": openflow.RemovedDelete}[c.Args[1]]
		s.events = append(s.events, Event{DPID: at.DPID, Removed: &Removed{at.Port, reason,
			uint64(s.number(c.Arg("packets", "0"))), s.duration(c.Arg("lived", "10s"))}})
	case "refuse":
		codes := map[string]openflow.ErrorCode{"out-of-meters": openflow.MeterModFailedOutOfMeters,
			"no-meters": openflow.BadRequestBadType, "table-full": openflow.FlowModFailedTableFull}
		of, ok := s.sent[uint32(s.number(c.Args[0]))]
		if !ok {
			t.Fatalf("nothing was sent with the transaction id %s", c.Args[0])
		}
		of.Code = codes[c.Args[1]]
		s.events = append(s.events, Event{DPID: 1, Refused: &of})
	case "meters":
		e := Event{DPID: s.dpid(c.Args[0])}
		for _, a := range c.Args[1:] {
			id, flows, _ := strings.Cut(a, ":")
			e.Meters = append(e.Meters, openflow.MeterStats{Meter: uint32(s.number(id)), Flows: uint32(s.number(flows))})
		}
		s.events = append(s.events, e)
	case "full", "taken":
		s.full = c.Name == "full"
	case "held":
		return s.held()
	default:
		t.Fatalf("no command %q", c.Name)
	}
	return ""
}

func (s *scene) number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *scene) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *scene) dpid(text string) netview.DPID { return netview.DPID(s.number(text)) }

func (s *scene) point(text string) netview.Point {
	sw, port, _ := strings.Cut(text, "/")
	return netview.Point{DPID: s.dpid(sw), Port: uint32(s.number(port))}
}

var roles = map[string]netview.PortRole{"edge": netview.PortEdge, "link": netview.PortLink,
	"unknown": netview.PortUnknown, "down": netview.PortEdge}

func (s *scene) connect(c *golden.Command) {
	row := &netview.Switch{DPID: s.dpid(c.Args[0]), Connected: true, State: netview.SwitchReady, Version: openflow.V13, Tables: 8}
	if c.Arg("version", "1.3") == "1.0" {
		row.Version = openflow.V10
	}
	row.Tables = uint8(s.number(c.Arg("tables", "8")))
	for i, role := range strings.Split(c.Arg("ports", "edge,edge,edge,link"), ",") {
		row.Ports = append(row.Ports, netview.Port{Number: uint32(i + 1), Up: role != "down", Role: roles[role]})
	}
	s.version[row.DPID] = row.Version
	s.facts.Update(func(tx *netview.FactsTx) { tx.PutSwitch(row) })
	s.events = append(s.events, Event{DPID: row.DPID, Up: &Up{row.Version, row.Tables}})
}

func (s *scene) port(at netview.Point, role string) {
	s.facts.Update(func(tx *netview.FactsTx) {
		old, _ := tx.Switch(at.DPID)
		next := *old
		next.Ports = append([]netview.Port(nil), old.Ports...)
		for i := range next.Ports {
			if p := &next.Ports[i]; p.Number == at.Port {
				p.Up, p.Role = role != "down", roles[role]
			}
		}
		tx.PutSwitch(&next)
	})
}

// tree is app/forward's row for broadcasts: to some ports and the controller, and one for port 4, a
// link's, without.
func (s *scene) tree(dpid netview.DPID, outs string) {
	var all openflow.Match
	all.Set(openflow.FieldEthDst, []byte{255, 255, 255, 255, 255, 255}, nil)
	var from openflow.Match
	from.SetUint(openflow.FieldInPort, 4)
	from.OXM = append(from.OXM, all.OXM...)
	var acts []openflow.Action
	for _, out := range strings.Split(outs, ",") {
		acts = append(acts, openflow.Output(uint32(s.number(out))))
	}
	cookie := plan.Cookie{Domain: 1, Kind: plan.KindTree}.Encode()
	s.wanted.Update(func(tx *netview.DesiredTx) {
		tx.Set(dpid, []netview.Rule{
			{Priority: plan.PriorityBroadcast, Cookie: cookie, Match: all, Instructions: []openflow.Instruction{
				openflow.Apply(append(acts, openflow.OutputController(openflow.ControllerNoCut))...)}},
			{Priority: plan.PriorityBroadcast + plan.PriorityTransit, Cookie: cookie, Match: from,
				Instructions: []openflow.Instruction{openflow.Apply(acts...)}},
		})
	})
}

// run takes steps and says what came of each, with the time.
func (s *scene) run(long time.Duration) string {
	var b strings.Builder
	for end := s.now.Add(long); s.now.Before(end); {
		s.now = s.now.Add(interval)
		var samples []Sample
		for at, r := range s.rates {
			if r.Data+r.Probes > 0 {
				r.At = at
				r.Data, r.Probes = r.Data/10, r.Probes/10
				samples = append(samples, r)
			}
		}
		s.write(&b, s.core.Step(s.events, samples, s.view.Snapshot(), s.now))
		s.events = nil
	}
	return b.String()
}

func (s *scene) write(b *strings.Builder, r *Ready) {
	line := func(format string, args ...any) {
		fmt.Fprintf(b, "%.1f ", s.now.Sub(s.start).Seconds())
		fmt.Fprintf(b, format+"\n", args...)
	}
	for i := range r.Writes {
		w := &r.Writes[i]
		if s.full {
			line("%s: %d messages not taken", w.At, len(w.Messages))
			continue
		}
		s.core.Sent(w)
		for i, m := range w.Messages {
			s.sent[s.xid] = Refused{Number: w.Number, Index: i}
			v := s.version[w.At.DPID]
			wire, err := openflow.Append(nil, v, s.xid, m)
			if err != nil {
				s.t.Fatal(err)
			}
			h, parsed, err := openflow.Parse(wire)
			if err != nil {
				s.t.Fatal(err)
			}
			line("%d: %s", w.At.DPID, openflow.Text(h, parsed))
			s.xid++
		}
	}
	for _, dpid := range r.Clean {
		line("clean %d", dpid)
	}
	for _, a := range r.Alarms {
		if a.Raised {
			line("alarm %s %s", a.At, a.Text)
		} else {
			line("alarm %s cleared", a.At)
		}
	}
}

func (s *scene) held() string {
	var b strings.Builder
	for sw := range s.view.Snapshot().Switches() {
		for _, p := range sw.Ports {
			at := netview.Point{DPID: sw.DPID, Port: p.Number}
			if class, allowed := s.core.Held(at); class != 0 {
				fmt.Fprintf(&b, "%s %s %d/s\n", at, class, allowed)
			}
		}
	}
	return b.String()
}
