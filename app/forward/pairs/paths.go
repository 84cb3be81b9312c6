package pairs

import (
	"cmp"
	"slices"
	"sync"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/topology"
)

// Paths holds each path once, and counts who holds it: pairs, and what is about to be one, or was. It finds paths by
// the ports that they leave switches by. Any goroutine may call it.
type Paths struct {
	cookies

	mu    sync.Mutex
	paths pathing.Registry[Path]
	outs  pathing.Ports[struct{}] // the ports out of all hops
	// inherited are the paths that an earlier run chose, by the cookies of their rules.
	inherited map[uint64][]*Path
}

// NewPaths returns the paths of a run, which has none. The run's number is in the cookies of its rules, with
// the domain (package plan).
func NewPaths(domain, run uint16) *Paths {
	return &Paths{cookies: cookies{domain: domain, run: run}, inherited: make(map[uint64][]*Path)}
}

// Acquire finds or adds the path with these hops, which it copies. The caller holds it.
func (t *Paths) Acquire(hops []topology.Hop) *Path { return t.acquire(hops, nil) }

// Adopt is Acquire for a path of an earlier run, whose rules have these cookies.
func (t *Paths) Adopt(hops []topology.Hop, cookies []uint64) *Path { return t.acquire(hops, cookies) }

func (t *Paths) acquire(hops []topology.Hop, cookies []uint64) *Path {
	hash := hashOf(hops, cookies)
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.paths.Find(hash, func(p *Path) bool { return slices.Equal(p.Hops, hops) && slices.Equal(p.cookies, cookies) })
	if p == nil {
		p = &Path{Hops: slices.Clone(hops), cookies: slices.Clone(cookies), outs: make([]position, len(hops))}
		p.ID = t.paths.Add(hash, p)
		t.index(p)
	}
	p.refs++
	return p
}

// index has a new path found by its ports and cookies. t.mu is held.
func (t *Paths) index(p *Path) {
	for i := range p.Hops {
		port := t.outs.Number(p.out(i))
		p.outs[i] = position{port, t.outs.Add(port, p.ID)}
	}
	for i, c := range p.cookies {
		if !slices.Contains(p.cookies[:i], c) {
			t.inherited[c] = append(t.inherited[c], p)
		}
	}
}

// remove forgets a path that nobody holds. t.mu is held.
func (t *Paths) remove(p *Path) {
	t.paths.Remove(hashOf(p.Hops, p.cookies), p.ID)
	for _, at := range p.outs {
		if moved := t.outs.Remove(at.port, at.index); moved != 0 {
			t.paths.At(moved).moved(at)
		}
	}
	for _, c := range p.cookies {
		t.inherited[c] = slices.DeleteFunc(t.inherited[c], func(q *Path) bool { return q == p })
		if len(t.inherited[c]) == 0 {
			delete(t.inherited, c)
		}
	}
}

// Hold holds a path once more, which somebody holds.
func (t *Paths) Hold(p *Path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p.refs++
}

// HoldByID finds a path by its number, and holds it; nil if there is none.
func (t *Paths) HoldByID(id uint32) *Path {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.at(id)
	if p != nil {
		p.refs++
	}
	return p
}

// Release undoes one Acquire, Adopt or Hold of a path by its number; the path goes with the last one. 0 is no
// path.
func (t *Paths) Release(id uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id == 0 {
		return
	}
	p := t.paths.At(id)
	if p.refs--; p.refs == 0 {
		t.remove(p)
	}
}

// at finds a path by its number; nil if there is none. t.mu is held.
func (t *Paths) at(id uint32) *Path {
	if !t.paths.Has(id) {
		return nil
	}
	return t.paths.At(id)
}

// Get finds a path by its number; nil if there is none.
func (t *Paths) Get(id uint32) *Path {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at(id)
}

// Is reports whether a flow has the path with these hops, and it is not dead.
func (t *Paths) Is(fl Flow, hops []topology.Hop) bool {
	p := t.Get(fl.Path)
	return p != nil && !p.Dead() && slices.Equal(p.Hops, hops)
}

// ByCookie finds the path whose rule on a switch has this cookie, of this run or an earlier one; nil if there
// is none.
func (t *Paths) ByCookie(cookie uint64, dpid netview.DPID) *Path {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ThisRun(cookie) {
		if p := t.at(pathIn(cookie)); p != nil && p.cookies == nil && p.IndexOf(dpid) >= 0 {
			return p
		}
	}
	for _, p := range t.inherited[cookie] {
		if i := p.IndexOf(dpid); i >= 0 && p.cookies[i] == cookie {
			return p
		}
	}
	return nil
}

// Leaving returns the paths that leave a switch by one of these ports, by number.
func (t *Paths) Leaving(ports map[netview.Point]bool) (list []*Path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.leaving(ports)
}

func (t *Paths) leaving(ports map[netview.Point]bool) (list []*Path) {
	for at := range ports {
		if port := t.outs.At(at); port != nil {
			for _, id := range port.Paths {
				list = append(list, t.paths.At(id))
			}
		}
	}
	slices.SortFunc(list, func(a, b *Path) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Compact(list)
}

// MarkDead finds the paths that leave a switch by one of these ports, which are gone, and marks them. The same
// hops acquired from now on are another path, whose rules have another cookie.
func (t *Paths) MarkDead(left map[netview.Point]bool) map[uint32]*Path {
	t.mu.Lock()
	defer t.mu.Unlock()
	dead := make(map[uint32]*Path)
	for _, p := range t.leaving(left) {
		if p.Dead() {
			continue
		}
		dead[p.ID] = p
		p.dead.Store(true)
		t.paths.Hide(hashOf(p.Hops, p.cookies), p.ID)
	}
	return dead
}

// All returns all paths, by number.
func (t *Paths) All() (list []*Path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.paths.All() {
		list = append(list, p)
	}
	return list
}

// hashOf returns the hash of what distinguishes paths.
func hashOf(hops []topology.Hop, cookies []uint64) uint64 {
	h := pathing.HashOf(len(hops))
	for i := range hops {
		h = h.Hop(hops[i].DPID, hops[i].In, hops[i].Out)
	}
	for _, c := range cookies {
		h = h.With(c)
	}
	return h.Sum()
}
