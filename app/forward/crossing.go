package forward

import (
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
)

// Crossing is what crosses a switch or port.
type Crossing struct {
	// Revision is that of the view which the application has taken in: a drain of a later one is
	// not in the numbers.
	Revision netview.Revision
	// Pairs are those that are to leave what is drained there, and those whose last packets may be
	// on their way. At 0, no packet passes that could pass elsewhere.
	Pairs int
	// Bound are the pairs that stay: a host of theirs is there, or no other path is.
	Bound int
}

// Crossing counts what crosses a port, or, with port 0, a switch. To watch a link being drained,
// ask for one of its ends. It costs time in the number of all pairs, and may be called from any
// goroutine.
func (f *Forward) Crossing(at netview.Point) Crossing {
	sum := Crossing{Revision: netview.Revision(f.revision.Load())}
	j := f.routes.judge()
	if j.Map == nil {
		return sum
	}
	const here, leaving = 1, 2
	state := make(map[uint32]uint8)
	for _, p := range f.paths.All() {
		switch {
		case !p.Passes(at):
		case p.Drained(j):
			state[p.ID] = leaving
		default:
			state[p.ID] = here
		}
	}
	for _, d := range f.switches.all() {
		d.mu.Lock()
		d.pairs.All(func(pr pairs.Pair, fl pairs.Flow) bool {
			switch {
			case state[fl.Path] == leaving, d.halfMovedAt(pr, at):
				sum.Pairs++
			case state[fl.Path] == here, fl.Path == 0 && d.id == at.DPID && (at.Port == 0 || at.Port == fl.Out):
				sum.Bound++
			}
			return true
		})
		d.mu.Unlock()
	}
	sum.Pairs += f.retired.countAt(at)
	return sum
}
