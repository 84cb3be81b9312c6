package table

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/store"
)

const (
	loadPage = 64
	// again is how soon the store is asked again that did not answer.
	again = time.Second
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
	q := store.Query{Span: span, Limit: loadPage}
	var pairs []store.Event
	for more := true; more; {
		page, err := t.cfg.Store.Range(ctx, q)
		if err != nil {
			return 0, fmt.Errorf("reading the tenants in the store: %w", err)
		}
		for _, p := range page.Pairs {
			pairs = append(pairs, store.Event{Pair: p})
		}
		if q.Revision = page.Revision; len(page.Pairs) > 0 {
			q.Span.From = store.After(page.Pairs[len(page.Pairs)-1].Key)
		}
		more = page.More
	}
	t.advance(func(was *state) *state {
		if t.loaded && was.at >= q.Revision {
			return nil
		}
		blank := emptyState()
		for _, e := range pairs { // what is the same need not be read again
			if r := was.rows[string(e.Pair.Key[min(len(prefix), len(e.Pair.Key)):])]; r != nil && r.mod == e.Pair.Mod {
				blank.rows[r.name] = r
			}
		}
		return blank.after(q.Revision, pairs)
	})
	return q.Revision, nil
}

// Run follows the store until the context ends.
func (t *Table) Run(ctx context.Context) {
	for {
		if at, err := t.load(ctx); err == nil {
			t.follow(ctx, at)
		}
		if !beat.Sleep(ctx, again) {
			return
		}
	}
}

// follow applies what changes after a revision, until the watch ends.
func (t *Table) follow(ctx context.Context, after store.Revision) {
	w, err := t.cfg.Store.Watch(ctx, span, after+1)
	if err != nil {
		return
	}
	defer w.Close()
	for {
		events, err := w.Next(ctx)
		if err != nil {
			return
		}
		t.advance(func(was *state) *state { return was.hear(events) })
	}
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
