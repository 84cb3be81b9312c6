package journal

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/store"
)

// silent is a store whose transactions wait for their contexts while it is so.
type silent struct {
	store.Store
	on atomic.Bool
}

func (s *silent) Txn(ctx context.Context, t store.Txn) (store.Result, error) {
	if s.on.Load() {
		<-ctx.Done()
		return store.Result{}, store.ErrUnknown
	}
	return s.Store.Txn(ctx, t)
}

// running is a journal over a store, with its loop, until end.
func running(t *testing.T, st store.Store) (j *Journal, end func()) {
	j, err := Open(t.Context(), st, Config{Prefix: "x/", Answer: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); j.Run(ctx) }()
	return j, func() { cancel(); <-ended }
}

// TestSilentStore: a store that stops answering holds up one transaction. What waits behind it is
// refused within Answer, what comes then at once, and both for certain: of three appends the first
// alone is there when it answers again.
func TestSilentStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &silent{Store: store.NewMemory(nil)}
		j, end := running(t, st)
		st.on.Store(true)
		told := make(map[uint32]error)
		add := func(n uint32) error {
			return j.Append([]Record{{Number: n, Data: []byte{1}}}, func(_ store.Revision, err error) { told[n] = err })
		}
		if add(1) != nil {
			t.Fatal("the first is not taken")
		}
		synctest.Wait()
		if add(2) != nil {
			t.Fatal("the second is not taken")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if err, ok := told[2]; !ok || !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) {
			t.Errorf("behind the transaction: %v (told: %v)", err, ok)
		}
		if err := add(3); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) {
			t.Errorf("while the store is silent: %v", err)
		}
		if _, ok := told[1]; ok {
			t.Error("the outcome of the transaction is told before it is known")
		}
		st.on.Store(false)
		time.Sleep(time.Second)
		synctest.Wait()
		if err, ok := told[1]; !ok || err != nil {
			t.Errorf("the first, when the store answers again: %v (told: %v)", err, ok)
		}
		if err := add(4); err != nil {
			t.Errorf("when the store answers again: %v", err)
		}
		end()
		if s := j.Stats(); s.Live != 2 || s.Failed != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// deaf is a store of which nothing can be read while it is so: it says so at once, or when the
// context ends.
type deaf struct {
	silent
	dark, slow atomic.Bool
	reads      atomic.Int32
}

func (s *deaf) Range(ctx context.Context, q store.Query) (store.Page, error) {
	if !s.dark.Load() {
		return s.Store.Range(ctx, q)
	}
	s.reads.Add(1)
	if s.slow.Load() {
		<-ctx.Done()
	}
	return store.Page{}, store.ErrUnavailable
}

// TestMergingWaits: a store that cannot be read is not asked without a pause for blocks to merge
// while nothing else is to be done; and where there are blocks to merge, who appends is told within
// Answer all the same.
func TestMergingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &deaf{silent: silent{Store: store.NewMemory(nil)}}
		j, end := running(t, st)
		told := make(map[uint32]time.Time)
		add := func(n uint32) {
			if err := j.Append([]Record{{Number: n, Data: []byte{1}}},
				func(store.Revision, error) { told[n] = time.Now() }); err != nil {
				t.Fatal(err)
			}
		}
		st.dark.Store(true)
		for n := range uint32(2 * smallRun) { // a small block each
			add(n)
			synctest.Wait()
		}
		st.reads.Store(0)
		time.Sleep(10 * time.Second)
		if n := st.reads.Load(); n == 0 || n > 20 {
			t.Errorf("the store was asked %d times in 10 s for blocks to merge", n)
		}
		st.slow.Store(true)
		st.on.Store(true)
		add(1000)
		synctest.Wait()
		began := time.Now()
		add(1001)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if at, ok := told[1001]; !ok || at.Sub(began) > time.Second {
			t.Errorf("behind a transaction that looks for blocks to merge first: told %v after %v", ok, at.Sub(began))
		}
		end()
	})
}

// failing is a store whose transactions fail with an error, if one is set.
type failing struct {
	store.Store
	with atomic.Pointer[error]
}

func (s *failing) Txn(ctx context.Context, t store.Txn) (store.Result, error) {
	if err := s.with.Load(); err != nil {
		return store.Result{}, *err
	}
	return s.Store.Txn(ctx, t)
}

// TestRefusedAfterSilence: a store that was not there for so long that what waited was refused, and
// then says no for certain, is asked again by later requests; and a request behind a transaction of
// open outcome, while the store is full, is answered that it is full.
func TestRefusedAfterSilence(t *testing.T) {
	for _, c := range []struct {
		what          string
		first, second error
		behind        error // what is behind is told
		open          bool  // the outcome of the first stays open while the second error lasts
	}{
		{"away, then no", store.ErrUnavailable, store.ErrTooLarge, store.ErrUnavailable, false},
		{"unknown, then full", store.ErrUnknown, store.ErrFull, store.ErrFull, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			st := &failing{Store: store.NewMemory(nil)}
			j, end := running(t, st)
			told := make(map[uint32]error)
			add := func(n uint32) error {
				return j.Append([]Record{{Number: n, Data: []byte{1}}}, func(_ store.Revision, err error) { told[n] = err })
			}
			st.with.Store(&c.first)
			first := add(1)
			synctest.Wait()
			if second := add(2); first != nil || second != nil {
				t.Fatalf("%s: not taken: %v, %v", c.what, first, second)
			}
			if c.open {
				st.with.Store(&c.second)
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if err, ok := told[2]; !ok || !errors.Is(err, c.behind) {
				t.Errorf("%s: behind it: %v (told %t), want %v", c.what, err, ok, c.behind)
			}
			st.with.Store(&c.second)
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if _, ok := told[1]; ok == c.open {
				t.Errorf("%s: the first is told %t: %v", c.what, ok, told[1])
			}
			st.with.Store(nil)
			time.Sleep(2 * time.Second)
			synctest.Wait()
			err := add(3)
			time.Sleep(time.Second)
			synctest.Wait()
			if last, ok := told[3]; err != nil || last != nil || !ok {
				t.Errorf("%s: when the store takes it again: %v, %v (told %t)", c.what, err, last, ok)
			}
			end()
		})
	}
}
