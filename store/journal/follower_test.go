package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
)

// told is a sink that remembers what a naive reader would.
type told struct {
	twin
	resets int
	fail   error // of the next Take
}

func (s *told) Reset() { *s = told{resets: s.resets + 1, fail: s.fail} }

func (s *told) Take(r Record) error {
	if s.fail != nil {
		return s.fail
	}
	s.apply([]Record{r})
	return nil
}

// byNumber is what lives, in the order of numbers: that in which a follower heard of it is the order of appends too, but
// of records that were withdrawn and came again meanwhile.
func byNumber(list []Record) []Record {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Record) int { return int(a.Number) - int(b.Number) })
	return list
}

// behind reports whether a follower does not know the newest revision.
func behind(t *testing.T, f *Follower, st *store.Memory) bool {
	t.Helper()
	s, err := st.Status(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return !f.known || f.at < s.Revision
}

// sameLog holds what a follower knows to what somebody knows who reads the log anew.
func sameLog(t *testing.T, f *Follower, st store.Store) {
	t.Helper()
	naive := newLog()
	at := place{st, f.cfg.Prefix, nil}
	row, err := at.readRow(t.Context())
	if err != nil || row != f.row {
		t.Fatalf("the row is %+v, %v; known: %+v", row, err, f.row)
	}
	if _, err := naive.index(t.Context(), &at, row.seq); err != nil {
		t.Fatal(err)
	}
	check(t, &Journal{cfg: f.cfg, place: at, log: f.log})
	if naive.size != f.log.size || naive.live != f.log.live || naive.count != f.log.count ||
		naive.numbers.live != f.log.numbers.live || naive.countSmall() != min(f.log.small, smallRun) {
		t.Fatalf("%d bytes, %d live, %d blocks, %d numbers, %d small; known: %d, %d, %d, %d, %d", naive.size, naive.live,
			naive.count, naive.numbers.live, naive.countSmall(), f.log.size, f.log.live, f.log.count,
			f.log.numbers.live, f.log.small)
	}
	for page, p := range naive.numbers.pages {
		for i := range p.places {
			want, n := p.places[i], page<<pageBits|uint32(i)
			if want.slot == 0 {
				continue
			}
			got := f.log.numbers.get(n)
			if got == nil || f.log.blocks[got.slot-1].seq != naive.blocks[want.slot-1].seq || got.at != want.at ||
				got.size != want.size || got.older != want.older {
				t.Fatalf("number %d is at %+v, known: %+v", n, want, got)
			}
		}
	}
	if len(f.slots) != f.log.count {
		t.Fatalf("%d slots of %d blocks", len(f.slots), f.log.count)
	}
	if len(f.log.sparse) > 64+2*f.log.count+runMax*mergesMax {
		t.Fatalf("%d sparse blocks of %d", len(f.log.sparse), f.log.count)
	}
}

// TestFollowers: somebody follows random lives of journals, with faults of the store, history that is forgotten and writers
// in turn; it knows at each revision what one knows who reads all, and becomes the writer with it.
func TestFollowers(t *testing.T) {
	resets, promoted, compared, merged, promotions := 0, 0, 0, uint64(0), 0
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := &history{t: t, rng: rand.New(rand.NewPCG(seed, 2)), st: store.NewMemory(nil), now: time.Unix(1, 0),
				acked: &twin{}}
			faulty := true
			h.st.Inject(func(store.Call) store.Fault {
				if n := h.rng.IntN(100); faulty && n < int(seed%30) {
					if f := store.Fault(1 + n%5); f != store.Full || !h.contest {
						return f
					}
					return store.Unavailable
				}
				return store.None
			})
			cfg := Config{Prefix: "x/", BlockMax: 512, Now: func() time.Time { return h.now }}
			sink := &told{}
			f := NewFollower(h.st, cfg, sink)
			h.promote = func() (*Journal, []Record, error) {
				j, err := f.Promote(context.Background())
				if err != nil {
					return nil, nil, err
				}
				faulty = false
				sameLog(t, &Follower{cfg: f.cfg, log: f.log, row: f.row, slots: f.slots}, h.st)
				faulty = true
				got := sink.live
				promoted++
				if sink.resets > 0 {
					resets += sink.resets - 1
				}
				sink = &told{}
				f = NewFollower(h.st, cfg, sink)
				return j, got, nil
			}
			h.open()
			for range 400 {
				h.step()
				if h.rng.IntN(3) == 0 && behind(t, f, h.st) {
					_ = f.step(context.Background(), true) // an error is one of the store, and it is tried again
				}
				if h.rng.IntN(40) == 0 {
					if s, err := h.st.Status(context.Background()); err == nil {
						_ = h.st.Compact(context.Background(), s.Revision)
					}
				}
				if h.rng.IntN(10) == 0 && !behind(t, f, h.st) {
					faulty = false
					sameLog(t, f, h.st)
					faulty = true
					compared++
				}
			}
			merged += h.j.Stats().MergedBlocks
			promotions += h.promotions
		})
	}
	if promoted < 200 || promotions < 200 || compared < 2000 || merged < 100 || resets < 10 {
		t.Fatalf("%d promoted, %d went on, %d compared, %d merged, %d read again: the histories show little", promoted,
			promotions, compared, merged, resets)
	}
	t.Logf("%d promoted, %d compared, %d merged, %d read again", promoted, compared, merged, resets)
}

