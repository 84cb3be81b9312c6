package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
)

// twin is the naive journal: a list of what lives, in order.
type twin struct{ live []Record }

func (w *twin) apply(recs []Record) {
	for _, r := range recs {
		for i := range w.live {
			if w.live[i].Number == r.Number {
				w.live = append(w.live[:i], w.live[i+1:]...)
				break
			}
		}
		if !r.Delete {
			w.live = append(w.live, Record{Number: r.Number, Data: bytes.Clone(r.Data)})
		}
	}
}

func (w *twin) clone() *twin { return &twin{append([]Record(nil), w.live...)} }

func same(a, b []Record) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Number != b[i].Number || !bytes.Equal(a[i].Data, b[i].Data) {
			return false
		}
	}
	return true
}

// history is a random life of journals over one store.
type history struct {
	t       *testing.T
	rng     *rand.Rand
	st      *store.Memory
	now     time.Time
	j       *Journal
	again   time.Time
	acked   *twin
	pending [][]Record // appended, not told yet, in order
	old     []*Journal // that were replaced
	contest bool       // one opens while those before go on
	failed  int
	done    int
	// promote, if set, makes a journal of what was followed, with what it has told.
	promote    func() (*Journal, []Record, error)
	promotions int
}

func (h *history) open() {
	h.t.Helper()
	for {
		if h.promote != nil && h.rng.IntN(2) == 0 {
			j, got, err := h.promote()
			if errors.Is(err, store.ErrUnavailable) {
				continue
			} else if err != nil {
				h.t.Fatal(err)
			}
			h.settle(got)
			h.j, h.again = j, time.Time{}
			h.promotions++
			return
		}
		j, err := Open(context.Background(), h.st, Config{Prefix: "x/", BlockMax: 512, Now: func() time.Time { return h.now }})
		if errors.Is(err, store.ErrUnavailable) {
			continue
		} else if err != nil {
			h.t.Fatal(err)
		}
		var got []Record
		err = j.Load(context.Background(), func(r Record) error {
			got = append(got, Record{Number: r.Number, Data: bytes.Clone(r.Data)})
			return nil
		})
		if errors.Is(err, store.ErrUnavailable) {
			continue
		} else if err != nil {
			h.t.Fatal(err)
		}
		h.settle(got)
		h.j, h.again = j, time.Time{}
		return
	}
}

// settle finds which of what was pending was kept: a beginning of it.
func (h *history) settle(got []Record) {
	h.t.Helper()
	want := h.acked.clone()
	for n := 0; ; n++ {
		if same(want.live, got) {
			h.acked, h.pending = want, nil
			return
		}
		if n == len(h.pending) {
			h.t.Fatalf("loaded %v; acknowledged %v, pending %v", got, h.acked.live, h.pending)
		}
		want.apply(h.pending[n])
	}
}

func (h *history) append() {
	recs := make([]Record, h.rng.IntN(6))
	for i := range recs {
		recs[i].Number = uint32(h.rng.IntN(60)) * 37
		if recs[i].Delete = h.rng.IntN(2) == 0; !recs[i].Delete {
			recs[i].Data = make([]byte, h.rng.IntN(120))
			for k := range recs[i].Data {
				recs[i].Data[k] = byte(h.rng.Uint32())
			}
		}
	}
	j := h.j
	err := j.Append(recs, func(rev store.Revision, err error) {
		if j != h.j {
			if err == nil {
				h.t.Fatalf("a writer that was replaced acknowledged at %d", rev)
			}
			return
		}
		if err != nil { // nothing of it was kept
			h.failed++
			h.pending = h.pending[1:]
			return
		}
		h.done++
		h.acked.apply(h.pending[0])
		h.pending = h.pending[1:]
	})
	if err == nil {
		h.pending = append(h.pending, recs)
	} else if !errors.Is(err, store.ErrFull) {
		h.t.Fatal(err)
	}
}

