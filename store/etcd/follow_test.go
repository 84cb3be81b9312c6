package etcd

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
)

// heard is what somebody has who follows a journal.
type heard struct {
	live   map[uint32][]byte
	resets int
}

func (h *heard) Reset() {
	h.live = make(map[uint32][]byte)
	h.resets++
}

func (h *heard) Take(r journal.Record) error {
	if delete(h.live, r.Number); !r.Delete {
		h.live[r.Number] = bytes.Clone(r.Data)
	}
	return nil
}

// followingMember is a member whose instance follows the journal, or writes it.
type followingMember struct {
	*instance
	heard    *heard
	follower *journal.Follower
	stop     context.CancelFunc
	done     chan struct{}
}

func (m *followingMember) follow(t *testing.T) {
	m.heard = &heard{}
	m.follower = journal.NewFollower(m.Store, journal.Config{Prefix: "j/", BlockMax: 2048}, m.heard)
	var ctx context.Context
	ctx, m.stop = context.WithCancel(t.Context())
	m.done = make(chan struct{})
	go func(f *journal.Follower, done chan struct{}) {
		f.Run(ctx)
		close(done)
	}(m.follower, m.done)
}

// promote ends the following, and makes the member's instance the writer. Where the store does not answer now it is asked
// again.
func (m *followingMember) promote(t *testing.T) *journal.Journal {
	t.Helper()
	m.stop()
	<-m.done
	for begun := time.Now(); ; {
		j, err := m.follower.Promote(t.Context())
		if err == nil {
			return j
		}
		if time.Since(begun) > 20*time.Second {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// load is what a writer is asked for, and what it has answered: by number, what was acknowledged last and what was asked
// for since, whose outcome is not known.
type load struct {
	mu      sync.Mutex
	acked   map[uint32][]byte
	pending map[uint32][][]byte // nil among them: a withdrawal
	count   int
}

// run appends records until the context ends.
func (l *load) run(ctx context.Context, j *journal.Journal, r *rand.Rand) {
	for i := 0; ctx.Err() == nil; i++ {
		rec := journal.Record{Number: uint32(r.IntN(400))}
		if rec.Delete = r.IntN(3) == 0; !rec.Delete {
			rec.Data = fmt.Appendf(nil, "%d of %d%s", i, r.Uint32(), bytes.Repeat([]byte("."), r.IntN(100)))
		}
		l.mu.Lock()
		l.pending[rec.Number] = append(l.pending[rec.Number], rec.Data)
		l.mu.Unlock()
		err := j.Append([]journal.Record{rec}, func(_ store.Revision, err error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			if err != nil {
				return // it may have been written all the same
			}
			l.count++
			l.acked[rec.Number] = rec.Data
			l.pending[rec.Number] = l.pending[rec.Number][1:]
		})
		if err != nil {
			l.mu.Lock()
			l.pending[rec.Number] = l.pending[rec.Number][:len(l.pending[rec.Number])-1]
			l.mu.Unlock()
			time.Sleep(time.Millisecond)
		}
		if i%20 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// check holds what the next writer has against what was answered, and goes on from what it has.
func (l *load) check(t *testing.T, live map[uint32][]byte) {
	t.Helper()
	for n := range uint32(400) {
		got, want := live[n], l.acked[n]
		if !bytes.Equal(got, want) && !slices.ContainsFunc(l.pending[n], func(b []byte) bool { return bytes.Equal(b, got) }) {
			t.Fatalf("number %d has %q; acknowledged was %q, and asked for %q", n, got, want, l.pending[n])
		}
	}
	l.acked, l.pending = maps.Clone(live), make(map[uint32][][]byte)
}

// TestTakenOverUnderLoad: three members of a store take a journal from each other while it is written; one of them is
// stopped hard. Whoever takes it has all that was answered, as one has it who reads all.
func TestTakenOverUnderLoad(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var members []*followingMember
	for _, i := range startCluster(t) {
		m := &followingMember{instance: i}
		m.follow(t)
		members = append(members, m)
	}
	for _, m := range members {
		<-m.follower.Known()
	}
	l := &load{acked: make(map[uint32][]byte), pending: make(map[uint32][][]byte)}
	resets, turns := 0, 0
	take := func(m *followingMember, ended <-chan struct{}) (end func()) {
		j := m.promote(t)
		resets += m.heard.resets - 1
		<-ended // with the answers of the one before, which was replaced
		l.check(t, m.heard.live)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { j.Run(ctx) })
		seed := r.Uint64()
		running.Go(func() { l.run(ctx, j, rand.New(rand.NewPCG(3, seed))) })
		turns++
		return func() { stop(); running.Wait() }
	}
	ended := make(chan struct{})
	close(ended)
	end := take(members[0], ended)
	for turn := 1; turn < 12; turn++ {
		time.Sleep(time.Duration(50+r.IntN(100)) * time.Millisecond)
		if turn == 6 { // the writer's member dies
			members[0].member.server.HardStop()
		}
		before, over := end, make(chan struct{})
		go func() {
			if turn%3 > 0 { // it writes until it is replaced
				time.Sleep(20 * time.Millisecond)
			}
			before()
			close(over)
		}()
		end = take(members[1], over)
		if turn == 6 {
			members = members[1:]
		} else {
			members[0].follow(t)
			members = append(members[1:], members[0])
		}
	}
	end()
	naive := make(map[uint32][]byte)
	j, err := journal.Open(t.Context(), members[0].Store, journal.Config{Prefix: "j/"})
	if err == nil {
		err = j.Load(t.Context(), func(r journal.Record) error { naive[r.Number] = bytes.Clone(r.Data); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	last := members[1].promote(t)
	if got := members[1].heard.live; !maps.EqualFunc(got, naive, bytes.Equal) {
		t.Errorf("who has followed has %d records, who reads all %d", len(got), len(naive))
	}
	l.check(t, naive)
	if a, b := last.Stats(), j.Stats(); a.Live != b.Live || a.Blocks != b.Blocks || a.Bytes != b.Bytes ||
		a.LiveBytes != b.LiveBytes {
		t.Errorf("%+v, want %+v", a, b)
	}
	if turns != 12 || resets > 2 || l.count < 1000 {
		t.Errorf("%d turns, %d times read again, %d records answered", turns, resets, l.count)
	}
	t.Logf("%d turns, %d times read again, %d records answered", turns, resets, l.count)
}
