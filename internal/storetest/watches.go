package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/weirnet/weir/store"
)

// watching is a watch that is read, with what it told.
type watching struct {
	s    *subject
	w    store.Watcher
	told []store.Event
}

func (s *subject) watch(span store.Span, from store.Revision) *watching {
	s.Helper()
	w, err := s.st.Watch(s.ctx, span, from)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(w.Close)
	return &watching{s: s, w: w}
}

// until reads until n changes were told, and wants no more.
func (w *watching) until(n int) string {
	w.s.Helper()
	for len(w.told) < n {
		ctx, cancel := context.WithTimeout(w.s.ctx, patience)
		events, err := w.w.Next(ctx)
		cancel()
		if err != nil {
			w.s.Fatalf("after %d of %d changes: %v", len(w.told), n, err)
		}
		if len(w.told) > 0 && w.told[len(w.told)-1].Pair.Mod >= events[0].Pair.Mod {
			w.s.Errorf("revision %d was told in two parts", events[0].Pair.Mod)
		}
		w.told = append(w.told, events...)
	}
	var out strings.Builder
	for i, e := range w.told {
		if i > 0 && e.Pair.Mod < w.told[i-1].Pair.Mod {
			w.s.Errorf("revision %d after %d", e.Pair.Mod, w.told[i-1].Pair.Mod)
		}
		if e.Deleted {
			fmt.Fprintf(&out, "-%s ", e.Pair.Key)
		} else {
			fmt.Fprintf(&out, "%s=%s ", e.Pair.Key, e.Pair.Value)
		}
	}
	return out.String()
}

func watch(s *subject) {
	s.put("a1", "before")
	w := s.watch(store.Prefix("a"), 0)
	one := s.watch(store.Key("a2"), 0)
	r := s.put("a1", "1")
	s.put("b", "other")
	s.do(store.Txn{Then: []store.Op{store.Put([]byte("a3"), []byte("3")), store.Put([]byte("b"), nil),
		store.Put([]byte("a2"), []byte("2"))}})
	s.delete(store.Prefix(""))
	s.put("a2", "end")
	if got, want := w.until(7), "a1=1 a3=3 a2=2 -a1 -a2 -a3 a2=end "; got != want {
		s.Errorf("told %s, want %s", got, want)
	}
	if p := w.told[0].Pair; p.Mod != r || p.Version != 2 || p.Create >= r {
		s.Errorf("%+v", p)
	}
	if p := w.told[3].Pair; len(p.Value) != 0 || p.Create != 0 || p.Version != 0 || p.Mod != w.told[2].Pair.Mod+1 {
		s.Errorf("a deletion: %+v", p)
	}
	if got, want := one.until(3), "a2=2 -a2 a2=end "; got != want {
		s.Errorf("told %s, want %s", got, want)
	}
}

func watchPast(s *subject) {
	var revs []store.Revision
	var want strings.Builder
	for i := range 300 {
		if i%7 == 6 {
			revs = append(revs, s.delete(store.Key("k")).Revision)
			want.WriteString("-k ")
			continue
		}
		revs = append(revs, s.put("k", fmt.Sprint(i)))
		fmt.Fprintf(&want, "k=%d ", i)
	}
	w := s.watch(store.Key("k"), revs[0])
	if got := w.until(300); got != want.String() {
		s.Errorf("told %s, want %s", got, want.String())
	}
	for i, e := range w.told {
		if e.Pair.Mod != revs[i] {
			s.Errorf("change %d at %d, want %d", i, e.Pair.Mod, revs[i])
		}
	}
	future := s.watch(store.Key("k"), revs[299]+2)
	s.put("k", "left out")
	s.put("k", "in")
	if got := future.until(1); got != "k=in " {
		s.Errorf("from a revision to come: %s", got)
	}
}

func watchCompacted(s *subject) {
	r1 := s.put("k", "1")
	s.put("k", "2")
	r3 := s.put("k", "3")
	if err := s.st.Compact(s.ctx, r3); err != nil {
		s.Fatal(err)
	}
	w := s.watch(store.Key("k"), r1)
	_, err := w.w.Next(s.ctx)
	s.refused("what was compacted", err, store.ErrCompacted)
	if got := s.watch(store.Key("k"), r3).until(1); got != "k=3 " {
		s.Errorf("from the compaction on: %s", got)
	}
	r4 := s.delete(store.Key("k")).Revision
	if err := s.st.Compact(s.ctx, r4); err != nil {
		s.Fatal(err)
	}
	if got := s.watch(store.Key("k"), r4).until(1); got != "-k " {
		s.Errorf("a deletion at the compaction: %s", got)
	}
}

func watchWaits(s *subject) {
	w := s.watch(store.Key("k"), 0)
	ctx, cancel := context.WithTimeout(s.ctx, 20*time.Millisecond)
	defer cancel()
	if events, err := w.w.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		s.Errorf("%v, %v", events, err)
	}
	wait := s.beside(func() { s.put("k", "1") })
	defer wait()
	if got := w.until(1); got != "k=1 " { // the end of a context did not end the watch
		s.Errorf("%s", got)
	}
	w.w.Close()
	if events, err := w.w.Next(s.ctx); err == nil {
		s.Errorf("a closed watch tells %v", events)
	}
}
