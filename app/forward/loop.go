package forward

import (
	"runtime"
	"time"

	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/topology"
)

// changesAtOnce bounds the changes of the view in one step.
const changesAtOnce = 4096

// Follower feeds the application the changes of a view. Its turns are on the one goroutine that
// Step requires.
type Follower struct {
	loop.Part

	f      *Forward
	now    func() time.Time
	second time.Time // when the next one begins
	from   *topology.Follower
}

// Follow loads the application from the view of a source of maps, and has it choose paths in the newest
// of these from now on.
func (f *Forward) Follow(maps *topology.Source, now func() time.Time) *Follower {
	w := &Follower{f: f, now: now, from: maps.Follow()}
	w.Part = loop.Part{
		Name: "forward", Bell: f.slots.bell,
		Turn:    func() time.Time { w.turn(); return time.Time{} },
		Changed: func() <-chan struct{} { return w.from.Changed() },
		Behind:  func() bool { return w.from.Behind() },
		Woken: func(rung bool) {
			if rung {
				f.Continue()
			} else {
				runtime.Gosched() // intents re-route first: without their rules packets are lost now
			}
		},
		Beats: 1, Beat: w.beat,
	}
	w.update()
	f.routes.maps.Store(maps)
	f.Second()
	return w
}

// beat has the beat, and the second if one has begun.
func (w *Follower) beat() {
	w.f.Beat()
	if now := w.now(); !now.Before(w.second) {
		w.second = now.Truncate(time.Second).Add(time.Second)
		w.f.Second()
	}
}

// update applies changes of the view.
func (w *Follower) update() {
	u := w.from.Next(changesAtOnce)
	if u.Reset {
		w.f.Reset(u.Snap, u.Map)
		return
	}
	w.f.Step(u.Changes, u.Snap, u.Map, u.Whole())
}

func (w *Follower) turn() {
	if w.from.Behind() {
		w.update()
	}
}
