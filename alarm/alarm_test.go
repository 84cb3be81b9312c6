package alarm

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/netview"
)

// board runs a board on a view under synctest's clock.
func board(t *testing.T) (*Board, *netview.View) {
	t.Helper()
	v := netview.New(netview.Limits{})
	b := New(v)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { b.Run(ctx); close(done) }()
	t.Cleanup(func() { stop(); <-done })
	return b, v
}

func shown(t *testing.T, v *netview.View, kind netview.AlarmKind, object string) *netview.Alarm {
	t.Helper()
	synctest.Wait()
	a, ok := v.Snapshot().Alarm(netview.AlarmKey{Kind: kind, Object: object})
	if !ok {
		return nil
	}
	return a
}

// TestLife follows an alarm of each sort: shown at once, counted once a second, ended, kept, gone.
func TestLife(t *testing.T) {
	for _, c := range []struct {
		kind   netview.AlarmKind
		passes bool
	}{{netview.AlarmDrift, true}, {netview.AlarmStuckSwitch, false}} {
		synctest.Test(t, func(t *testing.T) {
			b, v := board(t)
			b.Raise(c.kind, "s1", "first")
			if a := shown(t, v, c.kind, "s1"); a == nil || !a.Active || a.Count != 1 || a.Text != "first" ||
				a.Severity != c.kind.Severity() {
				t.Fatalf("raised: %+v", a)
			}
			before := v.Snapshot().Revision()
			for range 100_000 {
				b.Raise(c.kind, "s1", "again")
			}
			time.Sleep(2 * Refresh)
			if a := shown(t, v, c.kind, "s1"); a.Count != 100_001 || a.Text != "again" || v.Snapshot().Revision()-before > 2 {
				t.Fatalf("counted: %+v, %d transactions", a, v.Snapshot().Revision()-before)
			}
			time.Sleep(Quiet + Refresh)
			if a := shown(t, v, c.kind, "s1"); a.Active == c.passes {
				t.Fatalf("after a quiet time: %+v", a)
			}
			b.Clear(c.kind, "s1")
			if a := shown(t, v, c.kind, "s1"); a.Active || a.Cleared.IsZero() || a.Count != 100_001 {
				t.Fatalf("cleared: %+v", a)
			}
			b.Raise(c.kind, "s1", "a second time")
			if a := shown(t, v, c.kind, "s1"); !a.Active || a.Count != 1 || !a.Cleared.IsZero() {
				t.Fatalf("raised again: %+v", a)
			}
			b.Clear(c.kind, "s1")
			time.Sleep(Keep + 2*Refresh)
			if a := shown(t, v, c.kind, "s1"); a != nil {
				t.Fatalf("kept too long: %+v", a)
			}
			if n := b.Totals()[c.kind]; n != 100_002 {
				t.Errorf("%d in all", n)
			}
		})
	}
}

// TestBound invents objects without end.
func TestBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, v := board(t)
		for i := range 3 * Max {
			b.Raise(netview.AlarmHostHijack, fmt.Sprint("host ", i), "moved")
		}
		synctest.Wait()
		n := 0
		for range v.Snapshot().Alarms() {
			n++
		}
		if n != Max || b.Dropped() != 2*Max+1 {
			t.Fatalf("%d alarms kept, %d dropped", n, b.Dropped())
		}
		if a := shown(t, v, netview.AlarmLimit, "alarms"); a == nil || !a.Active {
			t.Fatal("nothing says that the limit is reached")
		}
		b.Clear(netview.AlarmHostHijack, "host 7")
		b.Raise(netview.AlarmHostHijack, "one more", "moved")
		if shown(t, v, netview.AlarmHostHijack, "one more") == nil || shown(t, v, netview.AlarmHostHijack, "host 7") != nil {
			t.Error("one that has ended did not make room")
		}
	})
}

// TestWarningsDoNotHideTheRest: who can invent names raises warnings without end, and what is
// urgent is shown all the same.
func TestWarningsDoNotHideTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, v := board(t)
		for i := range 2 * Max {
			b.Raise(netview.AlarmRefusedSwitch, fmt.Sprint("invented ", i), "not on the allow list")
		}
		b.Raise(netview.AlarmHostHijack, "1/2", "moved")
		b.Raise(netview.AlarmControlNetwork, "", "gone")
		if shown(t, v, netview.AlarmHostHijack, "1/2") == nil || shown(t, v, netview.AlarmControlNetwork, "") == nil {
			t.Error("what is urgent is hidden")
		}
		n := 0
		for range v.Snapshot().Alarms() {
			n++
		}
		if n > Max || shown(t, v, netview.AlarmLimit, "alarms") == nil {
			t.Errorf("%d alarms", n)
		}
		long := strings.Repeat("x", 2*MaxText)
		b.Raise(netview.AlarmConfig, long, "refused")
		b.Clear(netview.AlarmConfig, long)
		if a := shown(t, v, netview.AlarmConfig, long[:MaxText]); a == nil || a.Active {
			t.Errorf("an alarm of a long name does not end: %+v", a)
		}
	})
}

