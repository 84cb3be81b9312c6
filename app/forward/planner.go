package forward

import (
	"slices"

	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/topology"
)

// planner has the pairs moved for a planned reason: their path crosses something drained and
// another does not, or a shorter one is available again. Step's goroutine owns it.
type planner struct {
	*shared
	queue     []candidate
	drains    map[netview.LinkKey]bool // the links that paths are to leave
	restorer  *pathing.Restorer
	reverting bool // some pair may be on a path that is longer than necessary
}

// candidate is a pair that may be moved.
type candidate struct {
	d  *Datapath
	pr pairs.Pair
}

func newPlanner(s *shared) planner {
	return planner{shared: s, drains: make(map[netview.LinkKey]bool), restorer: pathing.NewRestorer()}
}

// linksChanged is told of changes of links, before paths are chosen.
func (l *planner) linksChanged(m *topology.Map, changes []netview.Change) {
	if l.restorer.LinksChanged(m, changes, l.clock.now()) {
		l.reverting = false
	}
	l.publishBackoff()
}

// publishBackoff has pairs that are installed from now on leave out the links in back-off.
func (l *planner) publishBackoff() { l.routes.publishBackoff(l.restorer.Backoff(l.clock.now())) }

// takeDrains applies changes of links; whole: nothing else has changed.
func (l *planner) takeDrains(changes []netview.Change, snap *netview.Snapshot, whole bool) {
	note := func(link *netview.Link) {
		if link.Draining {
			l.drains[link.LinkKey] = true
		} else {
			delete(l.drains, link.LinkKey)
		}
	}
	if !whole {
		clear(l.drains)
		for link := range snap.Links() {
			note(link)
		}
		return
	}
	for i := range changes {
		if c := &changes[i]; c.Kind == netview.KindLink && c.Deleted {
			delete(l.drains, c.Link.LinkKey)
		} else if c.Kind == netview.KindLink {
			note(c.Link)
		}
	}
}

// plan collects the pairs to be moved now and starts as many as there is room for.
func (l *planner) plan() {
	l.queue = nil
	j := l.routes.judge()
	if len(l.drains) > 0 {
		l.collect(-1, func(p *pairs.Path) bool { return p.Drained(j) })
	}
	l.collectHalfMoved()
	if len(l.queue) == 0 && l.slots.Taken() == 0 && (l.reverting || l.restorer.Take(l.clock.now())) {
		l.reverting = l.collect(pathing.RevertPerSecond, func(p *pairs.Path) bool { return p.Suboptimal(j) })
	}
	l.start()
}

// collect queues the pairs of the selected paths, at most limit of them if it is not negative, and
// reports whether there are such paths.
func (l *planner) collect(limit int, wanted func(*pairs.Path) bool) bool {
	leave := make(map[uint32]bool)
	for _, p := range l.paths.All() {
		if wanted(p) {
			leave[p.ID] = true
		}
	}
	if len(leave) == 0 {
		return false
	}
	for _, d := range l.switches.all() {
		var found []pairs.Pair
		d.mu.Lock()
		d.pairs.All(func(pr pairs.Pair, fl pairs.Flow) bool {
			if leave[fl.Path] && d.installs[pr] == nil {
				found = append(found, pr)
			}
			return limit < 0 || len(found) < limit
		})
		d.mu.Unlock()
		l.enqueue(d, found)
		if limit >= 0 {
			if limit -= len(found); limit <= 0 {
				break
			}
		}
	}
	return true
}

// collectHalfMoved queues the pairs of abandoned moves that can be moved.
func (l *planner) collectHalfMoved() {
	for _, d := range l.switches.all() {
		if d.conn.Load() == nil {
			continue
		}
		var found []pairs.Pair
		d.mu.Lock()
		for pr := range d.halfMoved {
			if d.installs[pr] == nil {
				found = append(found, pr)
			}
		}
		d.mu.Unlock()
		l.enqueue(d, found)
	}
}

func (l *planner) enqueue(d *Datapath, found []pairs.Pair) {
	slices.SortFunc(found, pairs.Pair.Compare)
	for _, pr := range found {
		l.queue = append(l.queue, candidate{d, pr})
	}
}

// start starts the queued moves that there is room for.
func (l *planner) start() {
	for len(l.queue) > 0 {
		room := l.slots.Room()
		if room <= 0 {
			break
		}
		d, n := l.queue[0].d, 1
		for n < len(l.queue) && n < room && l.queue[n].d == d {
			n++
		}
		d.moves.planned(l.queue[:n])
		l.queue = l.queue[n:]
	}
	l.slots.queued.Store(len(l.queue) > 0)
}
