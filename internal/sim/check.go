package sim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
)

// neverEnds is for what wants a context.
var neverEnds = context.Background()

// HealLimit is how long after the last fault the network may take until it is whole again: as long
// as the longest pause of flowsync, and then a reading.
const HealLimit = 100 * time.Second

// look is how long a network that is not whole yet is left alone before the next look.
const look = 2 * time.Second

// inspector holds a network, in which everything was repaired, to what must be.
type inspector struct{ w *world }

// check waits until the network is whole, and then holds it to what must be. Hosts go on talking
// meanwhile: one that moved while nobody could hear it is found when it asks for an address, which
// it does once in a minute.
func (v inspector) check() {
	w := v.w
	w.say("everything is repaired")
	v.await("instances", w.instances.check)
	v.await("view and switches", func() []string { return slices.Concat(v.view(), v.tables(), w.app.check()) })
	v.await("hosts and intents", func() []string { return slices.Concat(v.pingAll(), v.hosts(), w.intents.check()) })
	v.shoutAll()
	v.await("view and switches, at the end",
		func() []string {
			return slices.Concat(v.view(), v.hosts(), w.intents.check(), v.tables(), w.app.check())
		})
	v.await("instances, at the end", w.instances.check)
	if w.instances != nil {
		w.history.readAll()
	}
}

// await lets time go until a check finds nothing.
func (v inspector) await(what string, check func() []string) {
	w := v.w
	end := w.now.Add(HealLimit)
	for len(w.wrong) == 0 {
		found := check()
		if len(found) == 0 || len(w.wrong) > 0 {
			return
		}
		if !w.now.Before(end) {
			w.fail("%v after everything was repaired, %s: %d things are wrong, the first: %s", HealLimit, what,
				len(found), found[0])
			return
		}
		w.say("not yet: %s", found[0])
		w.run(w.now.Add(look))
	}
}

// view compares the view with the network: switches, ports, links.
func (v inspector) view() (found []string) {
	w := v.w
	bad := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if w.decider() == nil {
		return []string{"no instance runs"}
	}
	snap := w.decider().instance.View().Snapshot()
	if err := snap.Check(); err != nil {
		bad("the view contradicts itself: %v", err)
	}
	for _, sw := range w.net.Switches() {
		row, ok := snap.Switch(netview.DPID(sw.DatapathID()))
		if !ok || !row.Connected || row.Draining {
			bad("switch %s is not connected, or drained", sw.Name())
			continue
		}
		for _, port := range sw.Ports() {
			if p, ok := row.Port(port); !ok || p.Up != sw.Link(port).Up() {
				bad("port %d of %s: the view says %v, %v; the network %v", port, sw.Name(), ok, p.Up, sw.Link(port).Up())
			}
		}
	}
	truth := make(map[netview.LinkKey]bool)
	for i, l := range w.net.Links() {
		a, b := w.net.linkEnds(i)
		for _, key := range []netview.LinkKey{{Src: a, Dst: b}, {Src: b, Dst: a}} {
			truth[key] = true
			if row, ok := snap.Link(key); !ok || !row.Up || !row.Usable || row.Draining || row.State != netview.LinkConfirmed {
				bad("link %s, %s (%s) to %s (%s): the view has %v, %+v", l.ID, key.Src, role(snap, key.Src),
					key.Dst, role(snap, key.Dst), ok, row)
			}
		}
	}
	for row := range snap.Links() {
		if row.Up && !truth[row.LinkKey] {
			bad("the view has a link from %s to %s", row.Src, row.Dst)
		}
	}
	return found
}

// hosts compares the view's hosts with the stations. One that is heard no more since its port was
// down for a moment, because its packets take rules that are there already, stays unconfirmed; and
// of one that answers all questions along an intent the address may not be known.
func (v inspector) hosts() (found []string) {
	w := v.w
	snap := w.decider().instance.View().Snapshot()
	known := make(map[netview.HostID]bool)
	for _, h := range w.net.stations {
		id := netview.HostID{MAC: h.mac}
		known[id] = true
		at := netview.Point{DPID: netview.DPID(h.socket.sw + 1), Port: h.socket.port}
		row, ok := snap.Host(id)
		if !ok || row.At != at || !slices.Contains(row.IPs, h.ip) && !w.intents.connects(id) {
			found = append(found, fmt.Sprintf("host %s is at %s: the view has %s", h.name(), at, place(row)))
		}
	}
	for row := range snap.Hosts() {
		if !known[row.HostID] {
			found = append(found, fmt.Sprintf("the view has a host %s at %s", row.HostID, row.At))
		}
	}
	return found
}

