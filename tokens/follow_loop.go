package tokens

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/follower"
)

const (
	loadPage = 512
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
	there := make(map[string]bool)
	var changes []change
	at, err := store.Each(ctx, t.cfg.Store, store.Query{Span: store.Prefix(prefix), Limit: loadPage}, func(p *store.Pair) {
		c := changeOf(store.Event{Pair: *p})
		there[c.name] = true
		changes = append(changes, c)
	})
	if err != nil {
		return 0, fmt.Errorf("reading the tokens in the store: %w", err)
	}
	t.mu.Lock()
	for name := range t.byName { // removed while nobody listened
		if !there[name] {
			changes = append(changes, change{name: name, mod: at})
		}
	}
	t.mu.Unlock()
	t.apply(changes)
	t.heard(at)
	return at, nil
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
	follower.Run(ctx, t.cfg.Store, store.Prefix(prefix), t.load, t.hear)
}

// hear takes changes of the store.
func (t *Table) hear(events []store.Event) {
	changes := make([]change, len(events))
	var at store.Revision
	for i, e := range events {
		changes[i] = changeOf(e)
		at = max(at, e.Pair.Mod)
	}
	t.apply(changes)
	t.heard(at)
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
