package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/weirnet/weir/store"
)

// naive is the store without anything clever: a copy of all keys for each revision.
type naive struct {
	at   map[store.Revision]map[string]string
	rev  store.Revision
	told []string // all changes, in order
}

func (n *naive) text(rev store.Revision) string {
	var out strings.Builder
	for _, k := range slices.Sorted(maps.Keys(n.at[rev])) {
		out.WriteString(k + "=" + n.at[rev][k] + " ")
	}
	return out.String()
}

// do does a transaction without conditions.
func (n *naive) do(ops []store.Op, rev store.Revision) {
	next := map[string]string{}
	maps.Copy(next, n.at[n.rev])
	for _, op := range ops {
		if op.Kind == store.OpPut {
			next[string(op.Key)] = string(op.Value)
			n.told = append(n.told, fmt.Sprintf("%s=%s ", op.Key, op.Value))
			continue
		}
		for _, k := range slices.Sorted(maps.Keys(next)) {
			if op.Span.Contains([]byte(k)) {
				delete(next, k)
				n.told = append(n.told, "-"+k+" ")
			}
		}
	}
	n.at[rev] = next
	n.rev = rev
}

// histories does random transactions and compares everything with the naive store: each revision,
// and the watch.
func histories(s *subject) {
	rng := rand.New(rand.NewPCG(1, 2))
	start := s.put("start", "")
	n := &naive{at: map[store.Revision]map[string]string{start: {"start": ""}}, rev: start}
	w := s.watch(store.Prefix(""), start+1)
	for range 200 {
		ops := randomOps(rng)
		r := s.do(store.Txn{Then: ops})
		before := len(n.told)
		n.do(ops, r.Revision)
		if changed := len(n.told) > before; changed != (r.Revision == start+1) || !changed && r.Revision != start {
			s.Fatalf("revision %d after %d; changed: %v", r.Revision, start, changed)
		}
		start = r.Revision
	}
	for rev := range n.at {
		if got, want := keys(s.at(store.Prefix(""), rev)), n.text(rev); got != want {
			s.Fatalf("at %d: %s, want %s", rev, got, want)
		}
	}
	if got, want := w.until(len(n.told)), strings.Join(n.told, ""); got != want {
		s.Errorf("told %s\nwant %s", got, want)
	}
}

func randomOps(rng *rand.Rand) (ops []store.Op) {
	used := map[string]bool{}
	for range 1 + rng.IntN(4) {
		key := fmt.Sprintf("%c%c", 'a'+rng.IntN(3), 'a'+rng.IntN(3))
		if used[key] {
			continue
		}
		used[key] = true
		if rng.IntN(3) > 0 {
			ops = append(ops, store.Put([]byte(key), fmt.Append(nil, rng.IntN(1000))))
		} else {
			ops = append(ops, store.Delete(store.Key(key)))
		}
	}
	if rng.IntN(10) == 0 {
		ops = []store.Op{store.Delete(store.Prefix(string(rune('a' + rng.IntN(3)))))}
	}
	return ops
}

