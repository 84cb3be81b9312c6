package forward

import (
	"context"
	"runtime"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// changesAtOnce is how many changes of the view one step takes.
const changesAtOnce = 4096

// Run feeds the application the changes of a view until the context ends. It is the one goroutine that Step's
// comment speaks of, and the owner of the topology that it publishes: publish is called with each new map, before the
// application acts on it.
func (f *Forward) Run(ctx context.Context, view *netview.View, publish func(*topology.Map)) {
	w := f.Follow(view, publish)
	const beats = int(time.Second / beat.Every)
	second := time.NewTimer(beat.Next(time.Now(), beats))
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-second.C:
			second.Reset(beat.Next(now, beats))
			f.Second()
			continue
		case <-f.wake:
			f.Continue()
			continue
		case <-view.Changed(w.rev):
			runtime.Gosched() // who writes rules for the same change goes first: without them packets are lost now
		}
		w.follow()
	}
}

// Follower is what Run keeps between two changes, for who steps an application that does not run.
type Follower struct {
	f       *Forward
	view    *netview.View
	publish func(*topology.Map)
	rev     netview.Revision
	m       *topology.Map
}

// Pulse is how many seconds Run has taken note of: who asks again and again sees whether it hangs.
func (f *Forward) Pulse() uint64 { return uint64(f.seconds.Load()) }

// Follow loads the application from a view, as Run does at its beginning.
func (f *Forward) Follow(view *netview.View, publish func(*topology.Map)) *Follower {
	w := &Follower{f: f, view: view, publish: publish}
	w.reset(view.Snapshot())
	f.Second()
	return w
}

func (w *Follower) reset(snap *netview.Snapshot) {
	w.rev, w.m = snap.Revision(), topology.Build(snap)
	w.publish(w.m)
	w.f.Reset(snap, w.m)
}

// follow takes changes of the view.
func (w *Follower) follow() {
	changes, upto, snap, ok := w.view.Follow(w.rev, changesAtOnce)
	if !ok {
		w.reset(snap)
		return
	}
	w.rev, w.m = upto, w.m.Next(snap, changes)
	w.publish(w.m)
	w.f.step(changes, snap, w.m, upto == snap.Revision())
}

// Turn does what Run would do when Waiting says so. Second is the caller's to call.
func (w *Follower) Turn() {
	select {
	case <-w.f.wake:
		w.f.Continue()
	default:
	}
	if w.view.Snapshot().Revision() != w.rev {
		w.follow()
	}
}

// Waiting says whether the view has changed, or moves wait for room that there is.
func (w *Follower) Waiting() bool { return len(w.f.wake) > 0 || w.view.Snapshot().Revision() != w.rev }

// ring has Run call Continue when planned moves are waiting for room and half of the places are free.
func (f *Forward) ring() {
	if !f.queued.Load() || f.moving.Load() > MovesAtOnce/2 {
		return
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}
