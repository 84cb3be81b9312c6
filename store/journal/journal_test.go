package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
)

// stepped is a journal over memory that a test turns, with a clock that stands.
type stepped struct {
	*Journal
	t   *testing.T
	st  *store.Memory
	now time.Time
}

func step(t *testing.T, st *store.Memory, cfg Config) *stepped {
	t.Helper()
	s := &stepped{t: t, st: st, now: time.Unix(1, 0)}
	cfg.Prefix, cfg.Now = "x/", func() time.Time { return s.now }
	var err error
	if s.Journal, err = Open(t.Context(), st, cfg); err != nil {
		t.Fatal(err)
	}
	return s
}

// add appends records and turns until they are durable.
func (s *stepped) add(recs ...Record) {
	s.t.Helper()
	done := false
	if err := s.Append(recs, func(_ store.Revision, err error) {
		if done = true; err != nil {
			s.t.Error(err)
		}
	}); err != nil {
		s.t.Fatal(err)
	}
	for !done {
		s.Turn(s.t.Context())
	}
}

// rest turns as long as something is to be merged.
func (s *stepped) rest() {
	s.t.Helper()
	for range 1000 {
		at := s.Turn(s.t.Context())
		if at.IsZero() {
			return
		}
		s.now = at
	}
	s.t.Fatal("it never rests")
}

func (s *stepped) load() (out string) {
	s.t.Helper()
	if err := s.Load(s.t.Context(),
		func(r Record) error { out += fmt.Sprintf("%d=%s ", r.Number, r.Data); return nil }); err != nil {
		s.t.Fatal(err)
	}
	return out
}

// TestLoneRecords: records that come one by one end in few blocks, and are not written again often.
func TestLoneRecords(t *testing.T) {
	s := step(t, store.NewMemory(nil), Config{})
	for i := range uint32(3000) {
		s.add(Record{Number: i, Data: bytes.Repeat([]byte{1}, 80)})
		check(t, s.Journal)
	}
	s.rest()
	now := s.Stats()
	if now.Blocks > 150 || now.Live != 3000 || now.Merged > 2*now.Appended {
		t.Errorf("%+v", now)
	}
}

// TestChurn: with any records withdrawn again, what is written stays below three times what is
// appended, and the log below about two times what is alive.
func TestChurn(t *testing.T) {
	s := step(t, store.NewMemory(nil), Config{})
	rng := rand.New(rand.NewPCG(9, 9))
	var live []uint32
	next := uint32(0)
	for range 2000 {
		var recs []Record
		for range 100 {
			recs = append(recs, Record{Number: next, Data: make([]byte, 80)})
			live = append(live, next)
			next++
			if len(live) > 20_000 {
				k := rng.IntN(len(live))
				recs = append(recs, Record{Number: live[k], Delete: true})
				live[k] = live[len(live)-1]
				live = live[:len(live)-1]
			}
		}
		s.add(recs...)
	}
	now := s.Stats()
	if written := now.Appended + now.Merged; written > 3*now.Appended || now.Merged == 0 {
		t.Errorf("%d bytes appended, %d written again", now.Appended, now.Merged)
	}
	if now.Bytes > 3*now.LiveBytes || now.Live != len(live) {
		t.Errorf("%+v", now)
	}
	for _, n := range live {
		s.add(Record{Number: n, Delete: true})
	}
	s.rest()
	if now := s.Stats(); now.Blocks != 0 || now.Bytes != 0 || len(s.log.numbers.pages) != 0 {
		t.Errorf("all are withdrawn: %+v, %d pages", now, len(s.log.numbers.pages))
	}
	check(t, s.Journal)
}

// TestLimits: what is too much is refused, and nothing of it is kept.
func TestLimits(t *testing.T) {
	s := step(t, store.NewMemory(nil), Config{WaitingMax: 1000})
	told := func(store.Revision, error) { t.Error("told of what was refused") }
	if err := s.Append([]Record{{Data: make([]byte, MaxAppend)}}, told); !errors.Is(err, store.ErrTooLarge) {
		t.Error(err)
	}
	n := 0
	count := func(_ store.Revision, err error) {
		if n++; err != nil {
			t.Error(err)
		}
	}
	if err := s.Append([]Record{{Number: 1, Data: make([]byte, MaxAppend-100)}}, count); err != nil { // alone it may be long
		t.Error(err)
	}
	if err := s.Append([]Record{{Number: 2}}, told); !errors.Is(err, ErrOverload) || s.Stats().Refused != 1 {
		t.Errorf("%v, %+v", err, s.Stats())
	}
	s.Turn(t.Context())
	for i := range uint32(20) {
		if err := s.Append([]Record{{Number: i}}, count); err != nil {
			t.Error(err)
		}
	}
	if !s.Waiting() {
		t.Error("nothing waits")
	}
	s.Turn(t.Context())
	if n != 21 || s.Waiting() || s.Stats().Commits != 2 {
		t.Errorf("%d told, %+v", n, s.Stats())
	}
	if err := s.Append(nil, count); err != nil {
		t.Error(err)
	}
	s.rest()
	if n != 22 {
		t.Error("an empty Append is not told")
	}
}

