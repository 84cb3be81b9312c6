package forward

import (
	"sync"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// left is a path that a pair has left, and the ingress switch of the pair. The path is counted until its rules are
// deleted, so that its number, which is in their cookie, means nothing else meanwhile.
type left struct {
	d    *Datapath
	pr   pair
	path *path
}

// retired are the paths that pairs have left. Their rules stay for one to two seconds: packets that are on the way still
// find them.
type retired struct {
	mu       sync.Mutex
	now, old []left
}

func (r *retired) add(l left) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = append(r.now, l)
}

// delete deletes the rules of what was added before the last call.
func (r *retired) delete() {
	r.mu.Lock()
	due := r.old
	r.old, r.now = r.now, nil
	r.mu.Unlock()
	written := make(map[*outlet]bool)
	for i := range due {
		due[i].delete(written)
	}
	for out := range written {
		out.Flush()
	}
}

// delete deletes the pair's rules at the switches that only the path it has left passes.
func (l *left) delete(written map[*outlet]bool) {
	d := l.d
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.f.paths.drop(l.path.id)
	fl, _ := d.pairs.get(l.pr)
	now := d.f.paths.get(fl.path)
	for _, h := range l.path.hops {
		next := d.f.datapath(h.DPID)
		if h.DPID == d.id || next == nil || now != nil && now.visit(h.DPID) >= 0 {
			continue
		}
		out := next.outlet.Load()
		if out == nil {
			continue
		}
		d.pairRule(&d.fm, l.pr, d.f.cookie(l.path.id), out.table, h.Out)
		d.fm.Command, d.fm.OutPort, d.fm.Instructions = openflow.FlowDeleteStrict, h.Out, nil
		if out.cookies {
			d.fm.CookieMask = plan.ExactMask
		}
		if d.send(out.FlowMod(&d.fm)) {
			written[out] = true
		}
	}
}
