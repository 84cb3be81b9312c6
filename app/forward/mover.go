package forward

import (
	"slices"

	"github.com/weirnet/weir/topology"
)

// Bounds of planned moves.
const (
	// MovesAtOnce is how many pairs are on their way to another path at a time for a planned reason.
	MovesAtOnce = 512
	// MovePatience is how long, in seconds, a switch may take to confirm a step of a planned move.
	MovePatience = 10
	// Calm is how long, in seconds, no link may have changed before pairs are moved back to paths that are shorter again.
	Calm = 30
	// BackPerSecond is how many of them are.
	BackPerSecond = 64
)

// mover has the pairs that are to be moved for a planned reason: their path passes what is drained though another does
// not, or a shorter one has come back. Step's goroutine owns it.
type mover struct {
	queue  []candidate
	drains drains
	longer bool // a pair may be on a path that is longer than it has to be
	calm   int  // seconds since a link changed
}

type candidate struct {
	d  *Datapath
	pr pair
}

// survey collects the pairs that are to be moved now and starts as many as there is room for.
func (f *Forward) survey() {
	mv := &f.mover
	mv.queue = nil
	m := f.topology.Load()
	if len(mv.drains) > 0 {
		f.collect(m, -1, func(p *path) bool { return p.strained(m) })
	}
	f.collectMixed()
	if mv.longer && mv.calm >= Calm && len(mv.queue) == 0 && f.moving.Load() == 0 {
		mv.longer = f.collect(m, BackPerSecond, func(p *path) bool { return p.roundabout(m) })
	}
	f.advance()
}

// strained tells whether a path passes something that is drained, and another does not, or less.
func (p *path) strained(m *topology.Map) bool {
	way, ok := m.Way(p.hops)
	return ok && way.Draining && m.Longer(p.hops, way)
}

// roundabout tells whether a path could be shorter. One over links that are unconfirmed stays as it is.
func (p *path) roundabout(m *topology.Map) bool {
	way, ok := m.Way(p.hops)
	return ok && !way.Draining && !way.Unsure && m.Longer(p.hops, way)
}

// collect queues the pairs whose path is wanted, at most limit of them if it is not negative; it tells whether there
// are such paths.
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
		d.pairs.each(func(pr pair, fl flow) bool {
			if leave[fl.path] && d.waiting[pr] == nil {
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

// collectMixed queues the pairs of which a move was given up half-way, where they can be moved.
func (f *Forward) collectMixed() {
	for _, d := range f.datapaths() {
		if d.outlet.Load() == nil {
			continue
		}
		var found []pair
		d.mu.Lock()
		for pr := range d.mixed {
			if d.waiting[pr] == nil {
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

// advance starts the moves that there is room for.
func (f *Forward) advance() {
	mv := &f.mover
	for len(mv.queue) > 0 {
		room := MovesAtOnce - int(f.moving.Load())
		if room <= 0 {
			break
		}
		d, n := mv.queue[0].d, 1
		for n < len(mv.queue) && n < room && mv.queue[n].d == d {
			n++
		}
		d.moveGently(mv.queue[:n])
		mv.queue = mv.queue[n:]
	}
	f.queued.Store(len(mv.queue) > 0)
}

// Continue starts further planned moves when some have come to their end; Run calls it, on Step's goroutine.
func (f *Forward) Continue() { f.advance() }

// moveGently starts planned moves of pairs of this switch: those that still have a reason to move.
func (d *Datapath) moveGently(cs []candidate) {
	out := d.outlet.Load()
	if out == nil {
		return
	}
	d.gather(out, func() {
		m := d.f.topology.Load()
		for _, c := range cs {
			fl, had := d.pairs.get(c.pr)
			if !had || d.waiting[c.pr] != nil {
				continue
			}
			p := d.f.paths.get(fl.path)
			if len(d.mixed[c.pr]) > 0 || p != nil && (p.strained(m) || p.roundabout(m)) {
				d.move(out, c.pr, fl, true)
			}
		}
	})
}
