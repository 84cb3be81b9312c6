package etcd

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Three goroutines for each member that others may join look at its disk, until it is closed: one looks for room, one
// writes and synchronises a file, and one looks whether that takes too long. The last one never waits for the disk.

// tickEvery is how often they look; the second one each probeEvery.
const tickEvery = 50 * time.Millisecond

// probeFile is what is written in the member's directory.
const probeFile = "probe"

// followDisk starts them in a group.
func (s *Store) followDisk(ctx context.Context, all *sync.WaitGroup) {
	m := s.member
	all.Go(func() {
		each(ctx, tickEvery, func(_, _ time.Time) { m.disk.lookAtRoom(roster(m.server)) })
	})
	all.Go(func() { each(ctx, tickEvery, func(now, due time.Time) { m.disk.sync.tick(now, due) }) })
	all.Go(func() { m.disk.probe(ctx) })
}

// each calls a function again and again, and says when that was due.
func each(ctx context.Context, every time.Duration, f func(now, due time.Time)) {
	timer := time.NewTimer(every)
	defer timer.Stop()
	for due := time.Now().Add(every); ; {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		now := time.Now()
		f(now, due)
		timer.Reset(every)
		due = time.Now().Add(every)
	}
}

// probe writes a block, and synchronises it, again and again while there are other members. A disk that is full, or
// that refuses, is not what it looks for.
func (w *diskWatch) probe(ctx context.Context) {
	m := w.m
	f, err := os.OpenFile(filepath.Join(m.cfg.Dir, probeFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		m.cfg.Log.Warn("how long the disk takes is not known", "error", err)
		return
	}
	defer f.Close()
	block := make([]byte, 512)
	each(ctx, probeEvery, func(now, _ time.Time) {
		if isAlone(roster(m.server)) {
			w.sync.forget()
			return
		}
		w.sync.begin(now)
		_, err := f.WriteAt(block, 0)
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			m.cfg.Log.Debug("a probe of the disk", "error", err)
		}
		w.sync.end(time.Now())
	})
}
