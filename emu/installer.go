package emu

import (
	"time"

	"github.com/weirnet/weir/emu/profile"
)

// installer applies changes of entries, groups, meters and ports in batches, one after the other.
// The next batch gathers while one is written.
type installer struct {
	profile.Install
	waiting ring[*task]
	writing []*task
	done    time.Duration // when what is being written is in force
}

// install queues a change. The lock is held.
func (b *behaviour) install(t *task, now time.Duration) {
	i := &b.installer
	i.waiting.push(t)
	if len(i.writing) == 0 {
		b.write(max(now, i.done))
	}
}

// write begins a batch at a time. The lock is held, and something waits.
func (b *behaviour) write(begin time.Duration) {
	i := &b.installer
	for n := max(i.Batch, 1); n > 0 && i.waiting.len() > 0; n-- {
		i.writing = append(i.writing, i.waiting.pop())
	}
	took := i.Delay
	if i.PerSecond > 0 {
		took += time.Duration(float64(len(i.writing)) * float64(time.Second) / i.PerSecond)
	}
	i.done = begin + took
	b.later(i.done, took, b.inForce)
}

// inForce applies a batch, and starts the next at the time at which this one was due.
func (b *behaviour) inForce(_ *engine, at time.Duration) {
	sw, i := b.sw, &b.installer
	sw.mu.Lock()
	list := i.writing
	sw.mu.Unlock()
	for _, t := range list {
		t.conn.change(t)
	}
	sw.mu.Lock()
	defer sw.mu.Unlock()
	i.writing = nil
	if i.waiting.len() > 0 {
		b.write(at)
	}
}
