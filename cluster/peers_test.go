package cluster

import (
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/cluster/streams"
	"github.com/weirnet/weir/store/etcd"
)

// TestLine: the store's leader takes an owner's place last, who has no vote takes none, and the dead are passed over.
func TestLine(t *testing.T) {
	list := []etcd.Member{{ID: "c"}, {ID: "b", Leader: true}, {ID: "a", Learner: true}, {ID: "1f"}, {ID: "d", Self: true}}
	heard := func(id streams.ID) bool { return id != 0xc }
	for id, want := range map[streams.ID]int{0xc: 0, 0xd: 0, 0x1f: 1, 0xb: 2, 0xa: -1, 0xe: -1} {
		if got := place(line(list), id, heard); got != want {
			t.Errorf("%x is at place %d, want %d", id, got, want)
		}
	}
}

// TestWatch: the first in line takes the place of an owner that nobody hears at once, the others one after the other, and
// nobody that of one who is heard again, or has another life.
func TestWatch(t *testing.T) {
	var w watch
	now := time.Unix(1, 0)
	owner := liveness.Life{ID: 1, Incarnation: 7}
	for _, step := range []struct {
		after   time.Duration
		owner   liveness.Life
		unheard bool
		place   int
		take    bool
		next    time.Duration
	}{
		{0, owner, false, 0, false, lookEvery},
		{time.Hour, owner, true, 0, true, lookEvery},
		{0, owner, false, 1, false, lookEvery},
		{time.Hour, owner, true, 1, false, lineStep},
		{lineStep / 4, owner, true, 1, false, lineStep * 3 / 4},
		{lineStep, owner, true, 1, true, lookEvery},
		{0, owner, true, -1, false, lookEvery},
		{0, liveness.Life{ID: 1, Incarnation: 8}, true, 1, false, lineStep},
		{lineStep / 2, owner, true, 1, false, lineStep},
		{lineStep / 2, owner, false, 1, false, lookEvery},
		{lineStep, owner, true, 2, false, lookEvery},
	} {
		now = now.Add(step.after)
		if take, next := w.look(now, step.owner, step.unheard, step.place); take != step.take || next != step.next {
			t.Errorf("%+v: take %t, next %v", step, take, next)
		}
	}
}

// TestLeadWatch: the lead is asked for once in a while, by who is first in line without the owner.
func TestLeadWatch(t *testing.T) {
	list := []etcd.Member{{ID: "a"}, {ID: "b", Leader: true}, {ID: "c"}}
	if got := leaders(list, 0xa); !slices.Equal(got, []streams.ID{0xb, 0xc, 0xa}) {
		t.Errorf("the line is %x", got)
	}
	var w leadWatch
	now, leader := time.Unix(1, 0), liveness.Life{ID: 0xb, Incarnation: 1}
	for i, want := range []bool{true, false, false, true} {
		if take, _ := w.look(now.Add(time.Duration(i)*askAgain*2/5), leader, true, 0); take != want {
			t.Errorf("look %d: asks %t, want %t", i, take, want)
		}
	}
	if take, _ := w.look(now.Add(time.Hour), leader, false, 0); take {
		t.Error("the lead of one that is heard is asked for")
	}
}
