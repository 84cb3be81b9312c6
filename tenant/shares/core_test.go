package shares

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// world has accounts take turns in time of its own.
type world struct {
	t     *testing.T
	core  core
	now   time.Duration
	again time.Duration // when the core wants to be called
	users []*user
}

// user is what has turns in a world.
type user struct {
	turn
	cost func() time.Duration // of a turn
	idle func() time.Duration // between two turns
	next time.Duration        // when it wants one, or its turn ends
	had  int
}

// newWorld makes one of so many places.
func newWorld(t *testing.T, places int) *world { return &world{t: t, core: newCore(places)} }

// add adds a user of an account.
func (w *world) add(a *account, cost, idle func() time.Duration) *user {
	u := &user{turn: turn{of: a}, cost: cost, idle: idle, next: w.now + idle()}
	w.users = append(w.users, u)
	return u
}

func newAccount() *account { return &account{ended: never} }

func always(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

// upTo draws evenly.
func upTo(r *rand.Rand, d time.Duration) func() time.Duration {
	return func() time.Duration { return time.Duration(r.Int64N(int64(d))) + 1 }
}

// begun notes turns that were given.
func (w *world) begun(first *turn, again time.Duration) {
	for x := first; x != nil; {
		next := x.next
		x.next = nil
		for _, u := range w.users {
			if &u.turn == x {
				u.next = w.now + u.cost()
				u.had++
			}
		}
		x = next
	}
	w.again = again
}

// step goes to the next thing that happens.
func (w *world) step() {
	var at *user
	for _, u := range w.users {
		if u.waits == nil && (at == nil || u.next < at.next) {
			at = u
		}
	}
	if w.again > 0 && (at == nil || w.again < at.next) {
		w.now = max(w.now, w.again)
		w.begun(w.core.give(w.now))
		w.check()
		return
	}
	if at == nil {
		w.t.Fatalf("at %v all wait, and nothing will happen: %+v", w.now, w.core)
	}
	w.now = max(w.now, at.next)
	if at.has {
		w.core.leave(&at.turn, w.now)
		at.next = w.now + at.idle()
	}
	if !at.has && at.next <= w.now && w.core.enter(&at.turn, w.now) {
		at.next = w.now + at.cost()
		at.had++
	}
	w.begun(w.core.give(w.now))
	w.check()
}

// check holds the core to what is said of places.
func (w *world) check() {
	c := &w.core
	waiting, running := 0, 0
	wants := make(map[*account]int)
	for _, u := range w.users {
		if u.waits != nil || u.has {
			wants[u.of]++
		}
		if u.waits != nil {
			waiting++
		}
		if u.has {
			running++
		}
	}
	for a, n := range wants {
		if a.wants != n {
			w.t.Fatalf("at %v an account has %d turns, and the core says %d", w.now, n, a.wants)
		}
	}
	switch roomy := c.roomy(w.now); {
	case running != c.running || running > c.places:
		w.t.Fatalf("at %v %d have turns of %d places, and the core says %d", w.now, running, c.places, c.running)
	case waiting > 0 && running < c.places && !roomy:
		w.t.Fatalf("at %v %d wait, and %d have turns of %d places", w.now, waiting, running, c.places)
	case waiting > 0 && running < c.places && c.busy < c.lane() && w.again != min(c.rest, c.sparse+roomFor):
		w.t.Fatalf("at %v somebody waits for room until %v, and the core wants to be called at %v", w.now, c.rest, w.again)
	}
}

// until goes on until a time.
func (w *world) until(end time.Duration) {
	for w.now < end {
		w.step()
	}
}

// TestFair: of accounts that always want turns, with whatever these cost and however many users they have, none gets ahead of
// another by more than a quantum and a turn; nobody waits beside a free place; nobody waits for ever.
func TestFair(t *testing.T) {
	const longest = 3 * quantum
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		places := 1 + r.IntN(3)
		w := newWorld(t, places)
		var accounts []*account
		for range places*2 + r.IntN(6) { // each may have a place whenever it is its turn
			a := newAccount()
			accounts = append(accounts, a)
			most := 1 + time.Duration(r.Int64N(int64(longest)))
			for range 1 + r.IntN(3) {
				w.add(a, upTo(r, most), always(0))
			}
		}
		for range 5000 {
			w.step()
			least, greatest := time.Hour, time.Duration(0)
			for _, a := range accounts { // what turns will have used that are being had is not in it
				least, greatest = min(least, a.state.Used), max(greatest, a.state.Used)
			}
			if allowed := time.Duration(places+1) * (quantum + longest); greatest-least > allowed {
				t.Fatalf("seed %d, %d places: one has used %v, another %v, allowed are %v", seed, places, greatest, least, allowed)
			}
		}
	}
}

// TestFairByQuanta: with one place, and turns no longer than what was allotted, the difference is a quantum and a turn.
func TestFairByQuanta(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		w := newWorld(t, 1)
		var accounts []*account
		for range 2 + r.IntN(10) {
			a := newAccount()
			accounts = append(accounts, a)
			var u *user
			u = w.add(a, func() time.Duration { return min(u.allotted, 1+time.Duration(r.Int64N(int64(2*quantum)))) }, always(0))
		}
		for range 5000 {
			w.step()
			least, greatest := time.Hour, time.Duration(0)
			for _, a := range accounts {
				least, greatest = min(least, a.state.Used), max(greatest, a.state.Used)
			}
			if greatest-least > 2*quantum {
				t.Fatalf("seed %d: one has used %v, another %v", seed, greatest, least)
			}
		}
	}
}

