package cluster

import (
	"log/slog"
	"testing"
	"time"

	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd"
	"github.com/weirnet/weir/store/owner"
)

// everybody is heard.
type everybody struct{}

func (everybody) Heard(liveness.ID) bool            { return true }
func (everybody) Suspected(liveness.ID) bool        { return false }
func (everybody) Unheard(liveness.Life) bool        { return false }
func (everybody) Incarnation(id liveness.ID) uint64 { return uint64(id) + 100 }

// TestUnfitYields: an owner and a leader whose disks are not well are replaced by one whose disk is, though they are heard; not
// by one whose disk is not well either, and nobody is where no disk is well.
func TestUnfitYields(t *testing.T) {
	well, full, slow := etcd.Disk{}, etcd.Disk{Full: "no room"}, etcd.Disk{Slow: "hangs"}
	for _, c := range []struct {
		name           string
		a, b, c        etcd.Disk // of the owner, which leads, of this instance, and of a third one
		owns, campaign bool
		after          time.Duration
	}{
		{"all are well", well, well, well, false, false, time.Minute},
		{"the owner's is full", full, well, well, true, true, 0},
		{"the owner's is slow", slow, well, well, true, true, 0},
		{"this one's is not well either", full, slow, well, false, false, time.Minute},
		{"none is well", slow, full, slow, false, false, time.Minute},
		{"the third one's is not well", full, well, full, true, true, 0},
	} {
		now := time.Unix(1, 0)
		clock := func() time.Time { return now }
		st := store.NewMemory(clock)
		a := owner.NewAt(st, owner.Instance{Name: "a", Member: "a", Life: 0xa + 100}, clock)
		b := owner.NewAt(st, owner.Instance{Name: "b", Member: "b", Life: 0xb + 100}, clock)
		for _, own := range []*owner.Claim{a, b} {
			if _, err := own.Try(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		members := []etcd.Member{{ID: "a", Leader: true, Disk: c.a}, {ID: "b", Self: true, Disk: c.b}, {ID: "c", Disk: c.c}}
		look := Takeover{Own: b, Hears: everybody{}, Log: slog.New(slog.DiscardHandler)}
		campaign := false
		for end := now.Add(c.after); !now.After(end); now = now.Add(lookEvery) {
			asks, _ := look.Look(now, members)
			campaign = campaign || asks
			keeper := a.Keeper()
			if _, err := keeper.Step(t.Context(), func(string) {}); err != nil && !c.owns {
				t.Errorf("%s: the owner is %v", c.name, err)
			}
			if _, err := b.Try(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if b.Owns() != c.owns || campaign != c.campaign {
			t.Errorf("%s: it owns %t, asks for the lead %t", c.name, b.Owns(), campaign)
		}
	}
}

// TestUnfitWaits: one whose disk is not well takes the place of a dead owner after all whose disks are, and with nobody else at
// once.
func TestUnfitWaits(t *testing.T) {
	list := []etcd.Member{{ID: "a", Disk: etcd.Disk{Full: "no room"}}, {ID: "b", Leader: true}, {ID: "c"}}
	only := func(ids ...liveness.ID) func(liveness.ID) bool {
		return func(id liveness.ID) bool {
			for _, i := range ids {
				if i == id {
					return true
				}
			}
			return false
		}
	}
	for _, c := range []struct {
		self  liveness.ID
		heard func(liveness.ID) bool
		want  int
	}{
		{0xa, only(0xb, 0xc), 2 + unfitSteps}, {0xa, only(0xc), 1 + unfitSteps}, {0xa, only(), 0},
		{0xb, only(0xa, 0xc), 1}, {0xc, only(0xa, 0xb), 0},
	} {
		if got := waits(list, line(list), c.self, c.heard); got != c.want {
			t.Errorf("%x waits for %d steps, want %d", c.self, got, c.want)
		}
	}
}

// TestDisksAreTold: instances know of each other's disks, by themselves and through the store's list of members.
func TestDisksAreTold(t *testing.T) {
	owns := make(chan string, 3)
	a := begin(t, "a", owns)
	<-owns
	b := begin(t, "b", owns, a.address())
	need.Await(t, "a to know b's disk", func() bool {
		_, known := a.peers.disk(b.own.Self().Member)
		return known
	})
	b.peers.disks.tell(etcd.Disk{Slow: "hangs"}, time.Now(), b.peers.streams, others(b.store.Cluster().Members()))
	need.Await(t, "a to know that b's disk is slow", func() bool {
		for _, m := range a.store.Cluster().Members() {
			if m.Name == "b" && m.Disk.State() == "disk slow" {
				return true
			}
		}
		return false
	})
	need.Await(t, "a to know that b's disk is well, as b finds next", func() bool {
		d, known := a.peers.disk(b.own.Self().Member)
		return known && d.Fit()
	})
	b.die()
	need.Await(t, "b to be unknown", func() bool { _, known := a.peers.disk(b.own.Self().Member); return !known })
}
