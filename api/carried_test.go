package api

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
)

// TestTraffic reads the entries of one intent again and again, while they count on, begin anew, go, move and are out of reach: what it has carried never
// goes back, and there is a rate where all went on.
func TestTraffic(t *testing.T) {
	book := newCarriers()
	now := noon
	entry := func(dpid netview.DPID, packets uint64) entryCount {
		return entryCount{entryAt{dpid, 1, 7, "m"}, carried{packets, 100 * packets}, true}
	}
	link := entryCount{entryAt{1, 1, 7, "n"}, carried{1 << 40, 1}, false} // no packets come in by it
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
		{"the host has moved", time.Second, []netview.DPID{2}, []entryCount{entry(2, 5)}, false, 345, -1},
		{"it moved back", time.Second, []netview.DPID{1}, []entryCount{entry(1, 7)}, false, 352, -1},
	} {
		now = now.Add(c.after)
		sum, rate := book.add(3, "a", c.asked, c.entries, c.missing, now)
		if sum != (carried{c.want, 100 * c.want}) {
			t.Errorf("%s: %+v, want %d packets", c.what, sum, c.want)
		}
		if (rate == nil) != (c.rate < 0) || rate != nil && *rate != (rated{c.rate, 100 * c.rate}) {
			t.Errorf("%s: rate %+v, want %v", c.what, rate, c.rate)
		}
	}
	if sum, _ := book.add(3, "b", []netview.DPID{1}, []entryCount{entry(1, 8)}, false, now); sum.packets != 8 {
		t.Errorf("another intent of the same number: %+v", sum)
	}
}

// TestTrafficBudget: those that were asked for last are remembered, up to a bound.
func TestTrafficBudget(t *testing.T) {
	book := newCarriers()
	ask := func(n uint32, packets uint64) uint64 {
		sum, _ := book.add(n, fmt.Sprint(n), []netview.DPID{1}, []entryCount{{entryAt{1, 1, 7, "m"}, carried{packets, 0}, true}}, false, noon)
		return sum.packets
	}
	ask(1, 1000)
	for n := range uint32(carriersKept + 100) {
		ask(n+2, 10)
		if n%1000 == 0 {
			ask(1, 1000)
		}
	}
	if book.order.Len() != carriersKept || len(book.known) != carriersKept {
		t.Errorf("%d and %d are kept, want %d", book.order.Len(), len(book.known), carriersKept)
	}
	if got := ask(1, 5); got != 1005 {
		t.Errorf("one that is asked for again and again: %d packets, want 1005", got)
	}
	if got := ask(2, 5); got != 5 {
		t.Errorf("one that was asked for long ago: %d packets, want 5", got)
	}
}
