package forward

import (
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
)

// retired are the paths that pairs have left. Their rules stay for a second or two, or for twice
// the path's latency if that is longer: for packets in transit; then the cleaner deletes them. Any goroutine may
// use it.
type retired struct {
	clock  *clock
	routes *routes
	mu     sync.Mutex
	list   []retiredPath
}

// retiredPath is a path that a pair has left, and the ingress of the pair. The path is held until its rules are
// deleted, so that its number, which is in their cookie, is not reused meanwhile.
type retiredPath struct {
	in   *ingress
	pr   pairs.Pair
	path *pairs.Path
	due  uint32 // second in which its rules may be deleted
}

// add schedules the deletion of a path's rules for a pair that does not use it any more, or never did: its source
// may be at one of those switches by now. The caller's hold of the path passes to the retired ones.
func (r *retired) add(in *ingress, pr pairs.Pair, p *pairs.Path) {
	r.put(retiredPath{in, pr, p, r.clock.second() + 2 + uint32(r.routes.transit(p)/time.Second)})
}

// addDue is add for a path that no packet has taken: its rules are deleted at once.
func (r *retired) addDue(in *ingress, pr pairs.Pair, p *pairs.Path) {
	r.put(retiredPath{in, pr, p, r.clock.second()})
}

func (r *retired) put(l retiredPath) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, l)
}

// countAt counts those that pass a place.
func (r *retired) countAt(at netview.Point) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.list {
		if r.list[i].path.Passes(at) {
			n++
		}
	}
	return n
}

// has reports whether a rule of a path is scheduled for deletion.
func (r *retired) has(pr pairs.Pair, p *pairs.Path) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.list, func(l retiredPath) bool { return l.pr == pr && l.path == p })
}

// all returns those that are left.
func (r *retired) all() []retiredPath {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// takeDue takes those out that are due.
func (r *retired) takeDue(now uint32) (due []retiredPath) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var rest []retiredPath
	for _, l := range r.list {
		if l.due <= now {
			due = append(due, l)
		} else {
			rest = append(rest, l)
		}
	}
	r.list = rest
	return due
}
