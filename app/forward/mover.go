package forward

import (
	"slices"

	"github.com/weirnet/weir/topology"
)

// Bounds of planned moves.
const (
	// MovesMax bounds the pairs that are being moved to another path for a planned reason.
	MovesMax = 512
	// MoveTimeout is how long, in seconds, a switch may take to confirm a step of a planned move.
	MoveTimeout = 10
	// WaitToRestore is how long, in seconds, no link may have changed before pairs are reverted to
	// shorter paths.
	WaitToRestore = 30
	// RevertPerSecond bounds how many of them are reverted per second.
	RevertPerSecond = 64
)

// mover has the pairs to be moved for a planned reason: their path crosses something drained and
// another does not, or a shorter one is available again. Step's goroutine owns it.
type mover struct {
	queue        []candidate
	drains       drains
	suboptimal   bool // some pair may be on a path that is longer than necessary
	quietSeconds int  // since a link changed
}

type candidate struct {
	d  *Datapath
	pr pair
}

// planMoves collects the pairs to be moved now and starts as many as there is room for.
func (f *Forward) planMoves() {
	mv := &f.mover
	mv.queue = nil
	m := f.currentMap()
	if len(mv.drains) > 0 {
		f.collect(m, -1, func(p *path) bool { return p.crossesDrained(m) })
	}
	f.collectHalfMoved()
	if mv.suboptimal && mv.quietSeconds >= WaitToRestore && len(mv.queue) == 0 && f.movesInFlight.Load() == 0 {
		mv.suboptimal = f.collect(m, RevertPerSecond, func(p *path) bool { return p.suboptimal(m) })
	}
	f.startMoves()
}

// crossesDrained reports whether a path crosses something drained that another path would avoid.
func (p *path) crossesDrained(m *topology.Map) bool {
	cost, ok := m.PathCost(p.hops)
	return ok && cost.Draining > 0 && m.Suboptimal(p.hops, cost)
}

// suboptimal reports whether a path could be shorter. One over unconfirmed links stays.
func (p *path) suboptimal(m *topology.Map) bool {
	cost, ok := m.PathCost(p.hops)
	return ok && cost.Draining == 0 && cost.Unconfirmed == 0 && m.Suboptimal(p.hops, cost)
}

// collect queues the pairs of the selected paths, at most limit of them if it is not negative, and
// reports whether there are such paths.
func (f *Forward) collect(m *topology.Map, limit int, wanted func(*path) bool) bool {
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
		room := MovesMax - int(f.movesInFlight.Load())
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
		m := d.f.currentMap()
		for _, c := range cs {
			fl, had := d.pairs.get(c.pr)
			if !had || d.installs[c.pr] != nil {
				continue
			}
			p := d.f.paths.get(fl.path)
			if len(d.halfMoved[c.pr]) > 0 || p != nil && (p.crossesDrained(m) || p.suboptimal(m)) {
				d.move(out, c.pr, fl, true)
			}
		}
	})
}
