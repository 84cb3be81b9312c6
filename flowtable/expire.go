package flowtable

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// Expire removes the entries whose time is over. Next is when it has to be called again, if ok; calls before that do no harm.
func (s *Switch) Expire(now time.Duration, out Output) (next time.Duration, ok bool) {
	s.begin(now, out)
	defer s.end()
	for _, t := range s.tables {
		if t == nil {
			continue
		}
		for {
			e, at := t.heap.first()
			if e == nil {
				break
			}
			if at > now {
				if !ok || at < next {
					next, ok = at, true
				}
				break
			}
			_, why, _ := e.end()
			s.remove(e, why)
		}
	}
	return next, ok
}

// evict makes room in a full table: the entry that would run out first goes. It says whether there was one; entries without a time-out
// stay.
func (s *Switch) evict(t *table) bool {
	e, _ := t.heap.first()
	if e == nil {
		return false
	}
	s.remove(e, openflow.RemovedDelete)
	return true
}
