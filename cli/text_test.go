package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

// TestNotInstalled: the error of a wait has the state, why, and what goes on.
func TestNotInstalled(t *testing.T) {
	for _, c := range []struct {
		in   client.Intent
		want string
	}{
		{client.Intent{State: "installed"}, ""},
		{client.Intent{State: "failed", Code: "no-path", Detail: "none", Retrying: true},
			"intent a is not installed, but failed(no-path): none; it is kept, and retried on any change that could help"},
		{client.Intent{State: "failed", Code: "refused"}, "intent a is not installed, but failed(refused)"},
		{client.Intent{State: "degraded"}, "intent a is not installed, but degraded"},
		{client.Intent{State: "waiting", Code: "host-unknown"},
			"intent a is not installed after 5s (--timeout), but waiting(host-unknown); it is kept: weir intent wait a goes on waiting"},
	} {
		c.in.ID = "a"
		err := notInstalled(&c.in, 5*time.Second)
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%s: %v, want %q", c.in.State, err, c.want)
		case err != nil && (!errors.Is(err, errNotInstalled) || !errors.As(err, new(*command.ExitError))):
			t.Errorf("%s: %v is no error at run time", c.in.State, err)
		}
	}
}

// TestMissing: the ids that no intent has are named, ten of them at most.
func TestMissing(t *testing.T) {
	list := []client.IntentAnswer{{ID: "a", Status: "accepted"}}
	if err := missingError(list); err != nil {
		t.Error(err)
	}
	for range 12 {
		list = append(list, client.IntentAnswer{ID: "x", Status: "not-found"})
	}
	if err := missingError(list[:2]); err == nil || !strings.HasPrefix(err.Error(), "intent x given, and there is none") {
		t.Error(err)
	}
	if err := missingError(list); err == nil || !strings.Contains(err.Error(), strings.Repeat("x, ", 10)+"and 2 more given") {
		t.Error(err)
	}
}

// TestAnswers: refused ones are counted, and have the item and line that they are about.
func TestAnswers(t *testing.T) {
	var out strings.Builder
	err := writeAnswers(&out, command.FormatTable, []client.IntentAnswer{{ID: "a", Status: "accepted", State: "waiting"},
		{Index: 1, Line: 7, ID: "b", Status: "invalid", Detail: "colour"}, {Index: 2, Status: "invalid", Detail: "kind"}}, false)
	const want = "ID      STATUS    STATE    DETAIL\n" +
		"a       accepted  waiting  -\n" +
		"b       invalid   -        item 1, line 7: colour\n" +
		"item 2  invalid   -        kind\n"
	if out.String() != want || err == nil || err.Error() != "2 of 3 refused" {
		t.Errorf("%v\n%s\nwant\n%s", err, &out, want)
	}
}

// TestWarnBound: what stays at a drained object is counted, and intents are named.
func TestWarnBound(t *testing.T) {
	bound := 6
	for _, c := range []struct {
		intents *client.DrainIntents
		want    string
	}{
		{nil, "weir: warning: switch 1 (s1) is not free: 6 pairs have no other path and would lose their connection\n"},
		{&client.DrainIntents{Ends: 1, NoOther: 4, First: []string{"a", "b"}},
			"weir: warning: switch 1 (s1) is not free: 1 pair has no other path, 1 intent comes in or goes out there, " +
				"4 intents have no other path and would lose their connection\n" +
				"weir: intents that remain: a, b, … (weir intent show ID; replace or withdraw them)\n"},
	} {
		var out strings.Builder
		warnBound(&out, &client.Drain{Kind: "switch", Object: "1", Name: "s1", Bound: &bound, Intents: c.intents})
		if out.String() != c.want {
			t.Errorf("%s\nwant\n%s", &out, c.want)
		}
	}
	var out strings.Builder
	if warnBound(&out, &client.Drain{}); out.Len() > 0 {
		t.Errorf("nothing is known, and yet: %s", &out)
	}
}