// TestPromotedReadsNothing: who has followed becomes the writer without reading a block, and goes on.
func TestPromotedReadsNothing(t *testing.T) {
	s := step(t, store.NewMemory(nil), Config{})
	sink := &told{}
	f := NewFollower(s.st, s.cfg, sink)
	for i := range uint32(100) {
		s.add(Record{Number: i, Data: []byte{byte(i)}})
		if behind(t, f, s.st) {
			if err := f.step(t.Context(), true); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.add(Record{Number: 7, Delete: true}, Record{Number: 8, Data: []byte("last")})
	reads := 0
	s.st.Inject(func(c store.Call) store.Fault {
		if c.Name == "Range" {
			reads++
		}
		return store.None
	})
	j, err := f.Promote(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if reads != 1 { // of the writer's row
		t.Errorf("%d reads", reads)
	}
	if len(sink.live) != 99 || sink.resets != 1 || j.Stats().Live != 99 {
		t.Errorf("%d records live, after %d resets; the journal says %d", len(sink.live), sink.resets, j.Stats().Live)
	}
	s.Journal = j
	s.add(Record{Number: 7, Data: []byte("again")})
	s.rest()
	check(t, j)
	if got := step(t, s.st, Config{}).load(); len(got) == 0 || !bytes.Contains([]byte(got), []byte("7=again")) {
		t.Errorf("%s", got)
	}
}

// TestNotUnderstood: what a sink does not take is an error for who promotes, as it is for who loads.
func TestNotUnderstood(t *testing.T) {
	s := step(t, store.NewMemory(nil), Config{})
	s.add(Record{Number: 1, Data: []byte("x")})
	why := errors.New("what is that")
	f := NewFollower(s.st, s.cfg, &told{fail: why})
	if err := f.step(t.Context(), true); !errors.Is(err, why) || !errors.As(err, new(errSink)) {
		t.Error(err)
	}
	if _, err := f.Promote(t.Context()); !errors.Is(err, why) {
		t.Error(err)
	}
}

// TestLags: a watch that says nothing is not waited for long.
func TestLags(t *testing.T) {
	s := step(t, store.NewMemory(nil), Config{})
	s.add(Record{Number: 1, Data: []byte("x")})
	sink := &told{}
	f := NewFollower(mute{s.st}, Config{Prefix: "x/", Answer: 30 * time.Millisecond}, sink)
	if err := f.step(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	s.add(Record{Number: 2, Data: []byte("y")})
	if _, err := f.Promote(t.Context()); err != nil || len(sink.live) != 2 || sink.resets != 2 {
		t.Errorf("%v, %v after %d resets", err, sink.live, sink.resets)
	}
}

// mute is a store whose watches say nothing.
type mute struct{ store.Store }

func (m mute) Watch(context.Context, store.Span, store.Revision) (store.Watcher, error) {
	return silence{}, nil
}

type silence struct{}

func (silence) Close() {}
func (silence) Next(ctx context.Context) ([]store.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestKept: what is kept is yielded in the order of appends.
func TestKept(t *testing.T) {
	k := &Kept{}
	k.Reset()
	for _, r := range []Record{{Number: 1, Data: []byte("a")}, {Number: 2, Data: []byte("b")}, {Number: 3, Data: []byte("c")},
		{Number: 1, Data: []byte("d")}, {Number: 2, Delete: true}, {Number: 9, Delete: true}} {
		if err := k.Take(r); err != nil {
			t.Fatal(err)
		}
	}
	got := ""
	if err := k.Each(func(r Record) error { got += fmt.Sprintf("%d=%s ", r.Number, r.Data); return nil }); err != nil ||
		got != "3=c 1=d " {
		t.Errorf("%q, %v", got, err)
	}
}

// FuzzFollowed: whatever a watch tells, a follower either refuses it or knows what the store has.
func FuzzFollowed(f *testing.F) {
	f.Add([]byte{1, 0, 3, 0, 7, 1, 2, 3, 9})
	f.Add([]byte{0, 0, 0, 1, 1, 1, 5, 4, 3, 2, 200, 13, 100})
	f.Fuzz(func(t *testing.T, in []byte) {
		st := store.NewMemory(nil)
		next := func() int {
			if len(in) == 0 {
				return 0
			}
			b := in[0]
			in = in[1:]
			return int(b)
		}
		pl := place{st, "x/", nil}
		row := writerRow{}
		sink := &told{}
		fo := NewFollower(st, Config{Prefix: "x/"}, sink)
		if err := fo.step(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		for len(in) > 0 {
			var ops []store.Op
			row.commits++
			if next()%16 == 0 {
				row.commits += uint64(next() % 2)
			}
			done := map[uint64]bool{}
			for range next() % 4 {
				seq := uint64(next() % 8)
				if next()%3 == 0 {
					row.seq++
					seq = row.seq
				}
				if done[seq] {
					continue
				}
				done[seq] = true
				if next()%4 == 0 {
					ops = append(ops, store.Delete(store.Key(string(pl.blockKey(seq)))))
					continue
				}
				b := []byte{blockFormat}
				for range next() % 5 {
					r := Record{Number: uint32(next() % 6), Delete: next()%3 == 0}
					if !r.Delete {
						r.Data = bytes.Repeat([]byte{byte(r.Number)}, next()%3) // a merge does not change what it moves
					}
					b = r.append(b)
				}
				if b = seal(b); next()%30 == 0 {
					b[len(b)-1] ^= 1
				}
				ops = append(ops, store.Put(pl.blockKey(seq), b))
			}
			ops = append(ops, store.Put(pl.writerKey(), row.append()))
			if _, err := st.Txn(t.Context(), store.Txn{Then: ops}); err != nil {
				t.Fatal(err)
			}
			if err := fo.step(t.Context(), true); err != nil {
				return
			}
			if s := fo.row; s.seq != row.seq || s.commits != row.commits {
				t.Fatalf("%+v, want %+v", s, row)
			}
			sameLog(t, fo, st)
			var live []Record
			naive := newLog()
			values, err := naive.index(t.Context(), &pl, row.seq)
			if err != nil {
				t.Fatal(err)
			}
			for slot, v := range values {
				records(v, func(r Record, at, _ int) {
					if !r.Delete && naive.isNewest(uint32(slot), r.Number, at) {
						live = append(live, Record{Number: r.Number, Data: r.Data})
					}
				})
			}
			if !same(byNumber(live), byNumber(sink.live)) {
				t.Fatalf("%v live, told %v", live, sink.live)
			}
		}
	})
}

// BenchmarkPromote is the take-over of a journal of a million records that was followed.
func BenchmarkPromote(b *testing.B) {
	for _, n := range []int{1000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			st := store.NewMemory(nil)
			j, err := Open(b.Context(), st, Config{Prefix: "x/"})
			if err != nil {
				b.Fatal(err)
			}
			data := make([]byte, 80)
			for i := range uint32(n) {
				binary.BigEndian.PutUint32(data, i)
				if err := j.Append([]Record{{Number: i, Data: data}}, func(store.Revision, error) {}); err != nil {
					b.Fatal(err)
				}
				if i%1000 == 999 {
					for j.Waiting() {
						j.Turn(b.Context())
					}
				}
			}
			for b.Loop() {
				b.StopTimer()
				f := NewFollower(st, Config{Prefix: "x/"}, discard{})
				if err := f.step(b.Context(), true); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if _, err := f.Promote(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type discard struct{}

func (discard) Reset()            {}
func (discard) Take(Record) error { return nil }

// TestGaps: what does not follow from what is known is refused, and all is read again.
func TestGaps(t *testing.T) {
	one, two := Record{Number: 1, Data: []byte("a")}, Record{Number: 2, Data: []byte("b")}
	block := func(list ...Record) []byte {
		b := []byte{blockFormat}
		for i := range list {
			b = list[i].append(b)
		}
		return seal(b)
	}
	at := place{nil, "x/", nil}
	second := at.blockKey(2)
	third := writerRow{term: 1, commits: 4, seq: 3}
	fourth := writerRow{term: 1, commits: 4, seq: 4}
	one9 := Record{Number: 9, Data: []byte("z")}
	for name, c := range map[string]struct {
		row writerRow
		ops []store.Op
	}{
		"a transaction is missing": {writerRow{term: 1, commits: 5, seq: 3}, nil},
		"an earlier writer":        {writerRow{term: 0, commits: 4, seq: 3}, nil},
		"a block is missing":       {fourth, nil},
		"a block too many":         {third, []store.Op{store.Put(at.blockKey(4), block(one))}},
		"a block that skips one":   {writerRow{term: 1, commits: 4, seq: 5}, []store.Op{store.Put(at.blockKey(5), block(one))}},
		"the newest is dropped":    {third, []store.Op{store.Delete(store.Key(string(second)))}},
		"a merge without all":      {third, []store.Op{store.Put(second, block(two))}},
		"a merge has one twice":    {third, []store.Op{store.Put(second, block(two, two))}},
		"a merge has another's":    {third, []store.Op{store.Put(second, block(one, two, one9))}},
		"another value":            {third, []store.Op{store.Put(second, block(one, Record{Number: 2}))}},
		"a damaged block":          {fourth, []store.Op{store.Put(at.blockKey(4), []byte{blockFormat, 0, 0, 0, 0, 0})}},
		"a damaged merge":          {third, []store.Op{store.Put(second, nil)}},
		"the writer is gone":       {ops: []store.Op{store.Delete(store.Key(string(at.writerKey())))}},
		"no writer":                {ops: []store.Op{store.Put(at.blockKey(4), block(one))}},
	} {
		s := step(t, store.NewMemory(nil), Config{})
		s.add(Record{Number: 3, Data: []byte("c")}) // commits 2, block 1
		s.add(one, two)
		sink := &told{}
		f := NewFollower(s.st, s.cfg, sink)
		if err := f.step(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		s.add(Record{Number: 3, Delete: true}) // commits 4, block 3
		if err := f.step(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		c.row.commits += f.row.commits - 3 // those of the table are of the third
		ops := c.ops
		if c.row.seq > 0 {
			ops = append(ops, store.Put(at.writerKey(), c.row.append()))
		}
		if _, err := s.st.Txn(t.Context(), store.Txn{Then: ops}); err != nil {
			t.Fatal(err)
		}
		if err := f.step(t.Context(), true); !errors.Is(err, errGap) && !errors.Is(err, ErrDamaged) || f.known {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForgottenHistory: a follower whose watch the store cannot serve any more reads all.
func TestForgottenHistory(t *testing.T) {
	s := step(t, store.NewMemory(nil), Config{})
	s.add(Record{Number: 1, Data: []byte("a")})
	sink := &told{}
	f := NewFollower(s.st, s.cfg, sink)
	if err := f.step(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	s.add(Record{Number: 2, Data: []byte("b")})
	s.add(Record{Number: 3, Data: []byte("c")})
	status, _ := s.st.Status(t.Context())
	if err := s.st.Compact(t.Context(), status.Revision); err != nil {
		t.Fatal(err)
	}
	if err := f.step(t.Context(), true); !errors.Is(err, store.ErrCompacted) {
		t.Error(err)
	}
	if err := f.step(t.Context(), true); err != nil || len(sink.live) != 3 || sink.resets != 2 {
		t.Errorf("%v, %v after %d resets", err, sink.live, sink.resets)
	}
}

// TestBrokenWatch: a watch that ends for another reason costs no reading.
func TestBrokenWatch(t *testing.T) {
	s := step(t, store.NewMemory(nil), Config{})
	s.add(Record{Number: 1, Data: []byte("a")})
	sink := &told{}
	f := NewFollower(s.st, s.cfg, sink)
	for range 3 {
		if err := f.step(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		s.add(Record{Number: 2, Data: []byte("b")})
	}
	f.watch.Close()
	if err := f.step(t.Context(), true); !errors.Is(err, store.ErrUnavailable) {
		t.Error(err)
	}
	if err := f.step(t.Context(), true); err != nil || len(sink.live) != 2 || sink.resets != 1 {
		t.Errorf("%v, %v after %d resets", err, sink.live, sink.resets)
	}
}

// TestLongFollowed: what a follower keeps depends on what there is, and not on what was.
func TestLongFollowed(t *testing.T) {
	s := step(t, store.NewMemory(nil), Config{})
	f := NewFollower(s.st, s.cfg, &told{})
	catchUp := func() {
		for behind(t, f, s.st) {
			if err := f.step(t.Context(), true); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range uint32(3000) {
		s.add(Record{Number: i, Data: make([]byte, 100)})
		s.add(Record{Number: i, Delete: true})
		catchUp()
	}
	s.rest()
	catchUp()
	sameLog(t, f, s.st)
	if n := f.log.count; n > 100 || len(f.log.sparse) > 300 || len(f.log.blocks) > 300 || len(f.puts) > 300 {
		t.Errorf("%d blocks, of them %d sparse, in %d slots of %d", n, len(f.log.sparse), len(f.log.blocks), len(f.puts))
	}
	if j, err := f.Promote(t.Context()); err != nil {
		t.Error(err)
	} else if s.Journal = j; len(j.log.sparse) > 0 {
		s.rest()
		check(t, j)
	}
}

// TestDeposedAtOnce: who promotes, and is replaced before it has caught up, commits nothing.
func TestDeposedAtOnce(t *testing.T) {
	s := step(t, store.NewMemory(nil), Config{})
	s.add(Record{Number: 1, Data: []byte("x")})
	f := NewFollower(s.st, s.cfg, &told{})
	if err := f.step(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	first := true
	var next *stepped
	j, err := func() (*Journal, error) {
		f.place.st = then{s.st, func() {
			if first {
				first = false
				next = step(t, s.st, Config{})
				next.add(Record{Number: 2, Data: []byte("y")})
			}
		}}
		return f.Promote(t.Context())
	}()
	if err != nil {
		t.Fatal(err)
	}
	var told error
	if err := j.Append([]Record{{Number: 3}}, func(_ store.Revision, err error) { told = err }); err != nil {
		t.Fatal(err)
	}
	j.Turn(t.Context())
	if !errors.Is(told, ErrDeposed) {
		t.Error(told)
	}
	next.add(Record{Number: 4, Data: []byte("z")})
}

// then is a store that does something after each transaction.
type then struct {
	store.Store
	do func()
}

func (s then) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	result, err := s.Store.Txn(ctx, txn)
	s.do()
	return result, err
}
