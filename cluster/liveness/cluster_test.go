package liveness

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestCuts: instances of a cluster with links that are cut, one way too, and some that die. A living owner that is heard
// along a chain of two is never unheard, and a dead one soon is, everywhere.
func TestCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := ID(rapid.IntRange(2, 5).Draw(t, "instances"))
		now := start
		cores := map[ID]*Core{}
		var ids []ID
		for id := ID(1); id <= n; id++ {
			ids = append(ids, id)
		}
		for _, id := range ids {
			cores[id] = New(Config{Self: Life{id, uint64(100 + id)}}, now)
			cores[id].SetMembers(ids, now)
		}
		const owner = 1
		life := Life{owner, 101}
		cut := map[[2]ID]time.Time{} // from, to: since
		dead := false
		step := func() {
			now = now.Add(10 * ms)
			for _, id := range rapid.Permutation(ids).Draw(t, "order") {
				if dead && id == owner {
					continue
				}
				cores[id].Tick(now)
				h := cores[id].Heartbeat(now)
				for _, to := range ids {
					if _, is := cut[[2]ID{id, to}]; to != id && !is && !(dead && to == owner) {
						cores[to].Receive(&h, now)
					}
				}
			}
		}
		for range 10 {
			step()
		}
		// hears reports whether a link has worked for longer than any limit, or not for that long.
		works := func(a, b ID) bool { _, is := cut[[2]ID{a, b}]; return !is }
		for range rapid.IntRange(1, 6).Draw(t, "events") {
			a, b := rapid.SampledFrom(ids).Draw(t, "from"), rapid.SampledFrom(ids).Draw(t, "to")
			if works(a, b) {
				cut[[2]ID{a, b}] = now
			} else {
				delete(cut, [2]ID{a, b})
			}
			for range 15 {
				step()
			}
			for _, id := range ids[1:] {
				known := works(owner, id)
				for _, via := range ids[1:] {
					known = known || works(owner, via) && works(via, id)
				}
				if cores[id].Unheard(life) == known {
					t.Fatalf("%d: unheard %v, though %v", id, !known, cut)
				}
			}
		}
		dead = true
		for range 12 {
			step()
		}
		for _, id := range ids[1:] {
			if !cores[id].Unheard(life) {
				t.Fatalf("%d does not know that the owner is dead", id)
			}
			want := id
			for _, other := range ids[1:] {
				if other < id && works(other, id) {
					want = min(want, other)
				}
			}
			if got := cores[id].First(ids); got != want {
				t.Fatalf("%d takes %d for the first, want %d (%v)", id, got, want, slices.Collect(func(yield func(Life) bool) {
					for _, l := range cores[id].Hears() {
						if !yield(l) {
							return
						}
					}
				}))
			}
		}
	})
}
