package spec

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/topology"
)

// TestGolden: what intents are after Check, their bytes, and their legs both ways.
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, path string) {
		golden.Run(t, path, func(t *testing.T, c *golden.Command) string { return describe(parseLine(t, c.Name, c.Args)) })
	})
}

func describe(s Spec) string {
	if err := s.Check(); err != nil {
		return "refused: " + err.Error()
	}
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s\nbytes %x\n", &s, s.Append(nil))
	for i, way := range []string{"forward", "reverse"} {
		for _, m := range s.Matches(nil, i == 1) {
			fmt.Fprintf(b, "%s %s\n", way, openflow.Match{OXM: m})
		}
	}
	return b.String()
}

// parseLine reads an intent of a golden file: its kind, then id=, priority=, src=, dst=, hops= and
// wide; whatever else selects.
func parseLine(t *testing.T, kind string, args []string) (s Spec) {
	t.Helper()
	n, _ := schema.Rows[schema.Kind].ValueOf(kind)
	s.Kind = Kind(n)
	s.Priority = PriorityDefault
	for _, a := range args {
		key, value, _ := strings.Cut(a, "=")
		switch key {
		case "id":
			s.ID = value
		case "priority":
			n, _ := strconv.Atoi(value)
			s.Priority = uint16(n)
		case "src":
			s.Src = parseEnds(t, value)
		case "dst":
			s.Dst = parseEnds(t, value)
		case "wide":
			s.Wide = true
		case "hops":
			for _, h := range strings.Split(value, ",") {
				var dpid uint64
				var hop topology.Hop
				if _, err := fmt.Sscanf(h, "%d:%d>%d", &dpid, &hop.In, &hop.Out); err != nil {
					t.Fatalf("hop %q: %v", h, err)
				}
				hop.DPID = netview.DPID(dpid)
				s.Hops = append(s.Hops, hop)
			}
		default:
			if err := s.Selector.SetText(key, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// parseEnds reads MAC or MAC/vlan, or DPID/port, with commas between.
func parseEnds(t *testing.T, text string) (ends []End) {
	t.Helper()
	for _, e := range strings.Split(text, ",") {
		first, second, _ := strings.Cut(e, "/")
		number, _ := strconv.ParseUint(second, 10, 32)
		if mac, err := packet.ParseMAC(first); err == nil {
			ends = append(ends, End{Host: netview.HostID{MAC: mac, VLAN: uint16(number)}})
			continue
		}
		dpid, err := strconv.ParseUint(first, 16, 64)
		if err != nil {
			t.Fatalf("end %q: %v", e, err)
		}
		ends = append(ends, End{Point: netview.Point{DPID: netview.DPID(dpid), Port: uint32(number)}})
	}
	return ends
}

// Same reports whether two checked specs ask for the same, priorities and ids included.
func (s *Spec) Same(t *Spec) bool {
	var a, b [512]byte
	return bytes.Equal(s.Append(a[:0]), t.Append(b[:0]))
}
