package store

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

// Watch implements Store.
func (m *Memory) Watch(ctx context.Context, span Span, from Revision) (Watcher, error) {
	if err := span.Check(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	if from == 0 {
		from = m.history.rev + 1
	}
	return &memoryWatcher{m: m, span: Span{bytes.Clone(span.From), bytes.Clone(span.To)}, next: from}, nil
}

// memoryWatcher reads the store's list of changes; its only state is its position there.
type memoryWatcher struct {
	m    *Memory
	span Span
	next Revision
	err  error
}

// Next implements Watcher.
func (w *memoryWatcher) Next(ctx context.Context) ([]Event, error) {
	for {
		events, changed, wake, err := w.poll(ctx)
		if len(events) > 0 || err != nil {
			return events, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-changed:
		case <-wake:
		}
	}
}

// poll returns the available changes, or what to wait for: a change, or the end of a lease.
func (w *memoryWatcher) poll(ctx context.Context) ([]Event, <-chan struct{}, <-chan time.Time, error) {
	m := w.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if w.err == nil && m.closed {
		w.err = ErrUnavailable
	}
	if w.err == nil && w.next < m.history.compacted {
		w.err = fmt.Errorf("%w: %d of %d", ErrCompacted, w.next, m.history.compacted)
	}
	if w.err != nil {
		return nil, nil, nil, w.err
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, nil, err
	}
	m.expire()
	var events []Event
	for i := m.history.after(w.next); i < len(m.history.changes); i++ {
		if e := m.history.changes[i]; w.span.Contains(e.Pair.Key) {
			e.Pair.Key, e.Pair.Value = bytes.Clone(e.Pair.Key), bytes.Clone(e.Pair.Value)
			events = append(events, e)
		}
	}
	w.next = max(w.next, m.history.rev+1)
	return events, m.history.changed, m.wake(), nil
}

// Close implements Watcher.
func (w *memoryWatcher) Close() {
	w.m.mu.Lock()
	defer w.m.mu.Unlock()
	if w.err == nil {
		w.err = fmt.Errorf("%w: the watch is closed", ErrUnavailable)
	}
}
