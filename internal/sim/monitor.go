package sim

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/session"
)

// monitor compares the instance's view with the network all the time, and keeps broadcasts coming
// that would show a loop.
type monitor struct {
	w           *world
	run         *instanceRun
	at          netview.Revision
	up          []time.Time              // since when each link has carried frames; zero: it does not
	rows        map[netview.LinkKey]bool // links that the view has as up
	exemptUntil time.Time                // until when links may be given up that work
	shouts      uint32
}

// settled is how long a link must have worked for that it is not given up without evidence.
const settled = 15 * time.Second

// shoutEvery is how often some host broadcasts while the history goes on.
const shoutEvery = 300 * time.Millisecond

// tick looks at the network and at the view.
func (v *monitor) tick() {
	v.note()
	v.look()
	v.w.After(session.TickInterval, v.tick)
}

// note notes which links carry frames. It is called after each event too: a cut may be shorter than
// the time between two ticks.
func (v *monitor) note() {
	w := v.w
	for i, l := range w.net.Links() {
		switch {
		case !l.Up():
			v.up[i] = time.Time{}
		case v.up[i].IsZero():
			v.up[i] = w.now
		}
	}
}

// look reads what has changed in the view.
func (v *monitor) look() {
	l := v.w.decider()
	if l == nil {
		return
	}
	view := l.instance.View()
	if l != v.run {
		v.run = l
		v.begin(view.Snapshot())
		return
	}
	changes, upto, ok := view.Changes(v.at, 1<<20)
	v.at = upto
	if !ok {
		v.begin(view.Snapshot())
		return
	}
	for i := range changes {
		c := &changes[i]
		if c.Kind != netview.KindLink {
			continue
		}
		was := v.rows[c.Link.LinkKey]
		v.rows[c.Link.LinkKey] = c.Link.Up && !c.Deleted
		if was && !v.rows[c.Link.LinkKey] { // a row that is down may change and stay down
			v.onLinkDown(c.Link)
		}
	}
}

// begin looks from a snapshot on.
func (v *monitor) begin(snap *netview.Snapshot) {
	v.at, v.rows = snap.Revision(), make(map[netview.LinkKey]bool)
	for l := range snap.Links() {
		v.rows[l.LinkKey] = l.Up
	}
}

// onLinkDown checks that a link which the instance gave up was down: "unknown is not down".
func (v *monitor) onLinkDown(row *netview.Link) {
	w := v.w
	if w.now.Before(v.exemptUntil) {
		return
	}
	for i := range w.net.Links() {
		a, b := w.net.linkEnds(i)
		if row.Src != a && row.Src != b || row.Dst != a && row.Dst != b || v.up[i].IsZero() || w.now.Sub(v.up[i]) < settled {
			continue
		}
		w.fail("the link from %s to %s is given up, and has carried frames for %v", row.Src, row.Dst, w.now.Sub(v.up[i]))
	}
}

// exempt notes an event that may keep probes from being sent, carried or reported, while sessions
// go on: links may be given up then.
func (v *monitor) exempt(e Event) {
	switch e.Kind {
	case StallControl, SlowControl, PauseInstance, DeleteByHand, ChangeByHand, EmptyByHand, PowerOff:
		v.exemptUntil = later(v.exemptUntil, v.w.now.Add(e.For+30*time.Second))
	}
}

// shout has hosts broadcast alternately.
func (v *monitor) shout() {
	w := v.w
	v.shouts++
	w.net.stations[int(v.shouts)%len(w.net.stations)].shout(1<<31 | v.shouts)
	w.After(shoutEvery, v.shout)
}

// watch makes the monitor of a world.
func watch(w *world) *monitor {
	v := &monitor{w: w, up: make([]time.Time, len(w.net.Links()))}
	w.After(0, v.tick)
	w.After(shoutEvery, v.shout)
	return v
}
