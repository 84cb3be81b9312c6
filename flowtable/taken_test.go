package flowtable

import (
	"os"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/openflow"
)

// TestTaken: each match of testdata/taken/matches.txt takes what it should, and nothing else, in
// both versions, as an entry above one for all packets.
func TestTaken(t *testing.T) {
	text, err := os.ReadFile("testdata/taken/matches.txt")
	if err != nil {
		t.Fatal(err)
	}
	in10, packets := 0, 0
	var beds []*bed // one of each version, with an entry of the match that the lines are of
	for n, line := range strings.Split(string(text), "\n") {
		first, rest, _ := strings.Cut(line, " ")
		switch first {
		case "", "#":
		case "+", "-":
			packets++
			for _, b := range beds {
				b.taken(n+1, rest, first == "+")
			}
		default:
			beds = []*bed{bedWith(t, openflow.V13, strings.Trim(line, "{}"))}
			if b := bedWith(t, openflow.V10, strings.Trim(line, "{}")); b != nil {
				beds = append(beds, b)
				in10++
			}
		}
	}
	if in10 != 38 || packets != 262 {
		t.Errorf("%d of the matches are ones of OpenFlow 1.0, and there are %d packets: want 38 and 262", in10, packets)
	}
}

// bedWith makes a switch whose entry with a match sends to port 4, and all other packets back; nil
// if OpenFlow 1.0 has no such match.
func bedWith(t *testing.T, v openflow.Version, match string) *bed {
	t.Helper()
	m := flow(t, 10, match, "apply:[output:4]")
	if v == openflow.V10 {
		wire, err := m.Append(nil, v)
		if err != nil {
			return nil
		}
		if err := m.Parse(v, wire); err != nil {
			t.Fatal(err)
		}
	}
	b := newBed(t, Config{})
	if err := b.FlowMod(v, m, 0, &b.out); err != nil {
		t.Fatalf("{%s} in OpenFlow %s: %v", match, v, err)
	}
	b.must(flow(t, 1, "", "apply:[output:in_port]"))
	return b
}

// taken wants the packet of a line to leave by port 4 if it is taken, else by the port it came in
// by, once and as it was.
func (b *bed) taken(number int, line string, taken bool) {
	b.t.Helper()
	c := &conversation{bed: b, cmd: &golden.Command{Args: strings.Fields(line)}}
	in := uint32(c.num("port", 1))
	out := in
	if taken {
		out = 4
	}
	frame := c.frame()
	b.Receive(in, frame, b.now, &b.out)
	sent := b.out.frames
	got, want := b.out.take(), "transmit port="+openflow.PortText(out)+" "
	if !strings.HasPrefix(got, want) || len(sent) != 1 || string(sent[0]) != string(frame) {
		b.t.Errorf("testdata/taken/matches.txt:%d: %q: %q, want it as it was, by port %d", number, line, got, out)
	}
}
