package pathing

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// Restorer decides when paths may revert to shorter ones. It has one owner.
type Restorer struct {
	links   map[netview.LinkKey]*failures // by the smaller of both directions
	last    time.Time                     // the last change of a link that is not in back-off
	pending bool                          // something has changed since Take
	backoff topology.Filter               // the links in back-off that are up
	expiry  time.Time                     // when the first of them leaves it; zero: none is there
	changed bool                          // backoff is to be computed anew
}

// failures is what is remembered of a link that has failed.
type failures struct {
	up      bool
	since   time.Time // when up last changed
	counted time.Time // when a failure was last counted
	count   int       // of failures in succession
}

// NewRestorer returns one that knows of no link.
func NewRestorer() *Restorer { return &Restorer{links: make(map[netview.LinkKey]*failures)} }

// hold returns how long a link must be up before it is stable.
func (f *failures) hold() time.Duration { return min(WaitToRestore<<(f.count-1), HoldMax) }

// inBackoff reports whether a link is not to be used where there is another path.
func (f *failures) inBackoff(now time.Time) bool {
	return f.count > 1 && (!f.up || now.Before(f.since.Add(f.hold())))
}

// forgiven reports whether a link has been up for so long that its failures do not count any more.
func (f *failures) forgiven(now time.Time) bool { return f.up && !now.Before(f.since.Add(2*f.hold())) }

// change applies a change of a link.
func (f *failures) change(up bool, now time.Time) {
	if f.up == up {
		return
	}
	if !up {
		switch {
		case f.forgiven(now):
			f.count, f.counted = 1, now
		case !now.Before(f.counted.Add(WaitToRestore)):
			f.counted = now
			if f.hold() < HoldMax {
				f.count++
			}
		}
	}
	f.up, f.since = up, now
}

// LinksChanged is told of the changes of a view, and the map after them. It reports whether the wait
// begins anew.
func (r *Restorer) LinksChanged(m *topology.Map, changes []netview.Change, now time.Time) (restarted bool) {
	for i := range changes {
		c := &changes[i]
		if c.Kind != netview.KindLink {
			continue
		}
		up := !c.Deleted && c.Link.Usable
		if up && !m.Up(c.Link.LinkKey) { // the other direction is not known yet, or its own change tells
			continue
		}
		restarted = r.linkChanged(c.Link.LinkKey, up, now) || restarted
	}
	return restarted
}

// linkChanged applies a change of a link: whether it can be used now.
func (r *Restorer) linkChanged(key netview.LinkKey, up bool, now time.Time) (restarted bool) {
	if key.Src.Compare(key.Dst) > 0 {
		key = key.Reverse()
	}
	f := r.links[key]
	switch {
	case f != nil:
		f.change(up, now)
		r.changed = true
		if f.inBackoff(now) {
			return false
		}
	case !up:
		r.links[key] = &failures{since: now, counted: now, count: 1}
	}
	r.Restart(now)
	return true
}

// Restart begins the wait anew.
func (r *Restorer) Restart(now time.Time) { r.last, r.pending = now, true }

// Take reports whether suboptimal paths are to be looked for: something has changed since it last
// reported so, and has been stable since then.
func (r *Restorer) Take(now time.Time) bool {
	r.update(now)
	due := r.pending && !now.Before(r.last.Add(WaitToRestore))
	if due {
		r.pending = false
	}
	return due
}

// Wake returns when Take may report true; zero: not before a link changes.
func (r *Restorer) Wake(now time.Time) (at time.Time) {
	r.update(now)
	if r.pending {
		at = r.last.Add(WaitToRestore)
	}
	if at.IsZero() || !r.expiry.IsZero() && r.expiry.Before(at) {
		at = r.expiry
	}
	return at
}

// Backoff returns the links that paths leave out where they can. It is empty while no link flaps, and
// does not change: a later call returns another.
func (r *Restorer) Backoff(now time.Time) topology.Filter {
	r.update(now)
	return r.backoff
}

// update computes anew which links are in back-off, if a link has changed or has left it.
func (r *Restorer) update(now time.Time) {
	left := !r.expiry.IsZero() && !now.Before(r.expiry)
	if !left && !r.changed {
		return
	}
	r.changed, r.expiry = false, time.Time{}
	r.pending = r.pending || left // paths may go back to it
	links := []netview.LinkKey(nil)
	for key, f := range r.links {
		switch until := f.since.Add(f.hold()); {
		case f.forgiven(now):
			delete(r.links, key)
		case f.up && f.inBackoff(now):
			links = append(links, key)
			if r.expiry.IsZero() || until.Before(r.expiry) {
				r.expiry = until
			}
		}
	}
	slices.SortFunc(links, netview.LinkKey.Compare)
	r.backoff = topology.Filter{Links: links}
}