// TestFull: what waits is told that the store is full; what comes is refused for a second without a
// try; then it goes on. A journal is opened and loaded of a store that is full.
func TestFull(t *testing.T) {
	st := store.NewMemory(nil)
	s := step(t, st, Config{BlockMax: 10})
	trouble := ""
	s.trouble.report = func(reason string) { trouble = reason }
	s.add(Record{Number: 1, Data: []byte("one")})
	full := func(c store.Call) store.Fault {
		if c.Txn != nil {
			return store.Full
		}
		return store.None
	}
	st.Inject(full)
	failed := 0
	for i := range uint32(3) {
		if err := s.Append([]Record{{Number: i, Data: make([]byte, 20)}}, func(_ store.Revision, err error) {
			if failed++; !errors.Is(err, store.ErrFull) {
				t.Error(err)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	s.Turn(t.Context())
	if failed != 3 || !strings.Contains(trouble, "full") {
		t.Errorf("%d failed, %q", failed, trouble)
	}
	if err := s.Append([]Record{{Number: 9}}, nil); !errors.Is(err, store.ErrFull) {
		t.Error(err)
	}
	again := step(t, st, Config{})
	if got := again.load(); got != "1=one " {
		t.Errorf("loaded %s", got)
	}
	st.Inject(nil)
	again.add(Record{Number: 2, Data: []byte("two")})
	s.now = s.now.Add(fullFor)
	var err error
	if e := s.Append([]Record{{Number: 3}}, func(_ store.Revision, e error) { err = e }); e != nil {
		t.Fatal(e)
	}
	s.Turn(t.Context())
	if !errors.Is(err, ErrDeposed) || !errors.Is(s.Append(nil, nil), ErrDeposed) {
		t.Errorf("a writer that was replaced: %v", err)
	}
	third := step(t, st, Config{})
	if got := third.load(); got != "1=one 2=two " {
		t.Errorf("loaded %s", got)
	}
}

// TestDamagedBlock: a block that is not what the journal wrote is found when it is loaded, and
// named. The store is in memory: files that are damaged are store/etcd's tests.
func TestDamagedBlock(t *testing.T) {
	st := store.NewMemory(nil)
	s := step(t, st, Config{})
	s.add(Record{Number: 1, Data: []byte("one")})
	page, err := st.Range(t.Context(), store.Query{Span: store.Prefix("x/b")})
	if err != nil || len(page.Pairs) != 1 {
		t.Fatalf("%v, %v", page, err)
	}
	p := page.Pairs[0]
	p.Value[3] ^= 1
	if _, err := st.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put(p.Key, p.Value)}}); err != nil {
		t.Fatal(err)
	}
	err = step(t, st, Config{}).Load(t.Context(), func(Record) error { t.Error("a record"); return nil })
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), string(p.Key)) {
		t.Errorf("%v", err)
	}
	if _, err := st.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put([]byte("x/writer"), []byte("?"))}}); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), st, Config{Prefix: "x/"}); !errors.Is(err, ErrDamaged) {
		t.Errorf("%v", err)
	}
}

// TestAppendAllocates nothing but what the queue grows by.
func TestAppendAllocates(t *testing.T) {
	s := step(t, store.NewMemory(nil), Config{})
	recs := []Record{{Number: 1, Data: make([]byte, 80)}, {Number: 2, Delete: true}}
	done := func(store.Revision, error) {}
	for range 1000 {
		if err := s.Append(recs, done); err != nil {
			t.Fatal(err)
		}
	}
	for s.Waiting() {
		s.Turn(context.Background())
	}
	if n := testing.AllocsPerRun(500, func() { s.Append(recs, done) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestAnEndWhileItLoads: loading ends with its context, after the block that it is at: of less than
// a hundred records here.
func TestAnEndWhileItLoads(t *testing.T) {
	st := store.NewMemory(nil)
	s := step(t, st, Config{BlockMax: 300})
	for i := range uint32(400) {
		s.add(Record{Number: i, Data: make([]byte, 80)})
	}
	s.rest()
	for _, at := range []int{1, 100, 300} {
		ctx, end := context.WithCancel(t.Context())
		n := 0
		err := step(t, st, Config{BlockMax: 300}).Load(ctx, func(Record) error {
			if n++; n == at {
				end()
			}
			return nil
		})
		end()
		if !errors.Is(err, context.Canceled) || n > at+100 {
			t.Errorf("ended at record %d: %d were given, %v", at, n, err)
		}
	}
}
