package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/store"
)

// Errors of a journal.
var (
	// ErrOverload: the queue is full. Nothing was accepted.
	ErrOverload = errors.New("too many records wait for the disk")
	// ErrClosed: the journal has ended.
	ErrClosed = errors.New("the journal is closed")
	// ErrDeposed: another writer has taken over the journal, for good.
	ErrDeposed = errors.New("another writer has taken the journal")
)

// MaxAppend is the greatest encoded size of the records of one Append, in bytes: at most ten a
// record and its data.
const MaxAppend = 1 << 20

// Config configures a journal. Zero values are the defaults.
type Config struct {
	Prefix string // of its keys: "intents/"
	// BlockMax is the size up to which several Appends share one block; default 64 KiB.
	// WaitingMax is the size of the queue; default 8 MiB.
	BlockMax, WaitingMax int
	// Answer is how long an Append may wait for a store that does not answer; default 5 s. Before
	// it has passed, records that are in no transaction yet are rejected (store.ErrUnavailable),
	// and so are new ones until the store answers again.
	Answer time.Duration
	// Only are conditions of taking over: where one does not hold, Open and Promote leave the journal to who has it, and return
	// ErrDeposed.
	Only []store.Compare
	// Trouble, if set, is called with the reason when nothing can be committed, and with "" when it
	// can again, on the journal's goroutine.
	Trouble func(reason string)
	Log     *slog.Logger
	Now     func() time.Time // nil: the real clock; used after failures only
}

// Times and amounts.
const (
	defaultBlock   = 64 << 10
	defaultWaiting = 8 << 20
	defaultAnswer  = 5 * time.Second
	retryAfter     = 50 * time.Millisecond // pause after a failed transaction
	fullFor        = time.Second           // how long a full store is not retried for new records
	unreadFor      = 5 * time.Second       // pause of merging after a failed read
	quietFor       = 20 * time.Millisecond // idle time after which blocks are merged without new records
)

// tryLimit returns the timeout of one call of the store: three of them fit into Answer.
func (c *Config) tryLimit() time.Duration { return c.Answer * 3 / 10 }

// giveUpAfter returns how long a transaction may fail, from its first failure on, before the waiting
// records are rejected.
func (c *Config) giveUpAfter() time.Duration { return c.Answer * 2 / 5 }

// Journal is a log of records. Append and Stats are safe for concurrent use; all else is for one
// goroutine.
type Journal struct {
	cfg  Config
	bell loop.Bell // rung when something was appended

	turns atomic.Uint64 // completed rounds of Run

	intake intake

	// Owned by the goroutine that calls Turn.
	place        place
	log          *log
	merger       merger
	row          writerRow
	notTakenOver bool         // the store was full at Open: no transaction of this writer has succeeded yet
	inflight     *inflightTxn // nil without one
	trouble      trouble
	busy         time.Time // time of the last commit of records
}

// Stats are the counters and the contents of a journal.
type Stats struct {
	Live                  int    // numbers
	Blocks                int    // in the store
	Bytes, LiveBytes      int64  // of the records in them; of the live ones
	Commits               uint64 // transactions
	Appended, Merged      uint64 // bytes of records committed; rewritten by merges
	Waiting, WaitingMax   int    // bytes in the queue, and its limit
	Term                  uint64 // of this writer
	Retried               uint64 // retries of transactions
	Refused               uint64 // Appends rejected because the queue was full
	Failed                uint64 // Appends whose done was called with an error
	MergedBlocks, Deleted uint64 // blocks merged into others; deleted
}

func (c *Config) withDefaults() {
	c.BlockMax = cmp.Or(c.BlockMax, defaultBlock)
	c.WaitingMax = cmp.Or(c.WaitingMax, defaultWaiting)
	c.Answer = cmp.Or(c.Answer, defaultAnswer)
	if c.Now == nil {
		c.Now = clock
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// newJournal returns one of whose place nothing is known yet.
func newJournal(st store.Store, cfg Config) *Journal {
	j := &Journal{cfg: cfg, bell: loop.NewBell(), place: place{st, cfg.Prefix, cfg.Only}, log: newLog(),
		intake:  intake{most: cfg.WaitingMax, now: cfg.Now},
		trouble: trouble{report: cfg.Trouble, log: cfg.Log, prefix: cfg.Prefix}}
	j.merger = merger{place: &j.place, log: j.log}
	return j
}

// Open takes over a journal for this writer and fences off the previous one. If the store is full,
// the latter holds from the first successful transaction on.
func Open(ctx context.Context, st store.Store, cfg Config) (*Journal, error) {
	cfg.withDefaults()
	j := newJournal(st, cfg)
	row, done, err := j.place.takeOver(ctx)
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", cfg.Prefix, err)
	}
	j.row, j.notTakenOver = row, !done
	j.publish()
	return j, nil
}

// Append queues records, committed all in one transaction, and calls done then, on the journal's
// goroutine: with the revision at which they are durable, or with the error. It never blocks, and
// retains nothing of recs. If it returns an error, done is not called: ErrOverload, store.ErrFull,
// store.ErrUnavailable, store.ErrTooLarge, ErrClosed, ErrDeposed.
func (j *Journal) Append(recs []Record, done func(rev store.Revision, err error)) error {
	size := 0
	for i := range recs {
		size += recs[i].size()
	}
	if size > MaxAppend {
		return fmt.Errorf("%w: %d bytes of records, and at most %d are taken together", store.ErrTooLarge, size, MaxAppend)
	}
	err := j.intake.add(recs, size, done)
	if err != nil {
		return err
	}
	j.bell.Ring()
	return nil
}

// Pulse requests a turn of Run and returns the number of completed turns: a watchdog sees from it
// whether Run hangs. It never blocks.
func (j *Journal) Pulse() uint64 {
	j.bell.Ring()
	return j.turns.Load()
}

// Stats returns the current statistics.
func (j *Journal) Stats() Stats { return j.intake.statistics() }

// publish has Stats tell of the log as it is.
func (j *Journal) publish() {
	l, term := j.log, j.row.term
	j.intake.count(func(s *Stats) {
		s.Live, s.Blocks, s.Bytes, s.LiveBytes, s.Term = l.numbers.live, l.count, l.size, l.live, term
	})
}
