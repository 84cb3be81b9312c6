package paths

import (
	"errors"
	"strings"
	"testing"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

func newSet(t *testing.T, topology string, hops int, seed uint64) *Set {
	t.Helper()
	top, err := loadswitch.ParseTopology(topology, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(loadswitch.New(top, loadswitch.Config{Version: openflow.V13, Hosts: EndPorts, HostPorts: EndPorts}), hops, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPathsAreTheirNumbers: equal seeds draw equal paths of the wanted length, others others, and no
// two paths have both addresses in common.
func TestPathsAreTheirNumbers(t *testing.T) {
	a, b, other := newSet(t, "wan:30", 4, 7), newSet(t, "wan:30", 4, 7), newSet(t, "wan:30", 4, 8)
	next := a.Net.Topology().Neighbours()
	differ, addresses := 0, map[[2]uint32]bool{}
	for n := range 2000 {
		p := a.At(n)
		if p != b.At(n) {
			t.Fatalf("path %d is %+v and %+v", n, p, b.At(n))
		}
		if p != other.At(n) {
			differ++
		}
		if d := topo.Distances(p.From.Switch, next)[p.To.Switch]; d != 3 {
			t.Errorf("path %d has %d links, want 3", n, d)
		}
		if moved := a.Moved(n); moved.To.Port == p.To.Port || moved.To.Switch != p.To.Switch {
			t.Errorf("path %d moves from %+v to %+v", n, p.To, moved.To)
		}
		addresses[[2]uint32{p.Src, p.Dst}] = true
	}
	if len(addresses) != 2000 || differ < 1900 {
		t.Errorf("%d pairs of addresses, %d paths differ by the seed", len(addresses), differ)
	}
}

// TestLongPathsAreRefused names the longest that there is.
func TestLongPathsAreRefused(t *testing.T) {
	top, err := loadswitch.ParseTopology("linear:3", 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(loadswitch.New(top, loadswitch.Config{Version: openflow.V13, Hosts: 1}), 4, 1)
	if err == nil || !strings.Contains(err.Error(), "the longest in linear:3 has 3") {
		t.Errorf("%v", err)
	}
}

// TestAnswersAreAccepted in each form only if each of them says so.
func TestAnswersAreAccepted(t *testing.T) {
	yes, no := []byte{4, 1 << 3, 0, answerStatusTag, StatusAccepted}, []byte{4, 1 << 3, 0, answerStatusTag, 4}
	both := append(append([]byte(nil), yes...), yes...)
	for _, tc := range []struct {
		form  Form
		body  string
		count int
		ok    bool
	}{
		{FormProtobuf, string(both), 2, true},
		{FormProtobuf, string(both), 1, false},
		{FormProtobuf, string(both), 3, false},
		{FormProtobuf, string(yes) + string(no), 2, false},
		{FormProtobuf, "", 0, true},
		{FormNDJSON, `{"status":"accepted"}` + "\n" + `{"status":"accepted"}`, 2, true},
		{FormNDJSON, `{"status":"accepted"}` + "\n" + `{"status":"conflict"}`, 2, false},
		{FormJSON, `{"items":[{"status":"accepted"}]}`, 1, true},
		{FormJSON, `{"items":[]}`, 1, false},
	} {
		if err := tc.form.Accepted([]byte(tc.body), tc.count); (err == nil) != tc.ok || err != nil &&
			!errors.Is(err, ErrRefused) {
			t.Errorf("%s %q for %d: %v", tc.form, tc.body, tc.count, err)
		}
	}
	for n := range both {
		if err := FormProtobuf.Accepted(both[:n], 2); !errors.Is(err, ErrRefused) {
			t.Errorf("%d of %d bytes of an answer: %v", n, len(both), err)
		}
	}
}

const answerStatusTag = AnswerStatus << 3

// TestShortestGoesAround a link that is down, and nowhere without another way.
func TestShortestGoesAround(t *testing.T) {
	top, err := loadswitch.ParseTopology("ring:5", 1)
	if err != nil {
		t.Fatal(err)
	}
	w := NewShortest(top)
	l := top.Links[0]
	from, to := topo.End{Switch: l.A.Switch, Port: 9}, topo.End{Switch: l.B.Switch, Port: 9}
	direct := w.Hops(from, to)
	if len(direct) != 2 || direct[0][2] != l.A.Port || direct[1][1] != l.B.Port {
		t.Fatalf("%v", direct)
	}
	if !w.Set(l.A, false) || w.Set(l.A, false) || w.Set(from, false) {
		t.Error("news are not told, or what is none is")
	}
	around := w.Hops(from, to)
	if len(around) != 5 || len(Elsewhere(direct, around)) != 1 {
		t.Errorf("%v, elsewhere %v", around, Elsewhere(direct, around))
	}
	for _, other := range top.Links {
		w.Set(other.A, false)
	}
	if got := w.Hops(from, to); got != nil {
		t.Errorf("%v where no link is up", got)
	}
}
