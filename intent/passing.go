package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// Passing is how many intents have rules at a port or a switch.
type Passing struct {
	// Revision is that of the view which is taken in; 0 while not everything that follows from it is decided.
	Revision netview.Revision
	// Leaving are those whose rules there go: to another path, or with the intent.
	Leaving int
	// Ends are those that stay since their packets come in or go out there; NoOther those that stay since nothing better was found. First are the ids of
	// the first of both.
	Ends, NoOther int
	First         []string
}

// firstPassing is how many of those that stay are named.
const firstPassing = 10

// Passing counts the intents that pass a port, or, with port 0, a switch. It costs time in the number of ways and of these intents. False: the engine
// is over.
func (e *Engine) Passing(at netview.Point) (p Passing, ok bool) {
	ok = e.Ask(func(c *Core) { p = c.passing(at) })
	return p, ok
}

func (c *Core) passing(at netview.Point) (p Passing) {
	if c.snap == nil || c.more() || c.adopting > 0 {
		return p
	}
	p.Revision = c.snap.Revision()
	stays := make(map[uint32]bool) // true: its ends are there
	leaving := make(map[uint32]bool)
	for _, w := range c.routes.list {
		if w == nil || !w.touches(at) {
			continue
		}
		ends := w.ends(at)
		for _, n := range w.holders.list {
			e := c.entries.at(n)
			switch {
			case e.content == "" || !c.holdsWay(n, &w.route):
			case !takes(e.program, &w.route), e.has(candidate), e.change != nil && (!e.change.done || e.change.next != nil):
				leaving[n] = true
			default:
				stays[n] = stays[n] || ends
			}
		}
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
	for _, n := range numbers[:min(len(numbers), firstPassing)] {
		p.First = append(p.First, idOf(c.entries.at(n).content))
	}
	return p
}

// touches reports whether a way passes a port or, with port 0, a switch.
func (w *way) touches(at netview.Point) bool {
	for _, h := range w.route.Hops {
		if h.DPID == at.DPID && (at.Port == 0 || h.In == at.Port || slices.Contains(h.Out, at.Port)) {
			return true
		}
	}
	return false
}

// ends reports whether packets come in or go out at a port or, with port 0, a switch.
func (w *way) ends(at netview.Point) bool {
	inner := make(map[netview.Point]bool) // ports to the next hop
	w.eachLink(func(k netview.LinkKey) { inner[k.Src] = true })
	for k, h := range w.route.Hops {
		if h.DPID != at.DPID {
			continue
		}
		if w.ingress(k) && (at.Port == 0 || h.In == at.Port) {
			return true
		}
		for _, out := range h.Out {
			if (at.Port == 0 || out == at.Port) && !inner[netview.Point{DPID: h.DPID, Port: out}] {
				return true
			}
		}
	}
	return false
}
