package journal

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/store"
)

// TestRun: what many append is told in order and durable; what the end finds waiting is committed;
// then nothing is taken.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory(nil)
		j, err := Open(t.Context(), st, Config{Prefix: "x/"})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		st.Inject(func(c store.Call) store.Fault { // each transaction fails a time or two
			if n++; c.Txn != nil && n%3 > 0 {
				return []store.Fault{store.Unavailable, store.UnknownDone, store.UnknownLost, store.UnknownLate}[n%4]
			}
			return store.None
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); j.Run(ctx) }()
		var all sync.WaitGroup
		var mu sync.Mutex
		last := map[int]int{}
		durable := 0
		for w := range 10 {
			all.Go(func() {
				for i := range 50 {
					err := j.Append([]Record{{Number: uint32(w*50 + i), Data: []byte{1}}}, func(_ store.Revision, err error) {
						mu.Lock()
						defer mu.Unlock()
						if last[w] != i {
							t.Errorf("writer %d: %d is told after %d", w, i, last[w])
						}
						last[w] = i + 1
						if err == nil {
							durable++
						}
					})
					if err != nil {
						t.Error(err)
					}
					time.Sleep(time.Millisecond)
				}
			})
		}
		all.Wait()
		cancel()
		<-ended
		for w := range 10 {
			if last[w] != 50 {
				t.Errorf("writer %d was told of %d of 50", w, last[w])
			}
		}
		if err := j.Append(nil, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
		st.Inject(nil)
		again, err := Open(t.Context(), st, Config{Prefix: "x/"})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		if err := again.Load(t.Context(), func(Record) error { found++; return nil }); err != nil ||
			found != durable || durable == 0 {
			t.Errorf("%d durable, %d loaded, %v", durable, found, err)
		}
	})
}

// TestRunMerges: what is dead is cleared away when it is quiet, without anything being appended.
func TestRunMerges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, err := Open(t.Context(), store.NewMemory(nil), Config{Prefix: "x/"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); j.Run(ctx) }()
		for i := range uint32(100) {
			done := make(chan struct{})
			j.Append([]Record{{Number: i % 10, Data: []byte{byte(i)}}, {Number: i % 7, Delete: i > 50}},
				func(store.Revision, error) { close(done) })
			<-done
		}
		time.Sleep(time.Minute)
		if s := j.Stats(); s.Blocks > 2 || s.LiveBytes*2 < s.Bytes {
			t.Errorf("%+v", s)
		}
		cancel()
		<-ended
	})
}
