package cluster

import (
	"log/slog"
	"testing"
	"time"

	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd"
	"github.com/weirnet/weir/store/owner"
)

// deaf hears nobody but itself.
type deaf struct{ *liveness.Core }

func (deaf) Heard(id liveness.ID) bool { return id == 0xb }

// TestTakeover steps an instance beside an owner whose heartbeats end: it takes the owner's place when it hears it no more, and
// asks for the lead of the store, which the owner had. A heartbeat of the third one that hears the owner keeps it from both; and
// an instance that hears nobody at all takes nobody's place.
func TestTakeover(t *testing.T) {
	now := time.Unix(1, 0)
	clock := func() time.Time { return now }
	st := store.NewMemory(clock)
	a := owner.NewAt(st, owner.Instance{Name: "a", Member: "a", Life: 7}, clock)
	b := owner.NewAt(st, owner.Instance{Name: "b", Member: "b", Life: 8}, clock)
	for _, own := range []*owner.Claim{a, b} {
		if _, err := own.Try(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	members := []etcd.Member{{ID: "a", Leader: true}, {ID: "b", Self: true}, {ID: "c"}}
	ofA, ofC := liveness.Life{ID: 0xa, Incarnation: 7}, liveness.Life{ID: 0xc, Incarnation: 9}
	core := liveness.New(liveness.Config{Self: liveness.Life{ID: 0xb, Incarnation: 8}}, now)
	core.SetMembers([]liveness.ID{0xa, 0xb, 0xc}, now)
	look := Takeover{Own: b, Hears: core, Log: slog.New(slog.DiscardHandler)}
	// until has time go on, with heartbeats, and returns what is asked for.
	until := func(d time.Duration, beat func(number uint64)) (dead, campaign bool) {
		for end := now.Add(d); now.Before(end); now = now.Add(10 * time.Millisecond) {
			core.Turn(now, true)
			beat(uint64(now.UnixMilli()))
			asks, _ := look.Look(now, members)
			campaign = campaign || asks
			if _, err := b.Try(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return b.Owns(), campaign
	}
	beat := func(of liveness.Life, number uint64, hears ...liveness.Life) {
		core.Receive(&liveness.Heartbeat{From: of, Number: number, Period: 10 * time.Millisecond, Hears: hears}, now)
	}
	if dead, campaign := until(time.Second, func(n uint64) { beat(ofA, n); beat(ofC, n, ofA) }); dead || campaign {
		t.Errorf("all live: b owns %t, asks for the lead %t", dead, campaign)
	}
	if dead, campaign := until(time.Second, func(n uint64) { beat(ofC, n, ofA) }); dead || campaign {
		t.Errorf("c hears a: b owns %t, asks for the lead %t", dead, campaign)
	}
	look.Hears = deaf{core}
	if dead, _ := until(time.Second, func(n uint64) { beat(ofC, n) }); dead {
		t.Error("b hears nobody, and owns")
	}
	look.Hears = core
	if dead, campaign := until(time.Second/10, func(n uint64) { beat(ofC, n) }); !dead || !campaign {
		t.Errorf("nobody hears a: b owns %t, asks for the lead %t", dead, campaign)
	}
}
