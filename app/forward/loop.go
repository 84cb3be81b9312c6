package forward

import (
	"context"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// changesAtOnce is how many changes of the view one step takes.
const changesAtOnce = 4096

// Run feeds the application the changes of a view until the context ends. It is the one goroutine that Step's
// comment speaks of, and the owner of the topology that it publishes: publish is called with each new map, before the
// application acts on it.
func (f *Forward) Run(ctx context.Context, view *netview.View, publish func(*topology.Map)) {
	snap := view.Snapshot()
	rev, m := snap.Revision(), topology.Build(snap)
	publish(m)
	f.Reset(snap, m)
	f.Second()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-second.C:
			f.Second()
			continue
		case <-f.wake:
			f.Continue()
			continue
		case <-view.Changed(rev):
		}
		changes, upto, ok := view.Changes(rev, changesAtOnce)
		snap := view.Snapshot()
		if !ok {
			rev, m = snap.Revision(), topology.Build(snap)
			publish(m)
			f.Reset(snap, m)
			continue
		}
		rev, m = upto, m.Next(snap, changes)
		publish(m)
		f.Step(changes, snap, m)
	}
}

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
