package alarm

import (
	"maps"
	"sync"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
)

// Board collects alarms and writes them into the view. Its mutex guards the core; Run's goroutine
// is the only one that writes, and ends with its context.
type Board struct {
	loop.Part

	out *netview.Alarms
	now func() time.Time

	mu   sync.Mutex
	core *core
}

// New returns a board that owns the view's alarms. Alarms raised before Run are written by Run.
func New(view *netview.View) *Board { return NewAt(view, time.Now) }

// NewAt is New with a clock.
func NewAt(view *netview.View, now func() time.Time) *Board {
	b := &Board{out: view.Alarms(), now: now, core: newCore()}
	b.Part = loop.Part{
		Name: "alarms", Bell: loop.NewBell(),
		Turn:  func() time.Time { b.write(false); return time.Time{} },
		Beats: int(Refresh / beat.Every), Beat: func() { b.write(true) },
	}
	return b
}

// Raise raises an alarm about an object, with one sentence for people. It is safe for concurrent
// use and does not block.
func (b *Board) Raise(kind netview.AlarmKind, object, text string) {
	b.change(func(now time.Time) bool { return b.core.raise(kind, object, text, now) })
}

// Clear ends an alarm. It is cheap if there is none.
func (b *Board) Clear(kind netview.AlarmKind, object string) {
	b.change(func(now time.Time) bool { return b.core.clear(netview.AlarmKey{Kind: kind, Object: object}, now) })
}

// change changes the core; do reports whether the change is to be written at once.
func (b *Board) change(do func(now time.Time) bool) {
	b.mu.Lock()
	due := do(b.now())
	b.mu.Unlock()
	if due {
		b.Bell.Ring()
	}
}

// Totals returns how often alarms of each kind were raised since the start.
func (b *Board) Totals() map[netview.AlarmKind]uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.core.totals)
}

// Dropped returns how many alarms were dropped because of Max.
func (b *Board) Dropped() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.core.dropped
}

// write updates the view.
func (b *Board) write(due bool) {
	now := b.now()
	b.mu.Lock()
	if due {
		b.core.tick(now)
	}
	put, remove := b.core.pending(now)
	b.mu.Unlock()
	if len(put)+len(remove) > 0 {
		b.out.Set(put, remove)
	}
}

// watchBatch is how many changes are read from the view at a time.
const watchBatch = 1024

// Watcher is the state of Watch, for callers that drive the loop themselves.
type Watcher struct {
	loop.Part

	b    *Board
	view *netview.View
	at   netview.Revision
	w    watch
}

// Watcher starts to watch a view, as Watch does.
func (b *Board) Watcher(view *netview.View) *Watcher {
	w := &Watcher{b: b, view: view}
	w.Part = loop.Part{
		Name:    "watch",
		Turn:    func() time.Time { w.turn(); return time.Time{} },
		Changed: func() <-chan struct{} { return view.Changed(w.at) },
		Behind:  func() bool { return view.Snapshot().Revision() != w.at },
	}
	w.reset()
	return w
}

func (w *Watcher) reset() {
	snap := w.view.Snapshot()
	w.w.reset(snap, w.b)
	w.at = snap.Revision()
}

// turn takes what has changed in the view.
func (w *Watcher) turn() {
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
