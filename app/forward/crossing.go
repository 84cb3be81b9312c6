package forward

import (
	"slices"

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
	j := f.judge()
	if j.Map == nil {
		return sum
	}
	const here, leaving = 1, 2
	state := make(map[uint32]uint8)
	for _, p := range f.paths.all() {
		switch {
		case !p.touches(at):
		case p.crossesDrained(j):
			state[p.id] = leaving
		default:
			state[p.id] = here
		}
	}
	for _, d := range f.datapaths() {
		d.mu.Lock()
		d.pairs.All(func(pr pair, fl flow) bool {
			switch {
			case state[fl.path] == leaving, d.halfMovedAt(pr, at):
				sum.Pairs++
			case state[fl.path] == here, fl.path == 0 && d.id == at.DPID && (at.Port == 0 || at.Port == fl.out):
				sum.Bound++
			}
			return true
		})
		d.mu.Unlock()
	}
	sum.Pairs += f.retired.countAt(at)
	return sum
}

// touches reports whether a path crosses a switch, or one port of it.
func (p *path) touches(at netview.Point) bool {
	i := p.indexOf(at.DPID)
	return i >= 0 && (at.Port == 0 || p.hops[i].In == at.Port || p.hops[i].Out == at.Port)
}

// halfMovedAt reports whether a pair may take the tail of an abandoned move through a place. d.mu
// is held.
func (d *Datapath) halfMovedAt(pr pair, at netview.Point) bool {
	return slices.ContainsFunc(d.halfMoved[pr], func(p *path) bool { return p.touches(at) })
}

// PairsOf counts the pairs of which a host is an end. It costs time in the number of all pairs, and
// may be called from any goroutine.
func (f *Forward) PairsOf(id netview.HostID) (sum int) {
	key := hostKey(id.MAC.Uint64(), id.VLAN)
	for _, d := range f.datapaths() {
		d.mu.Lock()
		d.pairs.All(func(pr pair, _ flow) bool {
			if pr.srcKey() == key || pr.dstKey() == key {
				sum++
			}
			return true
		})
		d.mu.Unlock()
	}
	return sum
}
