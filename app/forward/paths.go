package forward

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

// A path is the list of switches that a pair crosses, from its ingress on, each with the port in
// and out.
type path struct {
	id   uint32
	key  string
	hops []topology.Hop
	refs int // pairs and installs that use it
	// cookies are those of its rules, hop by hop, where an earlier run wrote them; else nil.
	cookies []uint64

	broken bool // a link of it is down; under the registry's lock
	// dead: a port that it leaves a switch by is there no more, or is another one. Its rules mean
	// nothing any more.
	dead atomic.Bool
}

// egress returns where the path leaves the network.
func (p *path) egress() netview.Point {
	last := p.hops[len(p.hops)-1]
	return netview.Point{DPID: last.DPID, Port: last.Out}
}

// leavesBy reports whether the path leaves a switch by one of these ports.
func (p *path) leavesBy(ports map[netview.Point]bool) bool {
	return slices.ContainsFunc(p.hops, func(h topology.Hop) bool { return ports[netview.Point{DPID: h.DPID, Port: h.Out}] })
}

// crosses reports whether the path uses a link of the set.
func (p *path) crosses(down map[netview.LinkKey]bool) bool {
	for i := 0; i+1 < len(p.hops); i++ {
		if down[linkBetween(p.hops[i], p.hops[i+1])] {
			return true
		}
	}
	return false
}

// usable reports whether all links of the path can be used.
func (p *path) usable(m *topology.Map) bool {
	_, ok := m.PathCost(p.hops)
	return ok && !p.dead.Load()
}

// indexOf returns the index of the hop at a switch, -1 if there is none.
func (p *path) indexOf(dpid netview.DPID) int {
	return slices.IndexFunc(p.hops, func(h topology.Hop) bool { return h.DPID == dpid })
}

func linkBetween(a, b topology.Hop) netview.LinkKey {
	return netview.LinkKey{
		Src: netview.Point{DPID: a.DPID, Port: a.Out},
		Dst: netview.Point{DPID: b.DPID, Port: b.In},
	}
}

// pathRegistry holds each path once, with the number of pairs and installs that use it. Any
// goroutine may call it.
type pathRegistry struct {
	mu   sync.Mutex
	ids  map[string]*path
	byID []*path // index is the id; 0 is never used
	// inherited are the paths that an earlier run chose, by the cookies of their rules.
	inherited map[uint64][]*path
	free      []uint32
	key       []byte
}

func newPaths() *pathRegistry {
	return &pathRegistry{ids: make(map[string]*path), byID: make([]*path, 1), inherited: make(map[uint64][]*path)}
}

// acquire finds or adds the path with these hops, which it copies, and adds a reference.
func (t *pathRegistry) acquire(hops []topology.Hop) *path {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.key = appendHops(t.key[:0], hops)
	return t.acquireKey(hops, nil)
}

// adopt is acquire for a path of an earlier run, whose rules have these cookies.
func (t *pathRegistry) adopt(hops []topology.Hop, cookies []uint64) *path {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.key = appendHops(t.key[:0], hops)
	for _, c := range cookies {
		t.key = binary.LittleEndian.AppendUint64(t.key, c)
	}
	return t.acquireKey(hops, cookies)
}

// acquireKey finds or adds the path of t.key, and adds a reference. t.mu is held.
func (t *pathRegistry) acquireKey(hops []topology.Hop, cookies []uint64) *path {
	p := t.ids[string(t.key)]
	if p == nil {
		p = &path{key: string(t.key), hops: slices.Clone(hops), cookies: slices.Clone(cookies)}
		for i, c := range p.cookies {
			if !slices.Contains(p.cookies[:i], c) {
				t.inherited[c] = append(t.inherited[c], p)
			}
		}
		if n := len(t.free); n > 0 {
			p.id, t.free = t.free[n-1], t.free[:n-1]
			t.byID[p.id] = p
		} else {
			p.id = uint32(len(t.byID))
			t.byID = append(t.byID, p)
		}
		t.ids[p.key] = p
	}
	p.refs++
	return p
}

// retain adds a reference to a path that has one.
func (t *pathRegistry) retain(p *path) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p.refs++
}

// retainByID finds a path by its number and adds a reference; nil for 0.
func (t *pathRegistry) retainByID(id uint32) *path {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.byID[id]
	if p != nil {
		p.refs++
	}
	return p
}

// release removes a reference, and the path with the last one.
func (t *pathRegistry) release(id uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id == 0 {
		return
	}
	p := t.byID[id]
	if p.refs--; p.refs == 0 {
		if t.ids[p.key] == p {
			delete(t.ids, p.key)
		}
		for _, c := range p.cookies {
			t.inherited[c] = slices.DeleteFunc(t.inherited[c], func(q *path) bool { return q == p })
			if len(t.inherited[c]) == 0 {
				delete(t.inherited, c)
			}
		}
		t.byID[id] = nil
		t.free = append(t.free, id)
	}
}

// get finds a path by its number; nil if it is not in use.
func (t *pathRegistry) get(id uint32) *path {
	t.mu.Lock()
	defer t.mu.Unlock()
	if int(id) >= len(t.byID) {
		return nil
	}
	return t.byID[id]
}

// byCookie finds the path whose rule on a switch has this cookie, of this run or an earlier one;
// nil if there is none.
func (t *pathRegistry) byCookie(cookie uint64, thisLife bool, dpid netview.DPID) *path {
	t.mu.Lock()
	defer t.mu.Unlock()
	if thisLife {
		if id := plan.Decode(cookie).Owner; int(id) < len(t.byID) {
			if p := t.byID[id]; p != nil && p.cookies == nil && p.indexOf(dpid) >= 0 {
				return p
			}
		}
	}
	for _, p := range t.inherited[cookie] {
		if i := p.indexOf(dpid); i >= 0 && p.cookies[i] == cookie {
			return p
		}
	}
	return nil
}

// markDead finds the paths that leave a switch by one of these ports, which are gone, and marks
// them. The same hops acquired from now on are another path, whose rules have another cookie.
func (t *pathRegistry) markDead(left map[netview.Point]bool) map[uint32]*path {
	dead := t.find(func(p *path) bool { return !p.dead.Load() && p.leavesBy(left) })
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range dead {
		p.broken = true
		p.dead.Store(true)
		if t.ids[p.key] == p {
			delete(t.ids, p.key)
		}
	}
	return dead
}

// all returns the paths in use, by number.
func (t *pathRegistry) all() []*path {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.byID), func(p *path) bool { return p == nil })
}

// find returns the paths for which wanted is true.
func (t *pathRegistry) find(wanted func(*path) bool) map[uint32]*path {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := make(map[uint32]*path)
	for _, p := range t.byID {
		if p != nil && wanted(p) {
			found[p.id] = p
		}
	}
	return found
}

func appendHops(b []byte, hops []topology.Hop) []byte {
	for _, h := range hops {
		b = binary.LittleEndian.AppendUint64(b, uint64(h.DPID))
		b = binary.LittleEndian.AppendUint32(b, h.In)
		b = binary.LittleEndian.AppendUint32(b, h.Out)
	}
	return b
}