func snapshot(s *subject) {
	for i := range 500 {
		s.put(fmt.Sprintf("k%03d", i), string(bytes.Repeat([]byte{byte(i)}, i)))
	}
	s.delete(store.Span{From: []byte("k100"), To: []byte("k200")})
	id, err := s.st.Grant(s.ctx, 1e12)
	if err != nil {
		s.Fatal(err)
	}
	s.do(store.Txn{Then: []store.Op{{Kind: store.OpPut, Key: []byte("leased"), Lease: id}}})
	var file bytes.Buffer
	if err := s.st.Snapshot(s.ctx, &file); err != nil {
		s.Fatal(err)
	}
	contents, err := store.ReadSnapshot(bytes.NewReader(file.Bytes()), nil)
	if err != nil || contents.Pairs != 400 {
		s.Fatalf("%+v, %v", contents, err)
	}
	to := &subject{s.T, s.ctx, s.open(s.T), s.open}
	if _, err := store.Restore(s.ctx, to.st, bytes.NewReader(file.Bytes())); err != nil {
		s.Fatal(err)
	}
	s.delete(store.Key("leased"))
	if got, want := keys(to.get(store.Prefix(""))), keys(s.get(store.Prefix(""))); got != want {
		s.Errorf("restored %s\nwant %s", got, want)
	}
	var again bytes.Buffer
	if err := to.st.Snapshot(s.ctx, &again); err != nil {
		s.Fatal(err)
	}
	if c, err := store.ReadSnapshot(&again, nil); err != nil || c.Sum != contents.Sum {
		s.Errorf("the sum of what was restored is another: %+v, %v", c, err)
	}
	_, err = store.Restore(s.ctx, to.st, bytes.NewReader(file.Bytes()))
	s.refused("restored into a store that is not empty", err, store.ErrInvalid)
}

// firstWrite calls first at its first write.
type firstWrite struct {
	bytes.Buffer
	first func()
}

func (w *firstWrite) Write(b []byte) (int, error) {
	if w.first != nil {
		w.first()
		w.first = nil
	}
	return w.Buffer.Write(b)
}

// snapshotHeld compacts while a snapshot is being written.
func snapshotHeld(s *subject) {
	for i := range 600 {
		s.put(fmt.Sprintf("k%03d", i), string(make([]byte, 1000)))
	}
	out := &firstWrite{first: func() {
		rev := s.delete(store.Prefix("k")).Revision
		if err := s.st.Compact(s.ctx, rev); err != nil {
			s.Errorf("compaction: %v", err)
		}
	}}
	if err := s.st.Snapshot(s.ctx, out); err != nil {
		s.Fatal(err)
	}
	if c, err := store.ReadSnapshot(&out.Buffer, nil); err != nil || c.Pairs != 600 {
		s.Errorf("%+v, %v", c, err)
	}
	if err := s.st.Compact(s.ctx, s.put("x", "")); err != nil {
		s.Error(err)
	}
}

func contexts(s *subject) {
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	if _, err := s.st.Txn(ctx, store.Txn{Then: []store.Op{store.Put([]byte("k"), nil)}}); err == nil {
		s.Error("a transaction without time was done")
	} else if !errors.Is(err, store.ErrUnavailable) {
		s.Errorf("%v, want that nothing was done", err)
	}
	_, err := s.st.Range(ctx, store.Query{Span: store.Key("k")})
	s.refused("a range", err, store.ErrUnavailable)
	if got := s.get(store.Key("k")); len(got) != 0 {
		s.Errorf("%v", got)
	}
}

func status(s *subject) {
	rev := s.put("k", string(make([]byte, 100_000)))
	now, err := s.st.Status(s.ctx)
	if err != nil || now.Revision != rev || !now.Leader || now.Full != "" || now.Size < 0 || now.InUse > now.Size {
		s.Errorf("%+v, %v; revision %d", now, err, rev)
	}
}

func closed(s *subject) {
	s.put("k", "v")
	w := s.watch(store.Key("k"), 0)
	if err := s.st.Close(); err != nil {
		s.Fatal(err)
	}
	if _, err := w.w.Next(s.ctx); err == nil {
		s.Error("a watch of a closed store tells something")
	}
	_, err := s.st.Txn(s.ctx, store.Txn{Then: []store.Op{store.Put([]byte("k"), nil)}})
	s.refused("a transaction", err, store.ErrUnavailable)
	_, err = s.st.Range(s.ctx, store.Query{Span: store.Key("k")})
	s.refused("a range", err, store.ErrUnavailable)
	_, err = s.st.Status(s.ctx)
	s.refused("the status", err, store.ErrUnavailable)
	if err := s.st.Close(); err != nil {
		s.Errorf("closed twice: %v", err)
	}
}
