package discovery

import (
	"testing"
	"time"

	"github.com/weirnet/weir/packet"

	"github.com/weirnet/weir/netview"
)

// TestABarrierPassesWhatWasBefore: of two hosts that a switch is to ask one after the other, the
// barrier behind the first question says nothing of the second: its silence does not count yet.
func TestABarrierPassesWhatWasBefore(t *testing.T) {
	now := time.Unix(1000, 0)
	d := &device{dpid: 1}
	devices := &deviceTable{transaction: &transaction{now: now}, devices: map[netview.DPID]*device{1: d}}
	q := hostQueries{hostTable: newHostTable(devices, nil), open: map[netview.HostID]*query{}}
	var list []*query
	for n := range uint64(2) {
		a := &query{id: netview.HostID{MAC: packet.MAC{2, 0, 0, 0, 0, byte(n)}}, at: netview.Point{DPID: 1, Port: 1},
			barrier: n + 1}
		q.open[a.id] = a
		list, d.awaitingBarrier = append(list, a), append(d.awaitingBarrier, a)
	}
	q.passed(1, 1)
	if !list[0].barrierAt.Equal(now) || !list[1].barrierAt.IsZero() || len(d.awaitingBarrier) != 1 {
		t.Errorf("after the first barrier: passed %v and %v, %d wait", list[0].barrierAt, list[1].barrierAt,
			len(d.awaitingBarrier))
	}
	q.passed(1, 2)
	if !list[1].barrierAt.Equal(now) || len(d.awaitingBarrier) != 0 {
		t.Errorf("after the second barrier: passed %v, %d wait", list[1].barrierAt, len(d.awaitingBarrier))
	}
}

// TestUnansweredBarriersKeepNothing: of a switch that takes what it is sent and answers no barrier,
// the questions that were given up are not kept.
func TestUnansweredBarriersKeepNothing(t *testing.T) {
	w := newWorld(t, Config{})
	w.quiet = true
	w.settings(func(s *netview.Settings) { s.HostExpiry = 10 * time.Second })
	w.step(func() { f := facts(1, 3, ""); w.core.SwitchUp(&f) })
	w.wait(2 * time.Second)
	for n := range byte(50) {
		w.speak(netview.Point{DPID: 1, Port: 1}, n+1)
	}
	w.stall[1] = true
	w.wait(10 * time.Minute)
	if n := len(w.core.devices[1].awaitingBarrier); w.core.Counts.Asked.Load() < 500 || n > keepAbandoned+100 {
		t.Errorf("%d questions are kept, %d are open, of %d", n, len(w.core.queries.open), w.core.Counts.Asked.Load())
	}
}

// TestAClaimBesideALookBack: a host that moved unasked is asked at its old place when its switch is
// back. Where it is seen at a third place meanwhile, it is asked where it is known to be, as any
// other: it moves there with that one frame, and without an alarm.
func TestAClaimBesideALookBack(t *testing.T) {
	for _, stalled := range []bool{false, true} {
		w := newWorld(t, Config{})
		w.quiet = true
		for dpid := range netview.DPID(3) {
			w.step(func() { f := facts(dpid+1, 3, ""); w.core.SwitchUp(&f) })
		}
		w.wait(2 * time.Minute)
		w.speak(netview.Point{DPID: 1, Port: 1}, 7)
		w.step(func() { w.core.SwitchDown(1) })
		w.wait(time.Minute)
		w.speak(netview.Point{DPID: 2, Port: 1}, 7) // it moved
		w.step(func() { f := facts(1, 3, ""); w.core.SwitchUp(&f) })
		w.stall[1] = stalled
		for range 100 { // until it is asked at its old place
			if w.wait(100 * time.Millisecond); w.core.queries.open[hostID(7)] != nil {
				break
			}
		}
		if a := w.core.queries.open[hostID(7)]; a == nil || !a.elsewhere {
			t.Fatalf("it is not asked at its old place: %+v", a)
		}
		w.speak(netview.Point{DPID: 3, Port: 1}, 7)
		w.wait(10 * time.Second)
		if h, _ := w.view.Snapshot().Host(hostID(7)); h.At != (netview.Point{DPID: 3, Port: 1}) ||
			w.core.Counts.Hijacks.Load() != 0 {
			t.Errorf("stalled %t: the host is at %v, and %d alarms: want it at 3/1, and none", stalled, h.At,
				w.core.Counts.Hijacks.Load())
		}
	}
}
