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

	f    *Forward
	from *topology.Follower
}

// Follow loads the application from the view of a source of maps, and has it choose paths in the newest
// of these from now on.
func (f *Forward) Follow(maps *topology.Source) *Follower {
	w := &Follower{f: f, from: maps.Follow()}
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
		Beats: 1, Beat: f.Beat,
	}
	w.update()
	f.routes.maps.Store(maps)
	f.Second()
	return w
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