// TestForgotten: only what there was is listed; configuration has datapath ids, as in the file.
func TestForgotten(t *testing.T) {
	var out strings.Builder
	err := writeForgotten(&out, &client.Forgotten{Kind: "switch", Object: "0000000000000001", Name: "s1", DryRun: true,
		Links: client.Some{Count: 3, First: []string{"0000000000000001/1"}}, Withdrawn: 2,
		Named: []string{"switches.0000000000000001"}, Notes: []string{"its configuration\nstays"}},
		names{"0000000000000001": "s1"})
	const want = "WHAT                   COUNT  FIRST\n" +
		"links                  3      s1/1, …\n" +
		"intents-withdrawn-now  2      -\n" +
		"configuration          1      switches.0000000000000001\n" +
		"switch 0000000000000001 (s1): would be forgotten\n" +
		"note: its configuration\ufffdstays\n"
	if out.String() != want || err != nil {
		t.Errorf("%v\n%s\nwant\n%s", err, &out, want)
	}
}

// TestPathTexts: ends that are hosts stand before and behind the switches, and ports on request.
func TestPathTexts(t *testing.T) {
	one, two := uint32(1), uint32(2)
	p := client.Path{Hops: []client.Hop{{DPID: "0000000000000001", In: &one, Out: &two}, {DPID: "0000000000000002", In: &one}}}
	f := pathFormat{src: "10.0.0.1", dst: "s2", names: names{"0000000000000001": "s1"}}
	if got := f.text(&p); got != "10.0.0.1 -> s1 -> 0000000000000002" {
		t.Error(got)
	}
	f.ports = true
	if got := f.text(&p); got != "10.0.0.1 -> 1:s1:2 -> 1:0000000000000002:-" {
		t.Error(got)
	}
	if got := firstIDs([]string{"a", "b", "c", "d", "e"}); got != "a,b,c,+2" {
		t.Error(got)
	}
}

// TestIntentPath: between hosts the path from src to dst is shown; a tree, or several paths, are
// not one line.
func TestIntentPath(t *testing.T) {
	route := client.IntentRoute{Hops: []client.RouteHop{{DPID: "a", In: 3, Out: []uint32{1}},
		{DPID: "b", In: 1, Out: []uint32{2}}, {DPID: "c", In: 2, Out: []uint32{4}}}}
	tree := client.IntentRoute{Hops: []client.RouteHop{{DPID: "a", In: 3, Out: []uint32{1, 2}}}}
	for _, c := range []struct {
		in   client.Intent
		want string
	}{
		{client.Intent{}, ""},
		{client.Intent{Routes: []client.IntentRoute{route}}, "a/3 -> b -> c/4"},
		{client.Intent{Kind: client.HostToHost, Routes: []client.IntentRoute{route, tree}}, "a/3 -> b -> c/4"},
		{client.Intent{Kind: client.PointToPoint, Routes: []client.IntentRoute{route, route}}, ""},
		{client.Intent{Routes: []client.IntentRoute{tree}}, ""},
	} {
		if got := pathOf(&c.in); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestScreen: the first page clears the terminal, and each replaces what was there line by line.
func TestScreen(t *testing.T) {
	var out strings.Builder
	s := &screen{out: &out, fd: -1}
	s.draw("one\ntwo\n")
	s.draw("three\n")
	const want = "\x1b[2J\x1b[Hone\x1b[K\r\ntwo\x1b[K\r\n\x1b[J" + "\x1b[Hthree\x1b[K\r\n\x1b[J"
	if out.String() != want || s.width() != 80 {
		t.Errorf("%q, %d columns, want %q and 80", out.String(), s.width(), want)
	}
	if screenOf(&out) != nil {
		t.Error("what is no terminal has a screen")
	}
}

// TestCompletion: kinds are offered first, and nothing after them.
func TestCompletion(t *testing.T) {
	if list, _ := completeResource(nil, nil, ""); len(list) != len(kinds) || list[0] != "switches" {
		t.Errorf("%v", list)
	}
	if list, _ := completeResource(nil, []string{"links"}, ""); len(list) != 0 {
		t.Errorf("%v", list)
	}
}
