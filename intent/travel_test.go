package intent

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/ruleset"
)

// traveller is a packet under way: it comes in at a port at a time, by what the switch there holds
// then.
type traveller struct {
	at  netview.Point
	tag ruleset.Tag
	due time.Time
}

// travel moves packets of an intent on that are due, and returns those that are under way still.
// Links take their latency.
func (n *network) travel(in *Intent, list []traveller) (left []traveller) {
	for len(list) > 0 {
		p := list[0]
		list = list[1:]
		if p.due.After(n.now) {
			left = append(left, p)
			continue
		}
		h, ok := n.holds[place(p.at, p.tag, in.Rules.Priority, in.Rules.Legs[0].Match)]
		if !ok {
			n.t.Fatalf("a packet is lost at %v, %v after it was due", p.at, n.now.Sub(p.due))
		}
		for _, way := range h.ways() {
			for l := range n.view.Snapshot().LinksFromPoint(at(p.at.DPID, way.Port)) {
				list = append(list, traveller{l.Dst, way.Tag, p.due.Add(time.Duration(l.LatencyUS) * time.Microsecond)})
			}
		}
	}
	return left
}

// drainUnder installs an intent over links of a latency, in µs, and drains the switch that it goes
// by.
func (n *network) drainUnder(latency uint64) (in Intent, over netview.DPID) {
	links := map[netview.LinkKey]netview.LinkSettings{}
	for l := range n.view.Snapshot().Links() {
		links[l.LinkKey] = netview.LinkSettings{LatencyUS: latency}
	}
	inputs := n.view.Inputs()
	inputs.Set(&netview.Settings{Links: links})
	n.submit(false, Request{Op: Create, Spec: flow("a", at(1, 9), at(4, 9), 1)})
	n.rest()
	in, _ = n.engine.Get("a")
	over = in.Rules.Legs[0].Route.Hops[1].DPID
	inputs.Set(&netview.Settings{Links: links, Switches: map[netview.DPID]netview.SwitchSettings{over: {Drained: true}}})
	return in, over
}

// TestPacketsOnTheirWay: while a drain moves an intent over slow links, packets that took the old
// path before find its rules until they have arrived.
func TestPacketsOnTheirWay(t *testing.T) {
	n := square(t)
	in, over := n.drainUnder(700_000)
	var list []traveller
	sent := 0
	for end := n.now.Add(10 * time.Second); n.now.Before(end); n.now = n.now.Add(10 * time.Millisecond) {
		if sent%2 == 0 { // switches take a while too
			n.answer()
			n.step()
		}
		list = n.travel(&in, append(list, traveller{at: at(1, 9), due: n.now}))
		sent++
	}
	if in, _ = n.engine.Get("a"); in.Rules.Legs[0].Route.Hops[1].DPID == over || len(list) != 140 {
		t.Fatalf("by %v, %d packets under way, want them by the other switch, and 140", in.Rules.Legs[0].Route, len(list))
	}
	if p := n.engine.core.drainProgress(at(over, 0)); p.Leaving+p.Ends+p.NoOther != 0 {
		t.Fatalf("%+v: rules of the old path are left", p)
	}
}

// TestUnknownLatency: the rules of a path that was left stay for drainUnknown where nobody has
// measured its links, and for pathing.LingerMin where they are known to be short.
func TestUnknownLatency(t *testing.T) {
	for _, c := range []struct {
		latency uint64 // of each link, in µs; 0: not known
		stay    time.Duration
	}{{0, pathing.LingerUnknown}, {10, pathing.LingerMin}} {
		n := square(t)
		_, over := n.drainUnder(c.latency)
		leaving := func() int { return n.engine.core.drainProgress(at(over, 0)).Leaving }
		for range 10 { // until the new path is confirmed: time stands still
			n.answer()
			n.step()
		}
		begun := n.now
		for _, after := range []time.Duration{c.stay - time.Millisecond, c.stay + time.Millisecond} {
			n.now = begun.Add(after)
			for range 4 {
				n.step()
				n.answer()
			}
			if got, want := leaving() > 0, after < c.stay; got != want {
				t.Errorf("links of %d µs, %v after the new path was confirmed: rules of the old path are left: %v, want %v", c.latency, after, got, want)
			}
		}
	}
}

// TestLatencyThatChanges: how long the rules of a path stay is of its links as they are now, also
// where they were measured before.
func TestLatencyThatChanges(t *testing.T) {
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: flow("a", at(1, 9), at(4, 9), 1)})
	n.rest()
	in, _ := n.engine.Get("a")
	inputs := n.view.Inputs()
	for _, c := range []struct {
		latency uint64 // of each link, in µs
		stay    time.Duration
	}{{10, pathing.LingerMin}, {700_000, 2800 * time.Millisecond}, {200_000, 800 * time.Millisecond}} {
		settings := &netview.Settings{Links: map[netview.LinkKey]netview.LinkSettings{}}
		for l := range n.view.Snapshot().Links() {
			settings.Links[l.LinkKey] = netview.LinkSettings{LatencyUS: c.latency}
		}
		inputs.Set(settings)
		n.rest()
		if got := n.engine.core.status.Linger(in.Rules); got != c.stay {
			t.Errorf("two links of %d µs: %v, want %v", c.latency, got, c.stay)
		}
	}
}

// TestRestartKeepsDecisions: paths that history has led to, and not the number of the intent, are
// the same after a restart.
func TestRestartKeepsDecisions(t *testing.T) {
	n := square(t)
	n.put(link(1, 2, 3, 1), false, netview.LinkConfirmed)
	var reqs []Request
	for i := range 20 {
		reqs = append(reqs, Request{Op: Create, Spec: flow(fmt.Sprint("f", i), at(1, 9), at(4, 9), uint32(i))})
	}
	n.submit(false, reqs...)
	n.rest()
	n.put(link(1, 2, 3, 1), true, netview.LinkConfirmed)
	n.rest()
	n.wrote, n.chosen.appends = 0, 0
	n.start()
	n.rest()
	if want := 20 * 3; len(n.first) != 1 || n.first[0] != want || n.chosen.appends != 0 {
		t.Errorf("ordered after %v orders, want once, after %d; decisions written %d times", n.first, want, n.chosen.appends)
	}
	for i := range 20 {
		if in, _ := n.engine.Get(fmt.Sprint("f", i)); in.State != Installed || in.Rules.Legs[0].Route.Hops[1].DPID != 2 {
			t.Errorf("f%d is %v along %v", i, in.State, in.Rules.Legs[0].Route)
		}
	}
	if n.wrote != 0 {
		t.Errorf("%d entries written", n.wrote)
	}
}