// tables compares the switches' tables with what is wanted, as `weir check` does.
func (v inspector) tables() (found []string) {
	w := v.w
	if w.decider() == nil {
		return nil
	}
	if err := w.decider().instance.Invariants(); err != nil {
		w.fail("%v", err)
	}
	if n := w.decider().instance.Repairs(); n > 0 && !w.plan.drifts() {
		w.fail("%d rules, groups and meters were repaired, though nobody has harmed them", n)
	}
	asked := w.decider().instance.Compare()
	var report flowsync.Report
	for range 100 {
		w.run(w.now.Add(100 * time.Millisecond))
		var ok bool
		if report, ok = asked.Report(); ok || len(w.wrong) > 0 {
			break
		}
	}
	if len(report.Switches) != len(w.net.Switches()) {
		return []string{fmt.Sprintf("%d of %d switches were compared", len(report.Switches), len(w.net.Switches()))}
	}
	for _, f := range report.Switches {
		switch {
		case f.Err != nil:
			found = append(found, fmt.Sprintf("switch %s was not compared: %v", f.DPID, f.Err))
		case f.Failed > 0 || f.InFlight > 0 || f.Compared != f.Desired:
			found = append(found, fmt.Sprintf(
				"switch %s: %d rules failed, %d are in flight, %d of %d were compared", f.DPID, f.Failed,
				f.InFlight, f.Compared, f.Desired))
		}
		for _, d := range f.Differences {
			found = append(found, fmt.Sprintf("switch %s: %s: table %d priority %d match %s: wanted %q, held %q",
				f.DPID, d.Kind, d.Table, d.Priority, d.Match.String(), d.Desired, d.Held))
		}
	}
	return found
}

// pingAll has every host ping every other: each ping is answered, once.
func (v inspector) pingAll() (found []string) {
	w := v.w
	var talks []*talk
	for _, a := range w.net.stations {
		for _, b := range w.net.stations {
			if a != b && len(w.wrong) == 0 {
				talks = append(talks, a.ping(b, 2, 500*time.Millisecond, 2*time.Second))
				w.run(w.now.Add(10 * time.Millisecond))
			}
		}
	}
	w.run(w.now.Add(3 * time.Second))
	for _, t := range talks {
		if r := t.ping.Report(); r.Sent != 2 || r.Received != 2 || r.Duplicated != 0 {
			found = append(found, fmt.Sprintf("%s does not reach %s: %d pings of 2 left it, %d were answered, %d twice",
				t.from.name(), t.to.name(), r.Sent, r.Received, r.Duplicated))
		}
	}
	return found
}

// shoutAll has every host broadcast, and every other hear it once.
func (v inspector) shoutAll() {
	w := v.w
	const first = 1 << 30
	for i, h := range w.net.stations {
		if len(w.wrong) > 0 {
			return
		}
		number := uint32(first + i)
		h.shout(number)
		w.run(w.now.Add(time.Second))
		for _, other := range w.net.stations {
			want := 1
			if other == h {
				want = 0
			}
			if n := other.heard[number]; n != want {
				w.fail("%s hears a broadcast of %s %d times, want %d", other.name(), h.name(), n, want)
				return
			}
		}
	}
}

// place is where the view has a host.
func place(row *netview.Host) string {
	if row == nil {
		return "none such"
	}
	return fmt.Sprintf("it at %s, %s, with %v", row.At, row.State, row.IPs)
}

// role is what the view takes a port for.
func role(snap *netview.Snapshot, at netview.Point) string {
	sw, ok := snap.Switch(at.DPID)
	if !ok {
		return "no switch"
	}
	p, ok := sw.Port(at.Port)
	if !ok {
		return "no port"
	}
	return p.Role.String()
}
