package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/weirnet/weir/store"
)

// Sink is told what a followed journal holds. It is called by one goroutine at a time.
type Sink interface {
	// Reset says that what was told before does not hold any more: the journal is empty, as far as is known.
	Reset()
	// Take takes the newest record of a number, or its withdrawal, in the order in which they were appended. Data is valid
	// during the call. After an error nothing more is told before a Reset.
	Take(r Record) error
}

// Follower knows what a journal holds while another one writes it: it reads all once, and then what is told of each
// transaction. Promote makes it the writer without reading all again. Run and Promote are called one after the other.
type Follower struct {
	cfg   Config
	place place
	sink  Sink
	begun chan struct{} // closed when all was read once

	watch store.Watcher // nil: there is none now
	known bool          // what follows is as of a revision; else all is to be read
	at    store.Revision
	row   writerRow
	log   *log
	slots map[uint64]uint32 // of the blocks, by their numbers
	puts  [][]uint32        // by slot: the numbers of a block's records, without withdrawals; some may be there twice
}

// NewFollower returns one that knows nothing yet.
func NewFollower(st store.Store, cfg Config, sink Sink) *Follower {
	cfg.withDefaults()
	return &Follower{cfg: cfg, place: place{st, cfg.Prefix, cfg.Only}, sink: sink, log: newLog(), begun: make(chan struct{})}
}

// Known is closed when Run has read all once.
func (f *Follower) Known() <-chan struct{} { return f.begun }

// errSink wraps the error of a sink: the store is well, and what it holds is not understood.
type errSink struct{ error }

func (e errSink) Unwrap() error { return e.error }

// errGap: what is told does not follow from what is known.
var errGap = errors.New("a change of the journal does not follow from what is known of it")

// forget has all be read again.
func (f *Follower) forget() {
	f.unwatch()
	f.known, f.log, f.slots, f.puts = false, newLog(), nil, nil
}

func (f *Follower) unwatch() {
	if f.watch != nil {
		f.watch.Close()
	}
	f.watch = nil
}

// step reads all, or waits until something has changed and takes it. local: what is read may be of an earlier moment.
func (f *Follower) step(ctx context.Context, local bool) (err error) {
	if !f.known {
		return f.load(ctx, local)
	}
	if f.watch == nil {
		if f.watch, err = f.place.st.Watch(ctx, store.Prefix(f.cfg.Prefix), f.at+1); err != nil {
			f.watch = nil
			return f.failed(err)
		}
	}
	events, err := f.watch.Next(ctx)
	switch {
	case err == nil:
		if err = f.take(events); err != nil {
			f.forget()
		}
	case ctx.Err() == nil || !errors.Is(err, ctx.Err()):
		f.unwatch()
		err = f.failed(err)
	}
	return err
}

// failed is why there is no watch. What is known is no use if the store has forgotten what came after it.
func (f *Follower) failed(err error) error {
	if errors.Is(err, store.ErrCompacted) {
		f.forget()
	}
	return fmt.Errorf("journal %s: %w", f.cfg.Prefix, err)
}

// load reads all, as it was at one moment.
func (f *Follower) load(ctx context.Context, local bool) (err error) {
	f.forget()
	f.sink.Reset()
	defer func() {
		if err != nil {
			f.forget()
			err = fmt.Errorf("journal %s: %w", f.cfg.Prefix, err)
		}
	}()
	var pairs []store.Pair
	q := store.Query{Span: store.Prefix(f.cfg.Prefix), Limit: blocksAtOnce, Local: local}
	at, err := store.Each(ctx, f.place.st, q, func(p *store.Pair) { pairs = append(pairs, *p) })
	if err != nil {
		return err
	}
	f.at, f.row, f.slots = at, writerRow{}, make(map[uint64]uint32)
	for i := range pairs {
		if bytes.Equal(pairs[i].Key, f.place.writerKey()) {
			if f.row, err = parseRow(&pairs[i]); err != nil {
				return err
			}
		}
	}
	slotted := make([]*store.Pair, 0, len(pairs))
	for i := range pairs {
		p := &pairs[i]
		if !bytes.HasPrefix(p.Key, []byte(f.cfg.Prefix+"b")) {
			continue
		}
		if err := f.log.indexBlock(p, &f.place, f.row.seq); err != nil {
			return fmt.Errorf("%s: %w", p.Key, err)
		}
		slot := uint32(len(slotted))
		f.slots[f.log.blocks[slot].seq] = slot
		f.setPuts(slot, p.Value)
		slotted = append(slotted, p)
	}
	f.log.small = f.log.countSmall()
	for slot, p := range slotted {
		if err := ctx.Err(); err != nil {
			return err
		}
		var bad error
		records(p.Value, func(r Record, at, _ int) {
			if bad == nil && !r.Delete && f.log.isNewest(uint32(slot), r.Number, at) {
				bad = f.sink.Take(r)
			}
		})
		if bad != nil {
			return errSink{bad}
		}
		*p = store.Pair{}
	}
	f.known = true
	select {
	case <-f.begun:
	default:
		close(f.begun)
	}
	return nil
}

// setPuts notes the records of a block that is whole.
func (f *Follower) setPuts(slot uint32, block []byte) {
	for int(slot) >= len(f.puts) {
		f.puts = append(f.puts, nil)
	}
	n := 0
	records(block, func(r Record, _, _ int) {
		if !r.Delete {
			n++
		}
	})
	list := make([]uint32, 0, n)
	records(block, func(r Record, _, _ int) {
		if !r.Delete {
			list = append(list, r.Number)
		}
	})
	f.puts[slot] = list
}

// take takes the changes of whole revisions.
func (f *Follower) take(events []store.Event) error {
	for len(events) > 0 {
		n, at := 1, events[0].Pair.Mod
		for n < len(events) && events[n].Pair.Mod == at {
			n++
		}
		if at > f.at {
			if err := f.takeRevision(at, events[:n]); err != nil {
				return fmt.Errorf("journal %s at revision %d: %w", f.cfg.Prefix, at, err)
			}
			f.at = at
		}
		events = events[n:]
	}
	return nil
}

// Promote makes this instance the writer, as Open does, with what is known: it catches up with what the one before has
// written. The sink has all of it then. The follower is not used any more after it. If another one has taken the journal
// meanwhile, the first transaction says so (ErrDeposed).
func (f *Follower) Promote(ctx context.Context) (*Journal, error) {
	j := newJournal(f.place.st, f.cfg)
	row, done, err := f.place.takeOver(ctx)
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", f.cfg.Prefix, err)
	}
	for !f.known || f.at < row.mod {
		followed := f.known
		wait, cancel := context.WithTimeout(ctx, f.cfg.tryLimit())
		if !followed {
			wait = ctx
		}
		err := f.step(wait, false)
		cancel()
		switch {
		case err == nil:
		case ctx.Err() != nil || !followed:
			return nil, err
		default: // it lags for longer than reading all takes, or cannot go on
			f.forget()
		}
	}
	j.row, j.notTakenOver, j.log, j.merger.log = row, !done, f.log, f.log
	f.unwatch()
	j.publish()
	return j, nil
}

// seqOf is the number of the block of a key; false if it is none's.
func (p *place) seqOf(key []byte) (seq uint64, is bool) {
	if !bytes.HasPrefix(key, []byte(p.prefix+"b")) {
		return 0, false
	}
	seq, err := strconv.ParseUint(string(key[len(p.prefix)+1:]), 16, 64)
	return seq, err == nil && bytes.Equal(p.blockKey(seq), key)
}