// TestRaiseAllocations: what counts only costs no memory.
func TestRaiseAllocations(t *testing.T) {
	b := New(netview.New(netview.Limits{}))
	b.Raise(netview.AlarmFlood, "s1/2", "flood")
	if n := testing.AllocsPerRun(1000, func() { b.Raise(netview.AlarmFlood, "s1/2", "flood") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRaise(b *testing.B) {
	board := New(netview.New(netview.Limits{}))
	for b.Loop() {
		board.Raise(netview.AlarmFlood, "s1/2", "flood")
	}
}

// TestADeletedSwitchHasNoAlarms deletes a switch from the view: all alarms about it, its ports and
// its links end, no others.
func TestADeletedSwitchHasNoAlarms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, v := board(t)
		go b.Watcher(v).Run(t.Context())
		facts := v.Facts()
		facts.Update(func(tx *netview.FactsTx) {
			for dpid := range netview.DPID(3) {
				tx.PutSwitch(&netview.Switch{DPID: dpid, Connected: true,
					Ports: []netview.Port{{Number: 1, Up: true, Role: netview.PortLink}}})
			}
			tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: netview.Point{DPID: 1, Port: 1},
				Dst: netview.Point{DPID: 2, Port: 1}}, Up: true})
		})
		synctest.Wait()
		const gone, other = "0000000000000001", "0000000000000002"
		ending := map[string]netview.AlarmKind{gone: netview.AlarmStuckSwitch, gone + "/1": netview.AlarmLinkAtHost,
			other + "/1<->" + gone + "/1": netview.AlarmIndirectLink}
		staying := map[string]netview.AlarmKind{other: netview.AlarmStuckSwitch,
			other + "/1": netview.AlarmLinkAtHost, "": netview.AlarmIntents}
		for object, kind := range ending {
			b.Raise(kind, object, "")
		}
		for object, kind := range staying {
			b.Raise(kind, object, "")
		}
		facts.Update(func(tx *netview.FactsTx) { // its link goes down in the same transaction
			tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: netview.Point{DPID: 1, Port: 1},
				Dst: netview.Point{DPID: 2, Port: 1}}})
			tx.DeleteSwitch(1)
		})
		synctest.Wait()
		for object, kind := range ending {
			if a := shown(t, v, kind, object); a == nil || a.Active {
				t.Errorf("%s %s: %+v", kind, object, a)
			}
		}
		for object, kind := range staying {
			if a := shown(t, v, kind, object); a == nil || !a.Active {
				t.Errorf("%s %s: %+v", kind, object, a)
			}
		}
		for a := range v.Snapshot().Alarms() {
			if a.Active && about(a.Object, gone) {
				t.Errorf("%s %s is active", a.Kind, a.Object)
			}
		}
	})
}

// TestWatch follows a switch and a link through the view: coming is no alarm, going is one, coming
// back ends it.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, v := board(t)
		go b.Watcher(v).Run(t.Context())
		facts := v.Facts()
		sw := func(dpid netview.DPID, connected, up bool) {
			state := netview.SwitchReady
			if !connected {
				state = netview.SwitchDisconnected
			}
			facts.Update(func(tx *netview.FactsTx) {
				tx.PutSwitch(&netview.Switch{DPID: dpid, Name: "s", State: state, Connected: connected,
					Ports: []netview.Port{{Number: 1, Up: up, Role: netview.PortLink}}})
			})
			synctest.Wait()
		}
		key := netview.LinkKey{Src: netview.Point{DPID: 1, Port: 1}, Dst: netview.Point{DPID: 2, Port: 1}}
		links := func() {
			facts.Update(func(tx *netview.FactsTx) {
				tx.PutLink(&netview.Link{LinkKey: key, Up: true, State: netview.LinkConfirmed})
				tx.PutLink(&netview.Link{LinkKey: key.Reverse(), Up: true, State: netview.LinkConfirmed})
			})
			synctest.Wait()
		}
		active := func(kind netview.AlarmKind, object string) uint64 {
			if a := shown(t, v, kind, object); a != nil && a.Active {
				return a.Count
			}
			return 0
		}
		lost := func() uint64 { return active(netview.AlarmSwitchLost, "0000000000000001") }
		down := func() uint64 { return active(netview.AlarmLinkDown, "0000000000000001/1<->0000000000000002/1") }
		sw(1, false, true) // remembered
		sw(2, true, true)
		if lost() != 0 {
			t.Error("alarm for a switch that has not come yet")
		}
		sw(1, true, true)
		links()
		if lost() != 0 || down() != 0 {
			t.Error("alarm though all is up")
		}
		sw(1, false, true)
		if lost() != 1 || down() != 0 {
			t.Errorf("session lost: %d, %d", lost(), down())
		}
		sw(1, true, false)
		if lost() != 0 || down() != 1 {
			t.Errorf("port down: %d, %d", lost(), down())
		}
		sw(1, true, true)
		links()
		if down() != 0 {
			t.Error("the link's alarm stays though it is up")
		}
		sw(1, true, false)
		facts.Update(func(tx *netview.FactsTx) { tx.DeleteLink(key); tx.DeleteLink(key.Reverse()) })
		if down() != 1 {
			t.Error("a link that is forgotten has no alarm any more")
		}
		time.Sleep(Quiet + 2*Refresh)
		if down() != 0 {
			t.Error("the alarm of a link that is gone stays for ever")
		}
	})
}