func (h *history) step() {
	h.now = h.now.Add(time.Duration(h.rng.IntN(30)) * time.Millisecond)
	switch n := h.rng.IntN(100); {
	case n < 50:
		h.append()
	case n < 97:
		if h.j.Waiting() || !h.again.IsZero() && !h.now.Before(h.again) {
			h.again = h.j.Turn(context.Background())
			check(h.t, h.j)
		}
	case n < 98 && len(h.old) > 0:
		h.old[h.rng.IntN(len(h.old))].Turn(context.Background())
	default:
		h.old = append(h.old, h.j)
		h.j = nil
		if h.contest = h.rng.IntN(2) == 0; !h.contest {
			h.st.Settle()
			h.old = nil
		}
		h.open()
		h.contest = false
	}
}

// check holds what a journal knows of its log to what the store holds, if nothing is in flight.
func check(t *testing.T, j *Journal) {
	t.Helper()
	if j.inflight != nil || j.intake.closed != nil {
		return
	}
	page, err := j.place.st.Range(context.Background(), store.Query{Span: store.Prefix(j.cfg.Prefix + "b")})
	if err != nil {
		return
	}
	if len(page.Pairs) != j.log.count {
		t.Fatalf("%d blocks, and %d are known", len(page.Pairs), j.log.count)
	}
	at, size, live := j.log.first, int64(0), int64(0)
	ghosts := map[uint32]uint32{}
	for _, p := range page.Pairs {
		b := &j.log.blocks[at-1]
		if string(j.place.blockKey(b.seq)) != string(p.Key) || b.mod != p.Mod || b.size != len(p.Value)-blockHead-blockTail {
			t.Fatalf("block %q at %d of %d bytes; known: %+v", p.Key, p.Mod, len(p.Value), *b)
		}
		here := 0
		if err := walk(p.Value, func(r Record, off, n int) {
			switch {
			case j.log.isNewest(at-1, r.Number, off):
				here += n
			case !r.Delete:
				ghosts[r.Number]++
			}
		}); err != nil {
			t.Fatal(err)
		}
		if here != b.live {
			t.Fatalf("block %q: %d bytes live, and %d are known", p.Key, here, b.live)
		}
		size, live = size+int64(b.size), live+int64(b.live)
		at = b.next
	}
	if size != j.log.size || live != j.log.live {
		t.Fatalf("%d bytes, %d alive; known: %d, %d", size, live, j.log.size, j.log.live)
	}
	for n, p := range j.log.numbers.pages {
		for i := range p.places {
			if e := p.places[i]; e.slot != 0 && e.older>>1 != ghosts[n<<pageBits|uint32(i)] {
				t.Fatalf("number %d has %d ghosts, and %d are known", n<<pageBits|uint32(i),
					ghosts[n<<pageBits|uint32(i)], e.older>>1)
			}
		}
	}
}

// TestHistories runs random lives of journals, with faults of the store and crashes, against the
// naive twin.
func TestHistories(t *testing.T) {
	retried, merged, tossed, failed, done := uint64(0), uint64(0), uint64(0), 0, 0
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := &history{t: t, rng: rand.New(rand.NewPCG(seed, 1)), st: store.NewMemory(nil), now: time.Unix(1, 0),
				acked: &twin{}}
			h.st.Inject(func(store.Call) store.Fault {
				if n := h.rng.IntN(100); n < int(seed%40) {
					// a writer is replaced by the first transaction that is done
					if f := store.Fault(1 + n%5); f != store.Full || !h.contest {
						return f
					}
					return store.Unavailable
				}
				return store.None
			})
			h.open()
			for range 400 {
				h.step()
			}
			s := h.j.Stats()
			retried, merged, tossed = retried+s.Retried, merged+s.MergedBlocks, tossed+s.Deleted
			failed, done = failed+h.failed, done+h.done
			h.st.Inject(nil)
			h.st.Settle()
			h.j = nil
			h.open()
		})
	}
	if retried < 100 || merged < 100 || tossed < 10 || failed < 100 || done < 1000 {
		t.Fatalf("%d retried, %d merged, %d tossed, %d failed, %d done: the histories show little", retried, merged,
			tossed, failed, done)
	}
	t.Logf("%d retried, %d merged, %d tossed, %d failed, %d done", retried, merged, tossed, failed, done)
}
