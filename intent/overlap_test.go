package intent

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// toward is a point-to-point intent of all IPv4 to an address.
func toward(id string, from, to netview.Point, address uint64) spec.Spec {
	s := flow(id, from, to, 0)
	s.Selector = openflow.Match{}
	s.Selector.SetUint(openflow.FieldEthType, 0x0800)
	s.Selector.SetUint(openflow.FieldIPv4Dst, address)
	s.Wide = true
	return s
}

// TestOverlaps: two selectors of one priority that share packets and a place: the later fails, and
// says for whom; in another priority, elsewhere, or of other packets it does not; and it goes on
// when the other has gone.
func TestOverlaps(t *testing.T) {
	n := square(t)
	n.matches = make(map[ruleAt]map[string]bool)
	low := toward("low", at(1, 11), at(4, 9), 0x0b000001)
	low.Priority = 99
	n.submit(false,
		Request{Op: Create, Spec: flow("first", at(1, 9), at(4, 9), 1)},
		Request{Op: Create, Spec: low},
		Request{Op: Create, Spec: toward("others", at(1, 9), at(4, 9), 0x0b000002)},
		Request{Op: Create, Spec: toward("elsewhere", at(4, 10), at(1, 10), 0x0b000001)})
	n.rest()
	for _, id := range []string{"first", "low", "others", "elsewhere"} {
		n.wantState(id, "installed")
	}
	n.submit(false, Request{Op: Create, Spec: toward("same-port", at(1, 9), at(2, 9), 0x0b000001)})
	n.rest()
	n.wantState("same-port", "failed(conflict)")
	if in, _ := n.engine.Get("same-port"); !strings.Contains(in.Text, "intent first has packets of both") || !in.Retrying {
		t.Errorf("it says %q, retrying %t", in.Text, in.Retrying)
	}
	n.host(hostID(1), at(2, 11))
	n.host(hostID(2), at(4, 11))
	n.host(hostID(3), at(1, 9))
	host := func(id string, a, b int) Request {
		return Request{Op: Create, Spec: spec.Spec{ID: id, Kind: spec.HostToHost, Priority: 100,
			Src: []spec.End{{Host: hostID(a)}}, Dst: []spec.End{{Host: hostID(b)}}}}
	}
	n.submit(false, Request{Op: Withdraw, ID: "others"}, Request{Op: Withdraw, ID: "same-port"})
	n.rest()
	n.submit(false, host("hosts", 1, 2), host("host", 3, 2),
		Request{Op: Create, Spec: toward("same-port", at(1, 9), at(2, 9), 0x0b000001)})
	n.rest()
	n.wantState("hosts", "installed") // on links of first, whose packets come in elsewhere
	n.wantState("host", "failed(conflict)")
	n.wantState("same-port", "failed(conflict)")
	n.submit(false, Request{Op: Withdraw, ID: "host"})
	n.submit(false, Request{Op: Withdraw, ID: "first"})
	n.rest()
	n.wantState("same-port", "installed")
	n.checkWanted(t.Fatalf)
}

// TestOverlapAtReroute: two that share packets, on links of their own until one of these is cut. One of them is wide: its
// packets are known by their tags, so both go on over one link.
func TestOverlapAtReroute(t *testing.T) {
	n := newNetwork(t, 3)
	n.matches = make(map[ruleAt]map[string]bool)
	n.cable(1, 1, 2, 1)
	n.cable(1, 2, 3, 1)
	n.cable(2, 2, 3, 2)
	n.submit(false,
		Request{Op: Create, Spec: toward("stays", at(1, 9), at(2, 9), 0x0b000001)},
		Request{Op: Create, Spec: flow("moves", at(3, 9), at(2, 9), 1)})
	n.rest()
	n.wantState("stays", "installed")
	n.wantState("moves", "installed")
	n.put(link(2, 2, 3, 2), false, netview.LinkConfirmed)
	n.rest()
	n.wantState("stays", "installed")
	n.wantState("moves", "installed")
	n.checkWanted(t.Fatalf)
	n.put(link(2, 2, 3, 2), true, netview.LinkConfirmed)
	n.rest()
	n.wantState("moves", "installed")
	n.wantState("stays", "installed")
	n.checkWanted(t.Fatalf)
}

