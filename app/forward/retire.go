package forward

import (
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/plan"
)

// retiredPath is a path that a pair has left, and the ingress switch of the pair. The path keeps
// its reference until its rules are deleted, so that its number, which is in their cookie, is not
// reused meanwhile.
type retiredPath struct {
	d    *Datapath
	pr   pair
	path *path
	due  uint32 // second in which its rules may be deleted
}

// retired are the paths that pairs have left. Their rules stay for a second or two, or for twice
// the path's latency if that is longer: for packets in transit.
type retired struct {
	mu   sync.Mutex
	list []retiredPath
}

// retire schedules the deletion of a path's rules for a pair that enters here and does not use it any
// more, or never did: its source may be at one of those switches by now. The path's reference
// passes to the retired ones.
func (d *Datapath) retire(pr pair, p *path) { d.f.retired.add(retiredPath{d, pr, p, d.f.emptyAt(p)}) }

func (r *retired) add(l retiredPath) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, l)
}

// countAt counts those that cross a place.
func (r *retired) countAt(at netview.Point) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.list {
		if r.list[i].path.touches(at) {
			n++
		}
	}
	return n
}

// delete deletes the rules of those that are due.
func (r *retired) delete(now uint32) {
	r.mu.Lock()
	var due, rest []retiredPath
	for _, l := range r.list {
		if l.due <= now {
			due = append(due, l)
		} else {
			rest = append(rest, l)
		}
	}
	r.list = rest
	r.mu.Unlock()
	var wrote written
	for i := range due {
		l := &due[i]
		if later := l.delete(&wrote); later {
			l.due = now + 1
			r.add(*l)
		} else {
			l.d.f.paths.release(l.path.id)
		}
	}
	wrote.flush()
}

// emptyAt returns the second in which no packet is left on a path that a pair leaves now.
func (f *Forward) emptyAt(p *path) uint32 {
	us := uint64(0)
	if snap := f.snap.Load(); snap != nil {
		for i := 0; i+1 < len(p.hops); i++ {
			if l, ok := snap.Link(linkBetween(p.hops[i], p.hops[i+1])); ok {
				us += l.LatencyUS
			}
		}
	}
	return f.seconds.Load() + 2 + uint32(pathing.Transit(us)/time.Second)
}

// delete deletes the pair's rules at the switches that only the retired path crosses: not those of
// the pair's current path, of one it is about to take, or of an abandoned move. It adds the outputs
// that it has written to; later: a switch had no room, and has to be told again. One without a
// connection is told when it has been read (deleteUnknown).
func (l *retiredPath) delete(wrote *written) (later bool) {
	d := l.d
	elsewhere := d.f.pathsInUse(l.pr, l.path.hops[0].DPID)
	d.mu.Lock()
	defer d.mu.Unlock()
	inUse := append(elsewhere, d.pathsOf(l.pr)...)
	for i, h := range l.path.hops {
		// the first is where the pair enters: its rule is replaced, or gone
		if i == 0 || slices.ContainsFunc(inUse, func(p *path) bool { return p.indexOf(h.DPID) >= 0 }) {
			continue
		}
		switch out := d.f.connOf(h.DPID); {
		case out == nil:
		case d.deleteRule(out, l.pr, d.f.cookieAt(l.path, i), h.Out):
			wrote.add(out)
		default:
			later = true
		}
	}
	return later
}

// has reports whether a rule of a path is scheduled for deletion.
func (r *retired) has(pr pair, p *path) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.list, func(l retiredPath) bool { return l.pr == pr && l.path == p })
}

// deleteRule deletes a pair's rule on a switch: that with this cookie, if the version can restrict
// deletions, which sends to this port. d.mu is held.
func (d *Datapath) deleteRule(out *switchConn, pr pair, cookie uint64, port uint32) bool {
	d.pairRule(&d.fm, pr, cookie, out.table, port)
	d.fm.Command, d.fm.OutPort, d.fm.Instructions = openflow.FlowDeleteStrict, port, nil
	if out.cookies {
		d.fm.CookieMask = plan.ExactMask
	}
	return d.send(out.FlowMod(&d.fm))
}
