package forward

import (
	"runtime"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// changesAtOnce bounds the changes of the view in one step.
const changesAtOnce = 4096

// Follower feeds the application the changes of a view. Its turns are on the one goroutine that
// Step requires, and it owns the topology that it publishes.
type Follower struct {
	loop.Part

	f       *Forward
	view    *netview.View
	publish func(*topology.Map)
	rev     netview.Revision
	m       *topology.Map
}

// Follow loads the application from a view. Publish is called with each new map, before the
// application acts on it.
func (f *Forward) Follow(view *netview.View, publish func(*topology.Map)) *Follower {
	w := &Follower{f: f, view: view, publish: publish}
	w.Part = loop.Part{
		Name: "forward", Bell: f.bell,
		Turn:    func() time.Time { w.turn(); return time.Time{} },
		Changed: func() <-chan struct{} { return view.Changed(w.rev) },
		Behind:  w.behind,
		Woken: func(rung bool) {
			if rung {
				f.Continue()
			} else {
				runtime.Gosched() // intents re-route first: without their rules packets are lost now
			}
		},
		Beats: int(time.Second / beat.Every), Beat: f.Second,
	}
	w.reset(view.Snapshot())
	f.Second()
	return w
}

func (w *Follower) reset(snap *netview.Snapshot) {
	w.rev, w.m = snap.Revision(), topology.Build(snap)
	w.publish(w.m)
	w.f.Reset(snap, w.m)
}

// update applies changes of the view.
func (w *Follower) update() {
	changes, upto, snap, ok := w.view.Follow(w.rev, changesAtOnce)
	if !ok {
		w.reset(snap)
		return
	}
	w.rev, w.m = upto, w.m.Next(snap, changes)
	w.publish(w.m)
	w.f.Step(changes, snap, w.m, upto == snap.Revision())
}

func (w *Follower) behind() bool { return w.view.Snapshot().Revision() != w.rev }

func (w *Follower) turn() {
	if w.behind() {
		w.update()
	}
}

// signalRoom has the part woken, which calls Continue, when planned moves are waiting for room and half of the places
// are free.
func (f *Forward) signalRoom() {
	if !f.movesQueued.Load() || f.movesInFlight.Load() > MovesMax/2 {
		return
	}
	f.bell.Ring()
}
