package stats

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
		s := &scene{newWorld(t, Config{})}
		s.loud = true
		golden.Run(t, path, s.do)
	})
}

// scene is a conversation under way.
type scene struct{ *world }

// do does one command and returns what was said because of it.
func (s *scene) do(t *testing.T, c *golden.Command) string {
	s.t, s.lines = t, nil
	var m *model
	if len(c.Args) > 0 {
		n, _ := strconv.ParseUint(c.Args[0], 10, 64)
		m = s.models[netview.DPID(n)]
		if m == nil && n != 0 {
			m = s.switchOf(netview.DPID(n), c)
		}
	}
	switch c.Name {
	case "switch":
	case "up":
		s.up(m)
	case "down":
		s.down(m)
	case "restart":
		s.restart(m)
	case "traffic": // of port=N: NAME=RATE a second, or NAME=lacks
		s.traffic(m, c)
	case "unplug":
		delete(m.ports, s.port(c))
	case "plug":
		m.plug(s.port(c), s.now)
	case "entry": // kind=N packets=N bytes=N
		m.entries = append(m.entries, entryOf(c))
	case "is": // what is wrong with the switch
		m.stuck, m.busy = c.Args[1] == "stuck", c.Args[1] == "busy"
		m.delay, _ = time.ParseDuration(c.Arg("delay", "0s"))
		for k := range kinds {
			m.refuses[k] = c.Arg("refuses", "") == k.String()
		}
	case "run":
		d, err := time.ParseDuration(c.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		s.run(d)
	case "show":
		return text(s.board.Switch(m.dpid), s.start)
	default:
		t.Fatalf("%s:%d: no command %s", c.File, c.Line, c.Name)
	}
	return strings.Join(s.lines, "\n")
}

func (s *scene) switchOf(dpid netview.DPID, c *golden.Command) *model {
	v := openflow.V13
	if c.Arg("version", "1.3") == "1.0" {
		v = openflow.V10
	}
	ports, _ := strconv.Atoi(c.Arg("ports", "1"))
	m := s.add(dpid, v, ports)
	m.bits, _ = strconv.Atoi(c.Arg("bits", "64"))
	return m
}

func (s *scene) port(c *golden.Command) uint32 {
	n, err := strconv.ParseUint(c.Arg("port", "1"), 10, 32)
	if err != nil {
		s.t.Fatal(err)
	}
	return uint32(n)
}

func (s *scene) traffic(m *model, c *golden.Command) {
	p := m.ports[s.port(c)]
	p.settle(s.now)
	for k := range Counters {
		value := c.Arg(k.String(), "")
		p.lacks[k] = value == "lacks"
		if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			p.rates[k] = n
		}
	}
}

func entryOf(c *golden.Command) openflow.FlowStats {
	number := func(key string) uint64 { n, _ := strconv.ParseUint(c.Arg(key, "0"), 10, 64); return n }
	e := openflow.FlowStats{Table: uint8(number("table")), Priority: uint16(number("priority")),
		Packets: number("packets"), Bytes: number("bytes")}
	e.Cookie = plan.Cookie{Domain: uint16(number("domain")), Kind: plan.Kind(number("kind"))}.Encode()
	return e
}

// text is a switch's counters, one thing a line.
func text(s *Switch, start time.Time) string {
	if s == nil {
		return "nothing"
	}
	var b strings.Builder
	if p := s.Ports; p != nil {
		fmt.Fprintf(&b, "ports as of %.1f sum=%v\n", p.AsOf.Sub(start).Seconds(), p.Sum)
		for i := range p.List {
			fmt.Fprintf(&b, "  %d:", p.List[i].Number)
			for c := range Counters {
				writeCount(&b, &p.List[i], c)
			}
			b.WriteByte('\n')
		}
	}
	if t := s.Tables; t != nil {
		fmt.Fprintf(&b, "tables as of %.1f\n", t.AsOf.Sub(start).Seconds())
		for _, r := range t.List {
			fmt.Fprintf(&b, "  %+v\n", r)
		}
	}
	if t := s.Totals; t != nil {
		fmt.Fprintf(&b, "totals as of %.1f: %d entries, %d packets, %d bytes\n", t.AsOf.Sub(start).Seconds(),
			t.Entries, t.Packets, t.Bytes)
	}
	if f := s.Flows; f != nil {
		fmt.Fprintf(&b, "flows as of %.1f: %v\n", f.AsOf.Sub(start).Seconds(), f.Entries)
	}
	return b.String()
}

// writeCount writes a counter that says anything.
func writeCount(b *strings.Builder, p *Port, c Counter) {
	n, ok := p.Count(c)
	r, rated := p.Rate(c)
	switch {
	case !ok:
		fmt.Fprintf(b, " %s=?", c)
	case rated && r > 0:
		fmt.Fprintf(b, " %s=%d(%.0f/s)", c, n, r)
	case n > 0:
		fmt.Fprintf(b, " %s=%d", c, n)
	}
}
