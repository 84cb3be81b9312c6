package table

import (
	"context"
	"fmt"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/follower"
)

const (
	loadPage = 64
)

// span is that of all keys of the table: '0' comes after '/'.
var span = store.Span{From: []byte(numbersKey), To: []byte("tenants0")}

// Load reads the table from the store.
func (t *Table) Load(ctx context.Context) error {
	_, err := t.load(ctx)
	return err
}

// load returns the revision that it has read.
func (t *Table) load(ctx context.Context) (store.Revision, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*t.cfg.Answer)
	defer cancel()
	var pairs []store.Event
	at, err := store.Each(ctx, t.cfg.Store, store.Query{Span: span, Limit: loadPage}, func(p *store.Pair) {
		pairs = append(pairs, store.Event{Pair: *p})
	})
	if err != nil {
		return 0, fmt.Errorf("reading the tenants in the store: %w", err)
	}
	t.advance(func(was *state) *state {
		if t.loaded && was.at >= at {
			return nil
		}
		blank := emptyState()
		for _, e := range pairs { // what is the same need not be read again
			if r := was.rows[string(e.Pair.Key[min(len(prefix), len(e.Pair.Key)):])]; r != nil && r.mod == e.Pair.Mod {
				blank.rows[r.name] = r
			}
		}
		return blank.after(at, pairs)
	})
	return at, nil
}

// Run follows the store until the context ends.
func (t *Table) Run(ctx context.Context) {
	follower.Run(ctx, t.cfg.Store, span, t.load, func(events []store.Event) {
		t.advance(func(was *state) *state { return was.hear(events) })
	})
}

// hear returns the state after events of whole revisions; nil: it has them already.
func (s *state) hear(events []store.Event) *state {
	at := s.at
	var fresh []store.Event
	for _, e := range events {
		if e.Pair.Mod > s.at {
			fresh = append(fresh, e)
			at = max(at, e.Pair.Mod)
		}
	}
	if fresh == nil {
		return nil
	}
	return s.after(at, fresh)
}
