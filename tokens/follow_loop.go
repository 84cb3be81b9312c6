package tokens

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/store"
)

const (
	loadPage = 512
	// again is how soon the store is asked again that did not answer.
	again = time.Second
	// clockCheck is how often at least it is looked whether the time of a token is over: the clock
	// may be set.
	clockCheck = time.Minute
)

// Load reads the table from the store.
func (t *Table) Load(ctx context.Context) error {
	_, err := t.load(ctx)
	return err
}

// load returns the revision that it has read.
func (t *Table) load(ctx context.Context) (store.Revision, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*t.cfg.Answer)
	defer cancel()
	q := store.Query{Span: store.Prefix(prefix), Limit: loadPage}
	there := make(map[string]bool)
	var changes []change
	for more := true; more; {
		page, err := t.cfg.Store.Range(ctx, q)
		if err != nil {
			return 0, fmt.Errorf("reading the tokens in the store: %w", err)
		}
		for _, p := range page.Pairs {
			c := changeOf(store.Event{Pair: p})
			there[c.name] = true
			changes = append(changes, c)
		}
		if q.Revision = page.Revision; len(page.Pairs) > 0 {
			q.Span.From = store.After(page.Pairs[len(page.Pairs)-1].Key)
		}
		more = page.More
	}
	t.mu.Lock()
	for name := range t.byName { // removed while nobody listened
		if !there[name] {
			changes = append(changes, change{name: name, mod: q.Revision})
		}
	}
	t.mu.Unlock()
	t.apply(changes)
	t.heard(q.Revision)
	return q.Revision, nil
}

func changeOf(e store.Event) change {
	c := change{name: strings.TrimPrefix(string(e.Pair.Key), prefix), mod: e.Pair.Mod}
	if !e.Deleted {
		c.value = append([]byte{}, e.Pair.Value...)
	}
	return c
}

// Run follows the store, and ends tokens when their time is over, until the context ends.
func (t *Table) Run(ctx context.Context) {
	var expiring sync.WaitGroup
	expiring.Go(func() { t.expire(ctx) })
	defer expiring.Wait()
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
	w, err := t.cfg.Store.Watch(ctx, store.Prefix(prefix), after+1)
	if err != nil {
		return
	}
	defer w.Close()
	for {
		events, err := w.Next(ctx)
		if err != nil {
			return
		}
		changes := make([]change, len(events))
		for i, e := range events {
			changes[i] = changeOf(e)
			after = max(after, e.Pair.Mod)
		}
		t.apply(changes)
		t.heard(after)
	}
}

// expire ends tokens when their time is over. It is never woken where none has a time.
func (t *Table) expire(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-t.sooner:
		case <-ctx.Done():
			return
		}
		now := t.cfg.Now()
		if next := t.Expire(now); next.IsZero() {
			timer.Stop()
		} else {
			timer.Reset(min(next.Sub(now), clockCheck))
		}
	}
}
