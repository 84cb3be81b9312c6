package paths

import "github.com/weirnet/weir/emu/topo"

// Shortest are shortest ways between the switches of a topology, over links that are up.
type Shortest struct {
	Far  map[topo.End]topo.End // the other end of each link's end
	Of   [][]topo.End          // the ends of links at each switch
	Down map[topo.End]bool
	// by the switch that ways lead to and the one that they are at: the port by which they go on,
	// 0: none; nil: not looked for yet
	nextHops [][]uint32
}

// NewShortest has all links of a topology up.
func NewShortest(t *topo.Topology) *Shortest {
	n := len(t.Switches)
	w := &Shortest{Far: map[topo.End]topo.End{}, Of: make([][]topo.End, n), Down: map[topo.End]bool{},
		nextHops: make([][]uint32, n)}
	for _, l := range t.Links {
		w.Far[l.A], w.Far[l.B] = l.B, l.A
		w.Of[l.A.Switch], w.Of[l.B.Switch] = append(w.Of[l.A.Switch], l.A), append(w.Of[l.B.Switch], l.B)
	}
	return w
}

// Set has an end of a link be up or down, and reports whether it was not. A link with an end that
// is down is not taken.
func (w *Shortest) Set(at topo.End, up bool) bool {
	if _, ok := w.Far[at]; !ok || w.Down[at] == !up {
		return false
	}
	w.Down[at] = !up
	clear(w.nextHops)
	return true
}

// Hops are those of a way: the switch, the port in, and the port out of each; nil if there is none.
func (w *Shortest) Hops(from, to topo.End) (list [][3]uint32) {
	t := w.nextHops[to.Switch]
	if t == nil {
		t = w.tree(to.Switch)
		w.nextHops[to.Switch] = t
	}
	for from.Switch != to.Switch {
		out := t[from.Switch]
		if out == 0 {
			return nil
		}
		list = append(list, [3]uint32{uint32(from.Switch), from.Port, out})
		from = w.Far[topo.End{Switch: from.Switch, Port: out}]
	}
	return append(list, [3]uint32{uint32(from.Switch), from.Port, to.Port})
}

// tree is a shortest way from each switch to one.
func (w *Shortest) tree(to int) []uint32 {
	t := make([]uint32, len(w.Of))
	for queue := []int{to}; len(queue) > 0; queue = queue[1:] {
		for _, near := range w.Of[queue[0]] {
			far := w.Far[near]
			if far.Switch != to && t[far.Switch] == 0 && !w.Down[near] && !w.Down[far] {
				t[far.Switch] = far.Port
				queue = append(queue, far.Switch)
			}
		}
	}
	return t
}

// Elsewhere are the hops whose entries no other has the place of.
func Elsewhere(hops, others [][3]uint32) (out [][3]uint32) {
	for _, h := range hops {
		kept := false
		for _, o := range others {
			kept = kept || o[0] == h[0] && o[1] == h[1]
		}
		if !kept {
			out = append(out, h)
		}
	}
	return out
}
