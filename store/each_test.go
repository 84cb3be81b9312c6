package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
)

// TestEach: whatever is written meanwhile, the pairs are those of one moment, each once, however many are asked for at a time.
func TestEach(t *testing.T) {
	for _, limit := range []int{1, 3, 10, 100} {
		st := store.NewMemory(time.Now)
		put := func(i int, value string) {
			then := []store.Op{store.Put(fmt.Appendf(nil, "k/%02d", i), []byte(value))}
			if _, err := st.Txn(t.Context(), store.Txn{Then: then}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 10 {
			put(i, "old")
		}
		seen := 0
		_, err := store.Each(t.Context(), st, store.Query{Span: store.Prefix("k/"), Limit: limit}, func(p *store.Pair) {
			if want := fmt.Sprintf("k/%02d", seen); string(p.Key) != want || string(p.Value) != "old" {
				t.Errorf("%d at a time: %s is %s, want %s as it was", limit, p.Key, p.Value, want)
			}
			if seen++; seen == 1 {
				put(9, "new")
				put(50, "new")
			}
		})
		if err != nil || seen != 10 {
			t.Errorf("%d at a time: %d pairs, %v", limit, seen, err)
		}
	}
}
