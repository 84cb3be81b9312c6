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

// TestSilentStore: a store that stops answering holds up one transaction. What waits behind it is refused within Answer, what comes
// then at once, and both for certain: of three appends the first alone is there when it answers again.
func TestSilentStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &silent{Store: store.NewMemory(nil)}
		j, err := Open(t.Context(), st, Config{Prefix: "x/", Answer: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); j.Run(ctx) }()
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
		cancel()
		<-ended
		if s := j.Stats(); s.Live != 2 || s.Failed != 1 {
			t.Errorf("%+v", s)
		}
	})
}
