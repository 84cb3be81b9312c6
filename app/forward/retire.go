package forward

import (
	"slices"
	"sync"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// left is a path that a pair has left, and the ingress switch of the pair. The path is counted until its rules are
// deleted, so that its number, which is in their cookie, means nothing else meanwhile.
type left struct {
	d    *Datapath
	pr   pair
	path *path
	due  uint32 // second in which its rules may go
}

// retired are the paths that pairs have left. Their rules stay for a second or two, or for twice the path's latency if
// that is longer: packets that are on the way still find them.
type retired struct {
	mu   sync.Mutex
	list []left
}

func (r *retired) add(l left) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, l)
}

// touching counts those that pass a place.
func (r *retired) touching(at netview.Point) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.list {
		if r.list[i].path.touches(at) {
			n++
		}
	}
	return n
}

// delete deletes the rules of what is due.
func (r *retired) delete(now uint32) {
	r.mu.Lock()
	var due, rest []left
	for _, l := range r.list {
		if l.due <= now {
			due = append(due, l)
		} else {
			rest = append(rest, l)
		}
	}
	r.list = rest
	r.mu.Unlock()
	var written []*outlet
	for i := range due {
		l := &due[i]
		if later := l.delete(&written); later {
			l.due = now + 1
			r.add(*l)
		} else {
			l.d.f.paths.drop(l.path.id)
		}
	}
	for _, out := range written {
		out.Flush()
	}
}

// drained is the second in which no packet is left on a path that a pair leaves now.
func (f *Forward) drained(p *path) uint32 {
	us := uint64(0)
	if snap := f.snap.Load(); snap != nil {
		for i := 0; i+1 < len(p.hops); i++ {
			if l, ok := snap.Link(linkBetween(p.hops[i], p.hops[i+1])); ok {
				us += l.LatencyUS
			}
		}
	}
	return f.seconds.Load() + 2 + uint32(min(us/500_000, 60))
}

// delete deletes the pair's rules at the switches that only the path it has left passes: not where the pair goes now, or
// is about to, or may go since a move was given up. It adds the outputs that it has written to; later says that a switch had no room,
// and has to be told again. One without a connection is told when it has been read (unknown).
func (l *left) delete(written *[]*outlet) (later bool) {
	d := l.d
	elsewhere := d.f.used(l.pr, l.path.hops[0].DPID)
	d.mu.Lock()
	defer d.mu.Unlock()
	fl, _ := d.pairs.get(l.pr)
	inUse := append(elsewhere, d.mixed[l.pr]...)
	if now := d.f.paths.get(fl.path); now != nil {
		inUse = append(inUse, now)
	}
	if w := d.waiting[l.pr]; w != nil {
		inUse = append(inUse, w.path)
	}
	for i, h := range l.path.hops {
		next := d.f.datapath(h.DPID)
		if i == 0 || next == nil || passesAny(inUse, h.DPID) { // the first is where the pair enters: its rule is replaced, or went
			continue
		}
		out := next.outlet.Load()
		switch {
		case out == nil:
		case !d.deleteRule(out, l.pr, d.f.cookieAt(l.path, i), h.Out):
			later = true
		case !slices.Contains(*written, out):
			*written = append(*written, out)
		}
	}
	return later
}

// leaves reports whether a rule of a path is to be deleted when its time has come.
func (r *retired) leaves(pr pair, p *path) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.list, func(l left) bool { return l.pr == pr && l.path == p })
}

// deleteRule deletes a pair's rule on a switch: that with this cookie, where the version can say it, which sends to this
// port. d.mu is held.
func (d *Datapath) deleteRule(out *outlet, pr pair, cookie uint64, port uint32) bool {
	d.pairRule(&d.fm, pr, cookie, out.table, port)
	d.fm.Command, d.fm.OutPort, d.fm.Instructions = openflow.FlowDeleteStrict, port, nil
	if out.cookies {
		d.fm.CookieMask = plan.ExactMask
	}
	return d.send(out.FlowMod(&d.fm))
}

func passesAny(paths []*path, dpid netview.DPID) bool {
	for _, p := range paths {
		if p.visit(dpid) >= 0 {
			return true
		}
	}
	return false
}
