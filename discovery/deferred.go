package discovery

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// deferredSightings are the sightings at ports of unknown role, until that is known. Repetitions
// are filtered as those of known hosts are.
type deferredSightings struct {
	*transaction
	seen  *seenCache
	at    map[netview.Point][]sighting
	count int
}

func (q *deferredSightings) add(s *sighting) {
	list := q.at[s.at]
	if q.count >= q.limits.Pending || len(list) >= max(q.limits.Pending/pendingShare, 1) {
		q.Counts.Refused.Add(1)
		return
	}
	if !slices.Contains(list, *s) {
		q.at[s.at] = append(list, *s)
		q.count++
	}
	q.seen.add(q.seen.hashHost(s.id, s.at, s.ip))
}

// take removes and returns the sightings at a port.
func (q *deferredSightings) take(at netview.Point) []sighting {
	list := q.at[at]
	if list != nil {
		delete(q.at, at)
		q.count -= len(list)
	}
	for i := range list {
		q.seen.remove(q.seen.hashHost(list[i].id, at, list[i].ip))
	}
	return list
}
