package forward

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/topology"
)

// Bounds of planned moves, those of package pathing; times are in seconds.
const (
	MovesMax        = pathing.MovesMax
	WaitToRestore   = int(pathing.WaitToRestore / time.Second)
	RevertPerSecond = pathing.RevertPerSecond
)

// mover has the pairs to be moved for a planned reason: their path crosses something drained and
// another does not, or a shorter one is available again. Step's goroutine owns it.
type mover struct {
	queue     []candidate
	drains    drains
	restorer  *pathing.Restorer
	reverting bool // some pair may be on a path that is longer than necessary
}

type candidate struct {
	d  *Datapath
	pr pair
}

// clock is the time by which moves are made: it counts whole seconds.
func (f *Forward) clock() time.Time { return time.Unix(int64(f.seconds.Load()), 0) }

// began is the time from which what begins now is counted: it may have begun at the end of a second.
func (f *Forward) began() time.Time { return f.clock().Add(time.Second) }

// linksChanged tells the mover of changes of links.
func (f *Forward) linksChanged(m *topology.Map, changes []netview.Change) {
	if f.mover.restorer.LinksChanged(m, changes, f.clock()) {
		f.mover.reverting = false
	}
	f.publishBackoff()
}

// publishBackoff has pairs that are installed from now on leave out the links in back-off.
func (f *Forward) publishBackoff() {
	if now := f.mover.restorer.Backoff(f.clock()); !now.Empty() {
		f.backoff.Store(&now)
	} else if f.backoff.Load() != nil {
		f.backoff.Store(nil)
	}
}

// linksInBackoff returns the links that paths leave out where they can.
func (f *Forward) linksInBackoff() topology.Filter {
	if backoff := f.backoff.Load(); backoff != nil {
		return *backoff
	}
	return topology.Filter{}
}

// planMoves collects the pairs to be moved now and starts as many as there is room for.
func (f *Forward) planMoves() {
	mv := &f.mover
	mv.queue = nil
	j := f.judge()
	if len(mv.drains) > 0 {
		f.collect(-1, func(p *path) bool { return p.crossesDrained(j) })
	}
	f.collectHalfMoved()
	if len(mv.queue) == 0 && f.moves.Taken() == 0 && (mv.reverting || mv.restorer.Take(f.clock())) {
		mv.reverting = f.collect(RevertPerSecond, func(p *path) bool { return p.suboptimal(j) })
	}
	f.startMoves()
}

// judge is what paths are judged by now.
func (f *Forward) judge() pathing.Judge {
	return pathing.Judge{Map: f.currentMap(), Backoff: f.linksInBackoff()}
}

// crossesDrained reports whether a path crosses something drained that another path would avoid.
func (p *path) crossesDrained(j pathing.Judge) bool {
	cost, ok := j.Map.PathCost(p.hops)
	return ok && j.Drained(p.hops[0].DPID, p.egress().DPID, cost)
}

// suboptimal reports whether a path could be shorter.
func (p *path) suboptimal(j pathing.Judge) bool {
	cost, ok := j.Map.PathCost(p.hops)
	return ok && j.Suboptimal(p.hops[0].DPID, p.egress().DPID, cost)
}

// collect queues the pairs of the selected paths, at most limit of them if it is not negative, and
// reports whether there are such paths.
func (f *Forward) collect(limit int, wanted func(*path) bool) bool {
	leave := make(map[uint32]bool)
	for _, p := range f.paths.all() {
		if wanted(p) {
			leave[p.id] = true
		}
	}
	if len(leave) == 0 {
		return false
	}
	for _, d := range f.datapaths() {
		var found []pair
		d.mu.Lock()
		d.pairs.All(func(pr pair, fl flow) bool {
			if leave[fl.path] && d.installs[pr] == nil {
				found = append(found, pr)
			}
			return limit < 0 || len(found) < limit
		})
		d.mu.Unlock()
		f.enqueue(d, found)
		if limit >= 0 {
			if limit -= len(found); limit <= 0 {
				break
			}
		}
	}
	return true
}

// collectHalfMoved queues the pairs of abandoned moves that can be moved.
func (f *Forward) collectHalfMoved() {
	for _, d := range f.datapaths() {
		if d.conn.Load() == nil {
			continue
		}
		var found []pair
		d.mu.Lock()
		for pr := range d.halfMoved {
			if d.installs[pr] == nil {
				found = append(found, pr)
			}
		}
		d.mu.Unlock()
		f.enqueue(d, found)
	}
}

func (f *Forward) enqueue(d *Datapath, found []pair) {
	slices.SortFunc(found, comparePairs)
	for _, pr := range found {
		f.mover.queue = append(f.mover.queue, candidate{d, pr})
	}
}

// startMoves starts the queued moves that there is room for.
func (f *Forward) startMoves() {
	mv := &f.mover
	for len(mv.queue) > 0 {
		room := f.moves.Room()
		if room <= 0 {
			break
		}
		d, n := mv.queue[0].d, 1
		for n < len(mv.queue) && n < room && mv.queue[n].d == d {
			n++
		}
		d.moveHitless(mv.queue[:n])
		mv.queue = mv.queue[n:]
	}
	f.movesQueued.Store(len(mv.queue) > 0)
}

// Continue starts queued moves when others have ended; Follower.Woken calls it, on Step's goroutine.
func (f *Forward) Continue() { f.startMoves() }

// moveHitless starts planned moves of pairs of this switch: those that still have a reason to move.
func (d *Datapath) moveHitless(cs []candidate) {
	out := d.conn.Load()
	if out == nil {
		return
	}
	d.runAndConfirm(out, func() {
		j := d.f.judge()
		for _, c := range cs {
			fl, had := d.pairs.get(c.pr)
			if !had || d.installs[c.pr] != nil {
				continue
			}
			p := d.f.paths.get(fl.path)
			if len(d.halfMoved[c.pr]) > 0 || p != nil && (p.crossesDrained(j) || p.suboptimal(j)) {
				d.move(out, c.pr, fl, true)
			}
		}
	})
}
