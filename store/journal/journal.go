package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/store"
)

// What a journal refuses, or ends with.
var (
	// ErrOverload: too much waits to be committed. Nothing was taken.
	ErrOverload = errors.New("too many records wait for the disk")
	// ErrClosed: the journal has ended.
	ErrClosed = errors.New("the journal is closed")
	// ErrDeposed: another writer has taken the journal. It stays so.
	ErrDeposed = errors.New("another writer has taken the journal")
)

// MaxAppend is how many bytes the records of one Append may take, encoded: at most ten a record and its data.
const MaxAppend = 1 << 20

// Config says what a journal is. Zero values are the defaults.
type Config struct {
	Prefix string // of its keys: "intents/"
	// BlockMax is how many bytes of several Appends are brought together in one block; 64 KiB. WaitingMax is how many may wait;
	// 8 MiB.
	BlockMax, WaitingMax int
	// Answer is how long an Append may wait for a store that does not answer; 5 s. Before it is over, what no transaction has taken up yet
	// is refused (store.ErrUnavailable), and so is what is appended until the store answers again.
	Answer time.Duration
	// Trouble, if set, is told why nothing can be committed, and "" when it can again. It is called on the journal's goroutine.
	Trouble func(reason string)
	Log     *slog.Logger
	Now     func() time.Time // nil: the real clock; looked at after failures only
}

// Times and amounts.
const (
	defaultBlock   = 64 << 10
	defaultWaiting = 8 << 20
	defaultAnswer  = 5 * time.Second
	retryAfter     = 50 * time.Millisecond // a transaction that failed
	fullFor        = time.Second           // what is appended is refused without a try
	quietFor       = 20 * time.Millisecond // without a record: then blocks are merged on their own
)

// Journal is a log of records. Append and Stats are for any goroutine; all else is for one.
type Journal struct {
	cfg  Config
	st   store.Store
	wake chan struct{} // one place: something was appended

	turns atomic.Uint64 // that Run has done

	mu        sync.Mutex
	queue     queue
	closed    error
	fullUntil time.Time
	stuck     error // why the store does not say what became of the flight: what is appended is refused with it
	stats     Stats

	// Of the goroutine that turns.
	log     *log
	row     row
	flight  *flight // a transaction whose outcome is not known yet
	credit  int     // bytes that merging may still write beside what is appended
	trouble string
	busy    time.Time // when records were committed last
}

// Stats are what a journal has done, and what it holds.
type Stats struct {
	Live                 int    // numbers
	Blocks               int    // in the store
	Bytes, LiveBytes     int64  // of the records in them; those that live
	Commits              uint64 // transactions that were done
	Appended, Merged     uint64 // bytes of records that were committed; that were written again
	Waiting, WaitingMax  int    // bytes that wait, and how many may
	Term                 uint64 // of this writer
	Retried              uint64 // transactions that were tried again
	Refused              uint64 // Appends: too much waited
	Failed               uint64 // Appends whose done was told an error
	MergedBlocks, Tossed uint64 // blocks that were merged into others, that were deleted
}

// Open takes a journal for this writer: whoever wrote before writes nothing more. If the store is full that is so from the first
// transaction on that is done.
func Open(ctx context.Context, st store.Store, cfg Config) (*Journal, error) {
	if cfg.BlockMax == 0 {
		cfg.BlockMax = defaultBlock
	}
	if cfg.WaitingMax == 0 {
		cfg.WaitingMax = defaultWaiting
	}
	if cfg.Answer == 0 {
		cfg.Answer = defaultAnswer
	}
	if cfg.Now == nil {
		cfg.Now = clock
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	j := &Journal{cfg: cfg, st: st, wake: make(chan struct{}, 1), log: newLog()}
	if err := j.takeOver(ctx); err != nil {
		return nil, fmt.Errorf("journal %s: %w", cfg.Prefix, err)
	}
	j.publish()
	return j, nil
}

// Append has records committed, all of them in one transaction, and done told then, on the journal's goroutine: with the revision
// at which they are durable, or with why they are not. It never blocks, and keeps nothing of recs. An error means that done will
// not be told: ErrOverload, store.ErrFull, store.ErrUnavailable, store.ErrTooLarge, ErrClosed, ErrDeposed.
func (j *Journal) Append(recs []Record, done func(rev store.Revision, err error)) error {
	size := 0
	for i := range recs {
		size += recs[i].size()
	}
	if size > MaxAppend {
		return fmt.Errorf("%w: %d bytes of records, and at most %d are taken together", store.ErrTooLarge, size, MaxAppend)
	}
	j.mu.Lock()
	err := j.admit(size)
	if err == nil {
		q := &j.queue
		q.tidy()
		for i := range recs {
			q.bytes = recs[i].append(q.bytes)
		}
		q.groups = append(q.groups, group{len(q.bytes), done})
	}
	j.mu.Unlock()
	if err != nil {
		return err
	}
	j.ring()
	return nil
}

func (j *Journal) ring() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// Pulse has Run do a turn soon, and returns how many it has done: who asks again and again sees whether it hangs. It never blocks.
func (j *Journal) Pulse() uint64 {
	j.ring()
	return j.turns.Load()
}

// admit says whether so many bytes more may wait. j.mu is held.
func (j *Journal) admit(size int) error {
	switch {
	case j.closed != nil:
		return j.closed
	case !j.fullUntil.IsZero() && j.cfg.Now().Before(j.fullUntil):
		return store.ErrFull
	case j.stuck != nil:
		return j.stuck
	case j.queue.waiting()+size > j.cfg.WaitingMax && j.queue.waiting() > 0:
		j.stats.Refused++
		return fmt.Errorf("%w: %d bytes, and at most %d may", ErrOverload, j.queue.waiting(), j.cfg.WaitingMax)
	}
	return nil
}

// Stats are the newest.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.stats
	s.Waiting, s.WaitingMax = j.queue.waiting(), j.cfg.WaitingMax
	return s
}

// publish has Stats tell what the log is like.
func (j *Journal) publish() {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := &j.stats
	s.Live, s.Blocks, s.Bytes, s.LiveBytes, s.Term = j.log.numbers.live, j.log.count, j.log.size, j.log.live, j.row.term
}
