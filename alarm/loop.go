package alarm

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/netview"
)

// Board takes alarms from everybody and writes them into the view. Its mutex guards the core; Run's goroutine is the only
// one that writes, and ends with its context.
type Board struct {
	out  *netview.Alarms
	now  func() time.Time
	bell chan struct{}

	turns atomic.Uint64 // that Run has done

	mu   sync.Mutex
	core *core
}

// New returns a board that is the owner of the view's alarms. What is raised before Run is written by Run.
func New(view *netview.View) *Board { return NewAt(view, time.Now) }

// NewAt is New with a clock of the caller's.
func NewAt(view *netview.View, now func() time.Time) *Board {
	return &Board{out: view.Alarms(), now: now, bell: make(chan struct{}, 1), core: newCore()}
}

// Raise tells that something is wrong with an object, in one sentence for people. Any goroutine may call it; it does not
// block.
func (b *Board) Raise(kind netview.AlarmKind, object, text string) {
	b.mu.Lock()
	fresh := b.core.raise(kind, object, text, b.now())
	b.mu.Unlock()
	if fresh {
		b.ring()
	}
}

// Clear tells that what was wrong has ended. It is cheap where nothing was.
func (b *Board) Clear(kind netview.AlarmKind, object string) {
	b.mu.Lock()
	ended := b.core.clear(netview.AlarmKey{Kind: kind, Object: object}, b.now())
	b.mu.Unlock()
	if ended {
		b.ring()
	}
}

// Totals is how often alarms of each kind were raised since the start.
func (b *Board) Totals() map[netview.AlarmKind]uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.core.totals)
}

// Dropped is how many alarms were not kept because there were too many.
func (b *Board) Dropped() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.core.dropped
}

func (b *Board) ring() {
	select {
	case b.bell <- struct{}{}:
	default:
	}
}

// Run writes alarms until the context ends.
func (b *Board) Run(ctx context.Context) {
	tick := time.NewTicker(Refresh)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.bell:
			b.write(false)
		case <-tick.C:
			b.write(true)
		}
		b.turns.Add(1)
	}
}

// Pulse has Run do a turn soon, and returns how many it has done: who asks again and again sees whether it hangs. It never blocks.
func (b *Board) Pulse() uint64 {
	b.ring()
	return b.turns.Load()
}

// write brings the view up to date.
func (b *Board) write(due bool) {
	now := b.now()
	b.mu.Lock()
	if due {
		b.core.tick(now)
	}
	put, remove := b.core.take(now)
	b.mu.Unlock()
	if len(put)+len(remove) > 0 {
		b.out.Set(put, remove)
	}
}

// watchBatch is how many changes are read from the view at a time.
const watchBatch = 1024

// Watch raises and clears what the view itself shows, until the context ends: switches without a session, links that are
// down.
func (b *Board) Watch(ctx context.Context, view *netview.View) {
	w := b.Watcher(view)
	for {
		select {
		case <-ctx.Done():
			return
		case <-view.Changed(w.at):
		}
		w.Turn()
	}
}

// Watcher is what Watch keeps between two changes, for who steps a board that does not run.
type Watcher struct {
	b    *Board
	view *netview.View
	at   netview.Revision
	w    watch
}

// Watcher begins to watch a view, as Watch does.
func (b *Board) Watcher(view *netview.View) *Watcher {
	w := &Watcher{b: b, view: view}
	w.reset()
	return w
}

func (w *Watcher) reset() {
	snap := w.view.Snapshot()
	w.w.reset(snap, w.b)
	w.at = snap.Revision()
}

// Turn takes what has changed in the view.
func (w *Watcher) Turn() {
	changes, upto, ok := w.view.Changes(w.at, watchBatch)
	if !ok {
		w.reset()
		return
	}
	for i := range changes {
		w.w.change(&changes[i], w.b)
	}
	w.at = upto
}

// Waiting says whether the view has changed.
func (w *Watcher) Waiting() bool { return w.view.Snapshot().Revision() != w.at }

// Turn is one round of Run, for who steps a board that does not run: when Waiting says so, and, with due, every Refresh.
func (b *Board) Turn(due bool) {
	select {
	case <-b.bell:
	default:
	}
	b.write(due)
}

// Waiting says whether there is something to write.
func (b *Board) Waiting() bool { return len(b.bell) > 0 }
