package pathing

import (
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

var t0 = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func link(a, b netview.DPID) netview.LinkKey {
	return netview.LinkKey{Src: netview.Point{DPID: a, Port: 1}, Dst: netview.Point{DPID: b, Port: 1}}
}

// user is somebody whose shorter path is by a link that flaps, and somebody else, whose shorter path is
// by one that came back when that began.
type user struct {
	*Restorer
	now     time.Time
	up, on  bool // the link that flaps, and whether a path is on it
	reverts int  // to the link
	others  time.Time
}

// look has the user do what is due by now.
func (u *user) look() {
	if u.Take(u.now) {
		if u.others.IsZero() {
			u.others = u.now
		}
		if u.up && !u.on && !u.Backoff(u.now).Has(link(1, 2)) {
			u.on = true
			u.reverts++
		}
	}
}

// pass has time pass until some moment, and the user look whenever it is to.
func (u *user) pass(until time.Time) {
	for at := u.Wake(u.now); !at.IsZero() && at.Before(until); at = u.Wake(u.now) {
		if at.After(u.now) {
			u.now = at
		}
		u.look()
	}
	u.now = until
	u.look()
}

// flap changes the link.
func (u *user) flap() {
	u.up = !u.up
	u.on = u.on && u.up
	u.linkChanged(link(2, 1), u.up, u.now)
}

// TestFlapping flaps a link with periods from 1 ms to a minute, for an hour: paths go back to it twice at
// most, others to theirs soon; and when it ends they go back to that link too, within HoldMax.
func TestFlapping(t *testing.T) {
	var periods []time.Duration
	for p := time.Millisecond; p < 20*time.Millisecond; p += time.Millisecond {
		periods = append(periods, p)
	}
	for p := 20 * time.Millisecond; p < 100*time.Millisecond; p += 5 * time.Millisecond {
		periods = append(periods, p)
	}
	for p := 100 * time.Millisecond; p < time.Second; p += 10 * time.Millisecond {
		periods = append(periods, p)
	}
	for p := time.Second; p <= time.Minute; p += 250 * time.Millisecond {
		periods = append(periods, p)
	}
	for _, period := range periods {
		span := time.Hour
		if period < 100*time.Millisecond {
			span = 2 * time.Minute // as long as the hold time is by then
		}
		for _, upFor := range []time.Duration{period / 2, period * 9 / 10} {
			u := &user{Restorer: NewRestorer(), now: t0, up: true, on: true}
			u.linkChanged(link(3, 4), false, u.now)
			u.linkChanged(link(3, 4), true, u.now)
			for end := u.now.Add(span); u.now.Before(end); {
				u.flap()
				u.pass(u.now.Add(period - upFor))
				u.flap()
				u.pass(u.now.Add(upFor))
			}
			if u.reverts > 2 {
				t.Fatalf("period %v, up for %v: %d times back to the link, want 2 at most", period, upFor, u.reverts)
			}
			if late := u.others.Sub(t0); u.others.IsZero() || late > 3*WaitToRestore {
				t.Fatalf("period %v, up for %v: others could go back after %v", period, upFor, late)
			}
			ended := u.now
			u.pass(ended.Add(HoldMax + WaitToRestore))
			if !u.on || len(u.Backoff(u.now).Links) > 0 || u.reverts > 3 {
				t.Fatalf("period %v, up for %v: %v after it has ended the path is on the link: %t, %d times back, back-off %v",
					period, upFor, u.now.Sub(ended), u.on, u.reverts, u.Backoff(u.now))
			}
		}
	}
}

// TestOneFailure: paths go back when the link has been up for WaitToRestore, not sooner, and the wait
// begins anew with each change of a link that does not flap; a carrier that bounces is one failure.
func TestOneFailure(t *testing.T) {
	u := &user{Restorer: NewRestorer(), now: t0, up: true, on: true}
	if u.Take(t0) || !u.Wake(t0).IsZero() || !u.Backoff(t0).Empty() {
		t.Fatal("something to do before anything changed")
	}
	for range 7 {
		u.flap()
		u.now = u.now.Add(time.Second)
	}
	u.flap()
	came := u.now
	if !u.Backoff(came).Empty() {
		t.Fatalf("in back-off after failures within seconds: %v", u.Backoff(came))
	}
	u.now = came.Add(20 * time.Second)
	if !u.linkChanged(link(3, 4), true, u.now) || !u.Wake(u.now).Equal(u.now.Add(WaitToRestore)) {
		t.Fatal("a change of another link does not begin the wait anew")
	}
	u.now = came.Add(20*time.Second + WaitToRestore - 1)
	if u.look(); u.on {
		t.Fatal("back too soon")
	}
	u.now = u.now.Add(1)
	if u.look(); !u.on || u.Take(u.now) || !u.Wake(u.now).IsZero() {
		t.Fatal("not back in time, or again")
	}
}

// TestBackoff follows the hold time of a link that fails again and again: it doubles up to HoldMax, and
// failures are forgiven when the link has been up for twice as long.
func TestBackoff(t *testing.T) {
	r, now := NewRestorer(), t0
	key := link(1, 2)
	down := func() {
		r.linkChanged(key, false, now)
		now = now.Add(WaitToRestore)
		r.linkChanged(key.Reverse(), true, now)
	}
	held := func(want time.Duration) {
		t.Helper()
		switch at := now.Add(want); {
		case want == 0 && !r.Backoff(now).Empty():
			t.Fatalf("in back-off: %v", r.Backoff(now))
		case want > 0 && (!slices.Equal(r.Backoff(now).Links, []netview.LinkKey{key}) || !r.Wake(now).Equal(at)):
			t.Fatalf("back-off %v until %v, want %v", r.Backoff(now), r.Wake(now).Sub(now), want)
		case want > 0 && (r.Backoff(at.Add(-1)).Empty() || !r.Backoff(at).Empty() || !r.Take(at)):
			t.Fatalf("not in back-off for %v, or paths do not go back then", want)
		}
	}
	down()
	held(0)
	r.Take(now.Add(WaitToRestore))
	for _, want := range []time.Duration{2, 4, 8, 16, 16, 16} {
		now = now.Add(time.Second)
		down()
		held(want * WaitToRestore)
	}
	now = now.Add(2*HoldMax - 1)
	down()
	held(HoldMax)
	now = now.Add(2 * HoldMax)
	down()
	held(0)
	if now = now.Add(2 * WaitToRestore); r.Wake(now).IsZero() || len(r.links) != 1 {
		t.Fatalf("%d links remembered", len(r.links))
	}
	r.linkChanged(link(5, 6), false, now)
	r.linkChanged(link(5, 6), true, now)
	if r.Backoff(now); len(r.links) != 1 || r.links[link(5, 6)] == nil {
		t.Errorf("%d links remembered, want that which failed last", len(r.links))
	}
}

// TestLinksOfAView: a link that is found, one direction after the other, has not failed; one of which a
// direction goes down has, also if it is up again before anybody looks, and one that is deleted.
func TestLinksOfAView(t *testing.T) {
	view := netview.New(netview.Limits{})
	facts := view.Facts()
	facts.Update(func(tx *netview.FactsTx) {
		for dpid := netview.DPID(1); dpid <= 2; dpid++ {
			ports := []netview.Port{{Number: 1, Up: true, Role: netview.PortLink}}
			tx.PutSwitch(&netview.Switch{DPID: dpid, State: netview.SwitchReady, Connected: true, Ports: ports})
		}
	})
	put := func(k netview.LinkKey, up bool) {
		facts.Update(func(tx *netview.FactsTx) { tx.PutLink(&netview.Link{LinkKey: k, Up: up, State: netview.LinkConfirmed}) })
	}
	there, back := link(1, 2), link(2, 1)
	r, from, now := NewRestorer(), topology.NewSource(view).Follow(), t0
	from.Next(1)
	look := func(count int, restarted bool) {
		t.Helper()
		u := from.Next(100)
		now = now.Add(WaitToRestore)
		if got := r.LinksChanged(u.Map, u.Changes, now); got != restarted {
			t.Fatalf("the wait begins anew: %t, want %t", got, restarted)
		}
		if f := r.links[there]; f == nil && count > 0 || f != nil && (f.count != count || f.up != u.Map.Up(there)) {
			t.Fatalf("%+v, want %d failures", f, count)
		}
	}
	put(there, true)
	look(0, false)
	put(back, true)
	look(0, true)
	put(back, false)
	look(1, true)
	put(back, true)
	look(1, true)
	put(there, false)
	put(there, true)
	look(2, false)
	facts.Update(func(tx *netview.FactsTx) { tx.DeleteLink(there) })
	look(3, false)
	facts.Update(func(tx *netview.FactsTx) { tx.PutHost(&netview.Host{At: netview.Point{DPID: 1, Port: 1}}) })
	look(3, false)
}

func TestTransit(t *testing.T) {
	for us, want := range map[uint64]time.Duration{0: 0, 700: 1400 * time.Microsecond, 30_000_000: time.Minute,
		1 << 63: time.Minute} {
		if got := Transit(us); got != want {
			t.Errorf("latency of %d µs: %v, want %v", us, got, want)
		}
	}
}
