package journal

import (
	"context"
	"errors"
	"testing"

	"github.com/weirnet/weir/store"
)

// TestOnly: a journal is taken over only while the conditions hold, also when it was followed, and while the store is full: who
// is late leaves it to who has it.
func TestOnly(t *testing.T) {
	ctx := context.Background()
	st := store.NewMemory(nil)
	owner := func(name string) []store.Compare {
		return []store.Compare{{Key: []byte("owner"), Field: store.Value, Value: []byte(name)}}
	}
	put := func(name string) {
		if _, err := st.Txn(ctx, store.Txn{Then: []store.Op{store.Put([]byte("owner"), []byte(name))}}); err != nil {
			t.Fatal(err)
		}
	}
	of := func(name string) Config { return Config{Prefix: "x/", Only: owner(name)} }
	put("a")
	late := NewFollower(st, of("a"), &Kept{})
	put("b")
	b, err := Open(ctx, st, of("b"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, ErrDeposed) {
			t.Errorf("%s: %v, want ErrDeposed", what, err)
		}
	}
	_, err = Open(ctx, st, of("a"))
	check("who owns it no more opens it", err)
	_, err = late.Promote(ctx)
	check("who owns it no more has followed it", err)
	full := store.Full
	st.Inject(func(c store.Call) store.Fault {
		if c.Txn != nil && len(c.Txn.Then) > 0 && c.Txn.Then[0].Kind == store.OpPut {
			return full
		}
		return store.None
	})
	_, err = Open(ctx, st, of("a"))
	check("the store is full", err)
	put2, err := Open(ctx, st, of("b"))
	if err != nil {
		t.Fatal(err)
	}
	full = store.None
	put("c")
	told := error(nil)
	if err := put2.Append([]Record{{Number: 1, Data: []byte{1}}}, func(_ store.Revision, err error) { told = err }); err != nil {
		t.Fatal(err)
	}
	put2.Turn(ctx)
	check("the store was full, and there is room, and another owner", told)
	told = errors.New("nothing was told")
	if err := b.Append([]Record{{Number: 1, Data: []byte{1}}}, func(_ store.Revision, err error) { told = err }); err != nil {
		t.Fatal(err)
	}
	if b.Turn(ctx); told != nil {
		t.Errorf("who has the journal cannot write: %v", told)
	}
}
