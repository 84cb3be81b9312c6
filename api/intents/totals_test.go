package intents

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/netview"
)

// TestTraffic reads the entries of one intent again and again, while they count on, begin anew, go,
// move and are out of reach: what it has carried never goes back, and there is a rate where all
// went on.
func TestTraffic(t *testing.T) {
	book := newTrafficTable()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	entry := func(dpid netview.DPID, packets uint64) entryCount {
		return entryCount{entryKey{dpid, 1, 7, "m"}, traffic{packets, 100 * packets}, true}
	}
	link := entryCount{entryKey{1, 1, 7, "n"}, traffic{1 << 40, 1}, false} // no packets come in by it
	for _, c := range []struct {
		what    string
		after   time.Duration
		asked   []netview.DPID
		entries []entryCount
		missing bool
		want    uint64
		rate    float64 // -1: none
	}{
		{"the first time", 0, []netview.DPID{1}, []entryCount{entry(1, 100), link}, false, 100, -1},
		{"at once again", 0, []netview.DPID{1}, []entryCount{entry(1, 101), link}, false, 101, -1},
		{"after a second", time.Second, []netview.DPID{1}, []entryCount{entry(1, 150), link}, false, 150, 50},
		{"soon after", time.Second / 2, []netview.DPID{1}, []entryCount{entry(1, 160), link}, false, 160, 50},
		{"after two seconds", 3 * time.Second / 2, []netview.DPID{1}, []entryCount{entry(1, 250), link}, false, 250, 50},
		{"written anew, as after a re-route", time.Second, []netview.DPID{1}, []entryCount{entry(1, 10)}, false, 260, -1},
		{"it goes on", time.Second, []netview.DPID{1}, []entryCount{entry(1, 30)}, false, 280, 20},
		{"gone", time.Second, []netview.DPID{1}, nil, false, 280, -1},
		{"there again, with more than it had", time.Second, []netview.DPID{1}, []entryCount{entry(1, 40)}, false, 320, -1},
		{"out of reach", time.Second, nil, nil, true, 320, -1},
		{"in reach", 2 * time.Second, []netview.DPID{1}, []entryCount{entry(1, 60)}, false, 340, 10},
		{"another ingress beside it", time.Second, []netview.DPID{1, 5}, []entryCount{entry(1, 60), entry(5, 0)}, false, 340, -1},
		{"and gone", time.Second, []netview.DPID{1}, []entryCount{entry(1, 60)}, false, 340, -1},
		{"the host has moved", time.Second, []netview.DPID{2}, []entryCount{entry(2, 5)}, false, 345, -1},
		{"it moved back", time.Second, []netview.DPID{1}, []entryCount{entry(1, 7)}, false, 352, -1},
	} {
		now = now.Add(c.after)
		sum, rate := book.add(3, "a", c.asked, c.entries, c.missing, now)
		if sum != (traffic{c.want, 100 * c.want}) {
			t.Errorf("%s: %+v, want %d packets", c.what, sum, c.want)
		}
		if (rate == nil) != (c.rate < 0) || rate != nil && *rate != (trafficRate{c.rate, 100 * c.rate}) {
			t.Errorf("%s: rate %+v, want %v", c.what, rate, c.rate)
		}
	}
	if sum, _ := book.add(3, "b", []netview.DPID{1}, []entryCount{entry(1, 8)}, false, now); sum.packets != 8 {
		t.Errorf("another intent of the same number: %+v", sum)
	}
}

// TestTrafficBudget: those that were asked for last are remembered, up to a bound.
func TestTrafficBudget(t *testing.T) {
	book := newTrafficTable()
	ask := func(n uint32, packets uint64) uint64 {
		sum, _ := book.add(n, fmt.Sprint(n), []netview.DPID{1},
			[]entryCount{{entryKey{1, 1, 7, "m"}, traffic{packets, 0}, true}}, false, time.Now())
		return sum.packets
	}
	ask(1, 1000)
	for n := range uint32(maxTrafficTotals + 100) {
		ask(n+2, 10)
		if n%1000 == 0 {
			ask(1, 1000)
		}
	}
	if book.order.Len() != maxTrafficTotals || len(book.known) != maxTrafficTotals {
		t.Errorf("%d and %d are kept, want %d", book.order.Len(), len(book.known), maxTrafficTotals)
	}
	if got := ask(1, 5); got != 1005 {
		t.Errorf("one that is asked for again and again: %d packets, want 1005", got)
	}
	if got := ask(2, 5); got != 5 {
		t.Errorf("one that was asked for long ago: %d packets, want 5", got)
	}
}

// TestTrafficOfAHostThatGoesBack: a host moves to another switch and back: its entry at the first
// switch is another one than before, and all of it counts. Nothing is kept of switches where it
// was.
func TestTrafficOfAHostThatGoesBack(t *testing.T) {
	book := newTrafficTable()
	now := time.Unix(1000, 0)
	at := func(dpid netview.DPID, packets uint64, missing bool, want uint64) {
		t.Helper()
		now = now.Add(time.Second)
		e := entryCount{at: entryKey{dpid: dpid, priority: 7, match: "m"}, count: traffic{packets, 100 * packets}, ingress: true}
		if sum, _ := book.add(1, "a", []netview.DPID{dpid}, []entryCount{e}, missing, now); sum.packets != want {
			t.Errorf("%d packets, want %d", sum.packets, want)
		}
	}
	at(1, 100, false, 100)
	at(2, 10, false, 110)
	at(1, 150, false, 260)
	at(2, 20, true, 280) // another one cannot be asked, which may be the first
	at(1, 160, false, 290)
	for dpid := range netview.DPID(100) {
		at(10+dpid, 1, false, 291+uint64(dpid))
	}
	if n := len(book.known[1].Value.(*trafficTotals).last); n != 1 {
		t.Errorf("%d entries are kept, want 1", n)
	}
}

// TestTrafficIsReadInTurn: of several who ask at the same time one reads after the other, so that
// no reading is added behind a newer one; who cannot wait for his turn is told so, and nothing is
// kept of them.
func TestTrafficIsReadInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := newTrafficTable()
		reading, count := 0, uint64(0)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				end, err := book.begin(t.Context(), 1)
				if err != nil {
					t.Error(err)
					return
				}
				defer end()
				if reading++; reading != 1 {
					t.Errorf("%d read at the same time", reading)
				}
				count += 10
				e := entryCount{at: entryKey{dpid: 1, match: "m"}, count: traffic{count, count}, ingress: true}
				time.Sleep(time.Second)
				if sum,
					_ := book.add(1, "a", []netview.DPID{1}, []entryCount{e}, false, time.Now()); sum.packets != e.count.packets {
					t.Errorf("%d were counted: %d packets", e.count.packets, sum.packets)
				}
				reading--
			})
		}
		synctest.Wait()
		late, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if _, err := book.begin(late, 1); err == nil {
			t.Error("it is read out of turn")
		}
		if end, err := book.begin(t.Context(), 2); err != nil {
			t.Error("another intent waits for it")
		} else {
			end()
		}
		all.Wait()
		if count != 200 || len(book.busy) != 0 {
			t.Errorf("%d counted, %d kept", count, len(book.busy))
		}
	})
}