// TestManyOfOneShape: who asks for exact pairs searches nothing, however many there are; who asks
// for something else looks at what passes his places.
func TestManyOfOneShape(t *testing.T) {
	n := square(t)
	var reqs []Request
	for i := range 500 {
		reqs = append(reqs, Request{Op: Create,
			Spec: flow("f"+string(rune('0'+i%10))+strings.Repeat("x", i/10), at(1, 9), at(4, 9), uint32(i))})
	}
	n.submit(false, reqs...)
	n.rest()
	if n := n.engine.core.conflicts.Searches(); n != 0 {
		t.Fatalf("%d ways were searched", n)
	}
	n.submit(false, Request{Op: Create, Spec: toward("other", at(1, 9), at(4, 9), 0x0b000000+77)})
	n.rest()
	n.wantState("other", "failed(conflict)")
	if n.engine.core.conflicts.Searches() == 0 {
		t.Fatal("no way was searched")
	}
}

// TestOverlapAtOneIngress: two that both fix who sends share packets if these come in at one port,
// and none if they come in at two.
func TestOverlapAtOneIngress(t *testing.T) {
	n := square(t)
	n.matches = make(map[ruleAt]map[string]bool)
	narrow := func(id string, from netview.Point) spec.Spec {
		s := flow(id, from, at(4, 10), 1)
		s.Selector.SetUint(openflow.FieldIPProto, 6)
		s.Selector.SetUint(openflow.FieldTCPDst, 80)
		return s
	}
	n.submit(false, Request{Op: Create, Spec: flow("first", at(1, 9), at(4, 9), 1)})
	n.rest()
	n.submit(false, Request{Op: Create, Spec: narrow("here", at(1, 9))}, Request{Op: Create, Spec: narrow("there", at(1, 10))})
	n.rest()
	n.wantState("here", "failed(conflict)")
	n.wantState("there", "installed")
	if in, _ := n.engine.Get("here"); !strings.Contains(in.Text, "intent first has packets of both") {
		t.Errorf("it says %q", in.Text)
	}
	n.submit(false, Request{Op: Withdraw, ID: "first"})
	n.rest()
	n.wantState("here", "installed")
}

// TestOverlapBesideAThird: two that fix who sends and come in at different ports share no packets,
// whatever else passes the link that they share.
func TestOverlapBesideAThird(t *testing.T) {
	n := newNetwork(t, 2)
	n.cable(1, 1, 2, 1)
	second := flow("second", at(1, 10), at(2, 10), 1)
	second.Selector.SetUint(openflow.FieldIPProto, 6)
	n.submit(false,
		Request{Op: Create, Spec: flow("first", at(1, 9), at(2, 9), 1)},
		Request{Op: Create, Spec: toward("third", at(1, 11), at(2, 11), 0x0b0000ff)})
	n.rest()
	n.submit(false, Request{Op: Create, Spec: second})
	n.rest()
	for _, id := range []string{"first", "second", "third"} {
		n.wantState(id, "installed")
	}
	n.checkWanted(t.Fatalf)
}

// TestWaysOfRulesThatGoAreKept: a path that no intent takes any more, but rules along which are not
// gone yet, is kept.
func TestWaysOfRulesThatGoAreKept(t *testing.T) {
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: flow("old", at(2, 9), at(4, 9), 1)})
	n.rest()
	n.off[4] = true
	n.submit(false, Request{Op: Withdraw, ID: "old"})
	n.rest()
	n.wantState("old", "withdrawing")
	r := n.engine.core.registry
	if n := r.Len(); n == 0 || !holding(r) {
		t.Fatalf("nobody has one of %d paths", n)
	}
	n.off[4] = false
	n.rest()
	n.wantState("old", "none")
	if holding(r) {
		t.Error("a path is kept for nobody")
	}
}

// holding reports whether a path may not be forgotten.
func holding(r *paths.Registry) bool {
	for path := range r.All() {
		if path.Used() || r.HasRetiring(path) {
			return true
		}
	}
	return false
}
