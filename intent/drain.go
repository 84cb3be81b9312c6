package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// DrainProgress counts the intents that have rules at a port or on a switch.
type DrainProgress struct {
	// Revision is the view's revision that the counts are of; 0 while its consequences are not all
	// computed.
	Revision netview.Revision
	// Leaving counts those whose rules there are being removed: re-routed, or withdrawn.
	Leaving int
	// Ends counts those that stay because they begin or end there; NoOther those that stay without
	// a better path. First are the ids of the first of both.
	Ends, NoOther int
	First         []string
}

// maxFirst is how many ids DrainProgress.First has.
const maxFirst = 10

// DrainProgress counts the intents that pass a port, or, with port 0, a switch. It takes time
// proportional to the number of paths and of these intents. It returns false after shutdown.
func (e *Engine) DrainProgress(at netview.Point) (p DrainProgress, ok bool) {
	ok = e.Query(func(c *Core) { p = c.drainProgress(at) })
	return p, ok
}

func (c *Core) drainProgress(at netview.Point) (p DrainProgress) {
	if c.network.Snap == nil || c.more() || c.entries.restoring > 0 {
		return p
	}
	p.Revision = c.network.Snap.Revision()
	stays := make(map[uint32]bool) // true: it begins or ends there
	leaving := make(map[uint32]bool)
	for path := range c.registry.All() {
		if !path.Touches(at) {
			continue
		}
		ends := path.Ends(at)
		c.registry.EachHolder(path, func(n uint32) bool {
			e := c.entries.At(n)
			switch {
			case e.content == "" || !c.entries.holds(n, path.Route()):
			case !e.rules.Takes(path.Route()):
				if e.transition.retiringAt(at.DPID) { // else the remaining rules are on another switch, which does not answer
					leaving[n] = true
				}
			case e.has(candidate), c.inProgress(e):
				leaving[n] = true
			default:
				stays[n] = stays[n] || ends
			}
			return true
		})
	}
	var numbers []uint32
	for n, ends := range stays {
		switch {
		case leaving[n]:
			continue
		case ends:
			p.Ends++
		default:
			p.NoOther++
		}
		numbers = append(numbers, n)
	}
	p.Leaving = len(leaving)
	slices.Sort(numbers)
	for _, n := range numbers[:min(len(numbers), maxFirst)] {
		p.First = append(p.First, idOf(c.entries.At(n).content))
	}
	return p
}

// inProgress reports whether a transition can make progress: it waits for a connected switch, or
// for the drain time.
func (c *Core) inProgress(e *coreEntry) bool {
	tr := e.transition
	if tr == nil || tr.done {
		return tr != nil && tr.next != nil
	}
	for rule := range e.rules.Len() {
		_, hop := e.rules.At(rule)
		if sw, known := c.network.Snap.Switch(hop.DPID); tr.await.has(uint16(rule)) && known && sw.Connected {
			return true
		}
	}
	return false
}
