package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weirnet/weir/store"
)

func sample(t testing.TB) (*store.Memory, []byte) {
	t.Helper()
	m := store.NewMemory(nil)
	for i := range 30 {
		if _, err := m.Txn(context.Background(),
			store.Txn{Then: []store.Op{store.Put(fmt.Appendf(nil, "k%d", i), bytes.Repeat([]byte{byte(i)}, i))}}); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	if err := m.Snapshot(context.Background(), &file); err != nil {
		t.Fatal(err)
	}
	return m, file.Bytes()
}

// TestBrokenSnapshots flips, cuts and lengthens a snapshot a thousand times: each is refused, and
// nothing is restored of it.
func TestBrokenSnapshots(t *testing.T) {
	_, whole := sample(t)
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 1000 {
		broken := bytes.Clone(whole)
		what := ""
		switch i % 4 {
		case 0, 1:
			at, bit := rng.IntN(len(broken)), byte(1)<<rng.IntN(8)
			broken[at] ^= bit
			what = fmt.Sprintf("byte %d with bit %#x flipped", at, bit)
		case 2:
			n := rng.IntN(len(broken))
			broken = broken[:n]
			what = fmt.Sprintf("cut at %d", n)
		default:
			at, n := rng.IntN(len(broken)+1), 1+rng.IntN(40)
			broken = append(broken[:at:at], append(bytes.Repeat([]byte{byte(rng.Uint32())}, n), whole[at:]...)...)
			what = fmt.Sprintf("%d bytes more at %d", n, at)
		}
		to := store.NewMemory(nil)
		if _, err := store.Restore(context.Background(), to, bytes.NewReader(broken)); !errors.Is(err, store.ErrSnapshot) {
			t.Fatalf("%s: %v", what, err)
		}
		if page, err := to.Range(context.Background(), store.Query{Span: store.Prefix("")}); err != nil ||
			len(page.Pairs) > 0 || page.Revision != 1 {
			t.Fatalf("%s: something was restored: %v, %v", what, page, err)
		}
	}
}

// TestContents: what differs has another sum, and the same pairs have the same, whatever their
// past.
func TestContents(t *testing.T) {
	m, whole := sample(t)
	first, err := store.ReadSnapshot(bytes.NewReader(whole), nil)
	if err != nil || first.Pairs != 30 {
		t.Fatalf("%+v, %v", first, err)
	}
	sum := func(ops ...store.Op) store.Contents {
		t.Helper()
		if _, err := m.Txn(context.Background(), store.Txn{Then: ops}); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := m.Snapshot(context.Background(), &file); err != nil {
			t.Fatal(err)
		}
		c, err := store.ReadSnapshot(&file, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := sum(store.Put([]byte("k0"), nil)); c.Sum != first.Sum || c.Revision == first.Revision {
		t.Errorf("the same pairs: %+v, want the sum of %+v", c, first)
	}
	if c := sum(store.Put([]byte("k0"), []byte{1})); c.Sum == first.Sum {
		t.Error("another value, and the same sum")
	}
}

// FuzzReadSnapshot: whatever is read, it is refused or has the sum at its end, and memory is
// bounded by its length.
func FuzzReadSnapshot(f *testing.F) {
	_, whole := sample(f)
	f.Add(whole)
	f.Add([]byte("weir-snapshot 1\n\x01\x00\x00\x00\x01\x03\xff\xff\xffk"))
	f.Add([]byte("weir-snapshot 1\n\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := int64(0)
		c, err := store.ReadSnapshot(bytes.NewReader(b), func(key, value []byte) error { n++; return nil })
		if err == nil && c.Pairs != n {
			t.Fatalf("%d pairs, and %d were given", c.Pairs, n)
		}
		if err != nil && !errors.Is(err, store.ErrSnapshot) {
			t.Fatal(err)
		}
	})
}
