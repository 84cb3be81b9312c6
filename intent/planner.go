package intent

import (
	"slices"
	"time"

	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/topology"
)

// planner chooses the intents whose path works, but passes a drained link or could be shorter: for each
// of them a better path is to be sought. Those of drained links come at once, the others when links have
// been stable, some each second.
type planner struct {
	entries  *entries
	network  *paths.Network
	registry *paths.Registry
	status   *paths.Status
	moves    *pathing.Moves // the places of the transitions in progress
	restorer *pathing.Restorer

	queue      []uint32 // entries with the flag candidate
	backlog    []uint32 // intents whose path may be longer than necessary; nil: not computed since the last one ended
	nextRevert time.Time
}

// restart restarts the wait-to-restore timer: any link may have changed.
func (p *planner) restart(now time.Time) {
	p.restorer.Restart(now)
	p.backlog = nil
}

// linksChanged tells the planner of changes of links.
func (p *planner) linksChanged(m *topology.Map, changes []netview.Change, now time.Time) {
	if p.restorer.LinksChanged(m, changes, now) {
		p.backlog = nil
	}
}

func (p *planner) wake(now time.Time) time.Time {
	switch {
	case len(p.queue) > 0 || p.moves.Taken() > 0: // their completion causes a step
		return time.Time{}
	case p.backlog != nil:
		return p.nextRevert
	}
	return p.restorer.Wake(now)
}

// idle reports whether nobody is queued or moving.
func (p *planner) idle() bool { return len(p.queue) == 0 && p.moves.Taken() == 0 }

// due reports whether the next batch of suboptimal paths is to be looked at.
func (p *planner) due(now time.Time) bool {
	if p.backlog != nil {
		return !now.Before(p.nextRevert)
	}
	return p.restorer.Take(now)
}

// next takes an intent out of the queue; false if there is none, or no place for its transition.
func (p *planner) next() (n uint32, ok bool) {
	if len(p.queue) == 0 || p.moves.Room() == 0 {
		return 0, false
	}
	n = p.queue[0]
	if p.queue = p.queue[1:]; len(p.queue) == 0 {
		p.queue = nil
	}
	p.entries.At(n).flags &^= candidate
	return n, true
}

// queueIfDrained queues the users of a path that passes a draining link.
func (p *planner) queueIfDrained(path *paths.Path) {
	if !path.Draining() {
		return
	}
	for _, n := range inOrder(slices.Clone(path.Users())) {
		if p.entries.At(n).rules.Takes(path.Route()) {
			p.add(n)
		}
	}
}

// add queues an intent for a hitless re-route, unless it is queued.
func (p *planner) add(n uint32) {
	if e := p.entries.At(n); !e.has(candidate) {
		e.flags |= candidate
		p.queue = append(p.queue, n)
	}
}

// queueSuboptimal queues a batch of those whose path could be shorter.
func (p *planner) queueSuboptimal(now time.Time) {
	if p.backlog == nil {
		p.backlog = p.suboptimal(now)
	}
	n := min(len(p.backlog), pathing.RevertPerSecond)
	for _, number := range p.backlog[:n] {
		p.add(number)
	}
	if p.backlog = p.backlog[n:]; len(p.backlog) == 0 {
		p.backlog = nil
		return
	}
	p.nextRevert = now.Add(time.Second)
}

// suboptimal returns the users of paths that could be shorter, and all users of trees, which need a
// closer look. Paths over unconfirmed links are left out.
func (p *planner) suboptimal(now time.Time) []uint32 {
	list := []uint32{}
	judge := pathing.Judge{Map: p.network.Map, Backoff: p.restorer.Backoff(now)}
	for path := range p.registry.All() {
		if !path.Used() {
			continue
		}
		cost := p.status.Evaluate(path)
		if path.Down() || path.Unconfirmed() || path.Draining() {
			continue
		}
		hops := path.Route().Hops
		if path.IsTree() || judge.Suboptimal(hops[0].DPID, hops[len(hops)-1].DPID, cost) {
			list = append(list, path.Users()...)
		}
	}
	return inOrder(list)
}
