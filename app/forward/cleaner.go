package forward

import (
	"slices"

	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
)

// cleaner deletes the rules of paths that pairs have left. Step's goroutine owns it.
//
// A pair is recorded at the switch where it enters the network. When it is forgotten there, or its
// source has moved, the remaining rules of its path must be deleted: a source that is at one of
// those switches by now would use an unrecorded rule, which does not time out while it is used, and
// which is wrong when the destination moves.
type cleaner struct {
	*shared
	writer outlet.Writer
	wrote  outlet.Written
}

// due deletes the rules of retired paths that are due.
func (c *cleaner) due() {
	now := c.clock.second()
	due := c.retired.takeDue(now)
	for i := range due {
		l := &due[i]
		if later := c.delete(l); later {
			l.due = now + 1
			c.retired.put(*l)
		} else {
			c.paths.Release(l.path.ID)
		}
	}
	c.flush()
}

// flush flushes what was written to.
func (c *cleaner) flush() {
	c.wrote.Flush()
	c.wrote = c.wrote[:0]
}

// delete deletes a pair's rules at the switches that only the retired path crosses: not those of
// the pair's current path, of one it is about to take, or of an abandoned move. Later: a switch had no room, and
// has to be told again. One without a connection is told when it has been read: of this run's rules by
// adopter.deleteUnknown, and of an earlier run's once packets could use them (isWrong).
func (c *cleaner) delete(l *retiredPath) (later bool) {
	elsewhere := c.pathsInUse(l.pr, l.path.Ingress())
	l.in.mu.Lock()
	defer l.in.mu.Unlock()
	inUse := append(elsewhere, l.in.pathsOf(l.pr)...)
	for i, h := range l.path.Hops {
		// the first is where the pair enters: its rule is replaced, or gone
		if i == 0 || slices.ContainsFunc(inUse, func(p *pairs.Path) bool { return p.IndexOf(h.DPID) >= 0 }) {
			continue
		}
		if out := c.switches.conn(h.DPID); out != nil && !c.deleteRule(out, l.pr, c.paths.CookieAt(l.path, i), h.Out) {
			later = true
		}
	}
	return later
}

// deleteRule deletes a rule of a pair. The lock of the pair's ingress is held.
func (c *cleaner) deleteRule(out *outlet.Conn, pr pairs.Pair, cookie uint64, port uint32) bool {
	ok := c.writer.Delete(out, pr, cookie, port)
	if ok {
		c.wrote.Add(out)
	}
	return ok
}

// pathsInUse returns the paths that a pair uses or is about to use, from the current switch of its
// source, and from another switch.
func (c *cleaner) pathsInUse(pr pairs.Pair, from netview.DPID) (paths []*pairs.Path) {
	if at, known := c.places.At(pr.Src()); known && at.DPID != from {
		paths = c.pathsInUseAt(pr, at.DPID)
	}
	return append(paths, c.pathsInUseAt(pr, from)...)
}

// pathsInUseAt returns those from one switch.
func (c *cleaner) pathsInUseAt(pr pairs.Pair, from netview.DPID) []*pairs.Path {
	d := c.switches.get(from)
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pathsOf(pr)
}

// portsGone deletes, before their time, the rules of retired paths that send to ports which are gone.
func (c *cleaner) portsGone(left map[netview.Point]bool) {
	for _, l := range c.retired.all() {
		if l.path.LeavesBy(left) {
			l.in.mu.Lock()
			c.deleteAt(left, l.pr, l.path)
			l.in.mu.Unlock()
		}
	}
}

// deleteAt deletes a pair's rules of a path that send to these ports. The lock of the pair's ingress is held.
func (c *cleaner) deleteAt(ports map[netview.Point]bool, pr pairs.Pair, p *pairs.Path) {
	for i, h := range p.Hops {
		if !ports[netview.Point{DPID: h.DPID, Port: h.Out}] {
			continue
		}
		if out := c.switches.conn(h.DPID); out != nil {
			c.deleteRule(out, pr, c.paths.CookieAt(p, i), h.Out)
		}
	}
}
