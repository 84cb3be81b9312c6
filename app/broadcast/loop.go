package broadcast

import (
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// changesAtOnce bounds the changes of the view in one step.
const changesAtOnce = 4096

// follow is how far the part has followed the view.
type follow struct {
	from *topology.Follower // nil before Follow
	next *topology.Update   // taken, and not applied: pairs have not; nil: none is
}

// makePart makes the loop of the application. It is woken when pairs have applied something (Applied).
func (b *Broadcast) makePart() {
	b.Part = loop.Part{
		Name: "broadcast", Bell: loop.NewBell(),
		Turn:   func() time.Time { b.turn(); return time.Time{} },
		Behind: b.behind,
		Beats:  int(time.Second / beat.Every), Beat: b.second,
	}
}

// Follow has the application follow the view of a source of maps from now on, before its part runs.
func (b *Broadcast) Follow(maps *topology.Source) {
	b.follow.from = maps.Follow()
	b.turn()
}

// behind reports whether there is something to apply.
func (b *Broadcast) behind() bool {
	if b.follow.next != nil {
		return b.mayApply(b.follow.next)
	}
	return b.follow.from != nil && b.follow.from.Behind()
}

// mayApply reports whether pairs have applied what is in an update.
func (b *Broadcast) mayApply(u *topology.Update) bool {
	return netview.Revision(b.applied.Load()) >= u.Snap.Revision()
}

// turn applies the next update of the view, if there is one.
func (b *Broadcast) turn() {
	w := &b.follow
	if w.next == nil {
		if w.from == nil || !w.from.Behind() {
			return
		}
		u := w.from.Next(changesAtOnce)
		w.next = &u
	}
	if b.mayApply(w.next) {
		u := w.next
		w.next = nil
		b.Apply(*u)
	}
}

// second begins a second: the limits on floods are for one.
func (b *Broadcast) second() {
	b.seconds.Add(1)
	b.floodsLeft.Store(FloodsPerSecond)
}
