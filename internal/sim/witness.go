package sim

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/session"
)

// witness watches what the instance makes of the network all the time, and sees to it that there is
// always a broadcast to go round where it could.
type witness struct {
	w      *world
	life   *life
	at     netview.Revision
	up     []time.Time              // since when each link has carried frames; zero: it does not
	rows   map[netview.LinkKey]bool // links that the view has as up
	excuse time.Time                // until when links may be given up that work
	shouts uint32
}

// settled is how long a link must have worked for that it is not given up without evidence.
const settled = 15 * time.Second

// shoutEvery is how often some host broadcasts while the history goes on.
const shoutEvery = 300 * time.Millisecond

// tick looks at the network and at the view.
func (v *witness) tick() {
	v.note()
	v.look()
	v.w.After(session.TickInterval, v.tick)
}

// note notes which links carry frames. It is called after each event too: a cut may be shorter than
// the time between two ticks.
func (v *witness) note() {
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
func (v *witness) look() {
	l := v.w.life
	if l == nil {
		return
	}
	view := l.instance.View()
	if l != v.life {
		v.life = l
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
			v.given(c.Link)
		}
	}
}

// begin looks from a snapshot on.
func (v *witness) begin(snap *netview.Snapshot) {
	v.at, v.rows = snap.Revision(), make(map[netview.LinkKey]bool)
	for l := range snap.Links() {
		v.rows[l.LinkKey] = l.Up
	}
}

// given holds a link that was given up to the evidence there may be: "unknown is not down".
func (v *witness) given(row *netview.Link) {
	w := v.w
	if w.now.Before(v.excuse) {
		return
	}
	for i := range w.net.Links() {
		a, b := w.linkEnds(i)
		if row.Src != a && row.Src != b || row.Dst != a && row.Dst != b || v.up[i].IsZero() || w.now.Sub(v.up[i]) < settled {
			continue
		}
		w.fail("the link from %s to %s is given up, and has carried frames for %v", row.Src, row.Dst, w.now.Sub(v.up[i]))
	}
}

// excuses notes an event that may keep probes from being sent, carried or told of, while sessions
// go on.
func (v *witness) excuses(e Event) {
	switch e.Kind {
	case StallControl, SlowControl, PauseInstance, DeleteByHand, ChangeByHand, EmptyByHand, PowerOff:
		v.excuse = later(v.excuse, v.w.now.Add(e.For+30*time.Second))
	}
}

// shout has hosts broadcast alternately.
func (v *witness) shout() {
	w := v.w
	v.shouts++
	w.stations[int(v.shouts)%len(w.stations)].shout(1<<31 | v.shouts)
	w.After(shoutEvery, v.shout)
}

func (w *world) watch() {
	v := &witness{w: w, up: make([]time.Time, len(w.net.Links()))}
	w.witness = v
	w.After(0, v.tick)
	w.After(shoutEvery, v.shout)
}