// TestAlone: an account that is alone has every turn at once, whatever it uses, and all places.
func TestAlone(t *testing.T) {
	w := newWorld(t, 2)
	a := newAccount()
	w.add(a, always(2*quantum), always(0))
	w.add(a, always(quantum), always(0))
	w.until(time.Second)
	if s := a.state; s.Waits != 0 || s.Used < 2*time.Second-4*quantum {
		t.Errorf("alone on two places it has used %v of two seconds, and waited %d times", s.Used, s.Waits)
	}
}

// TestSparse: beside accounts that take what they get, those that come now and then have their turns at once, and what is left
// free for them is half of the places, and as much time as late turns took; the others share the rest. Once no sparse account
// comes, they have all.
func TestSparse(t *testing.T) {
	for _, places := range []int{2, 4} {
		t.Run(fmt.Sprint(places), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 3))
			w := newWorld(t, places)
			var greedy, sparse []*account
			for range 5 {
				greedy = append(greedy, newAccount())
				w.add(greedy[len(greedy)-1], upTo(r, quantum), always(0))
			}
			w.until(time.Second) // what they use alone is not paid for when others come
			from := w.now
			for range 3 {
				sparse = append(sparse, newAccount())
				w.add(sparse[len(sparse)-1], upTo(r, quantum/20), upTo(r, 2*time.Millisecond))
			}
			w.until(from + roomFor) // turns that began before end
			var before time.Duration
			for _, a := range greedy {
				before += a.state.Used
			}
			const long = time.Second
			w.until(from + roomFor + long)
			used := -before
			for _, a := range greedy {
				used += a.state.Used
			}
			want := 1.0 / 2 / (1 + restFactor)
			if room := float64(used) / float64(long) / float64(places); room < want*0.9 || room > want*1.2 {
				t.Errorf("of %d places those that take all have used %.2f, want %.2f", places, room, want)
			}
			for _, a := range sparse {
				if a.state.Waited > 2*quantum { // before there was room, and where three come at once
					t.Errorf("a sparse account has waited %d times, %v", a.state.Waits, a.state.Waited)
				}
			}
			for slices.ContainsFunc(w.users[len(greedy):], func(u *user) bool { return u.has || u.waits != nil }) {
				w.step()
			}
			w.users = w.users[:len(greedy)]
			before = 0
			for _, a := range greedy {
				before += a.state.Used
			}
			from = w.now
			w.until(from + roomFor + long)
			used = -before
			for _, a := range greedy {
				used += a.state.Used
			}
			if share := float64(used) / float64(long) / float64(places); share < 0.98 {
				t.Errorf("without sparse accounts they have used %.2f of the places", share)
			}
		})
	}
}

// TestDebt: a message that takes as long as many turns is paid for by as many turns of the others.
func TestDebt(t *testing.T) {
	w := newWorld(t, 1)
	first, other := newAccount(), newAccount()
	long := true
	w.add(first, func() time.Duration {
		if long {
			long = false
			return 100 * quantum
		}
		return quantum
	}, always(0))
	w.add(other, always(quantum), always(0))
	w.until(150 * quantum)
	if first.state.Used != 100*quantum || other.state.Used < 48*quantum {
		t.Errorf("one has used %v with a long turn, the other %v meanwhile and afterwards", first.state.Used, other.state.Used)
	}
	w.until(400 * quantum)
	if d := first.state.Used - other.state.Used; d > 2*quantum || d < -2*quantum {
		t.Errorf("then they have used %v and %v", first.state.Used, other.state.Used)
	}
}

// TestCancel: a turn that is taken back while it waits, or as it is given, leaves no trace, whoever waits before and behind it.
func TestCancel(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 4))
		w := newWorld(t, 1+r.IntN(2))
		accounts := []*account{newAccount(), newAccount(), newAccount()}
		for i := range 9 {
			w.add(accounts[i%3], upTo(r, 2*quantum), upTo(r, quantum))
		}
		for range 3000 {
			w.step()
			u := w.users[r.IntN(len(w.users))]
			if r.IntN(5) == 0 && (u.waits != nil || u.has) {
				w.core.cancel(&u.turn, w.now)
				u.next = w.now + u.idle()
				w.begun(w.core.give(w.now))
				w.check()
			}
		}
		for _, u := range w.users {
			if u.had < 20 {
				t.Fatalf("seed %d: a user had %d turns", seed, u.had)
			}
		}
	}
}

// TestLongTurns: who wants nothing for a while after each of its turns, which are long, has no more than who always wants turns.
func TestLongTurns(t *testing.T) {
	for _, places := range []int{1, 2} {
		w := newWorld(t, places)
		long, steady := newAccount(), newAccount()
		for range places {
			w.add(long, always(50*time.Millisecond), always(2*time.Millisecond))
			w.add(steady, always(quantum), always(0))
		}
		w.until(20 * time.Second)
		if a, b := long.state.Used, steady.state.Used; a > b*11/10 {
			t.Errorf("%d places: the one with long turns has used %v, the other %v", places, a, b)
		}
	}
}

// TestClosed: of an account that is closed nothing stays, whether it wants something then or not.
func TestClosed(t *testing.T) {
	c := core{places: 1}
	for i := range 100 {
		a := newAccount()
		first, second := &turn{of: a}, &turn{of: a}
		now := time.Duration(i) * time.Second
		if !c.enter(first, now) {
			t.Fatal("no turn")
		}
		if i%2 == 0 {
			c.enter(second, now)
			c.close(a)
		}
		c.leave(first, now+5*quantum)
		c.give(now + 5*quantum)
		if i%2 == 0 {
			c.leave(second, now+6*quantum)
		} else {
			c.close(a)
		}
		c.charge(a, 5*quantum)
		if c.ring != nil || c.waiting+c.running+c.busy != 0 {
			t.Fatalf("account %d: %+v", i, c)
		}
	}
}
