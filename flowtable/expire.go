package flowtable

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// Expire removes the entries whose time is over. Next is when it has to be called again, if ok;
// calls before that do no harm.
func (s *Switch) Expire(now time.Duration, out Output) (next time.Duration, ok bool) {
	s.begin(now, out)
	defer s.end()
	for _, t := range s.tables {
		if t == nil {
			continue
		}
		e, at := t.heap.first()
		for ; e != nil && at <= now; e, at = t.heap.first() {
			_, why, _ := e.end()
			s.remove(e, why)
		}
		if e != nil && (!ok || at < next) {
			next, ok = at, true
		}
	}
	return next, ok
}

// evict makes room in a full table: the entry that would run out first goes, of those that have a
// time-out. There must be one.
func (s *Switch) evict(t *table) {
	e, _ := t.heap.first()
	s.remove(e, openflow.RemovedDelete)
}
