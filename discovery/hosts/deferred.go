package hosts

import (
	"slices"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// pendingShare is the share of Limits.Pending that one port may take: 1/16.
const pendingShare = 16

// Deferred are the sightings at ports of unknown role, until that is known. Repetitions
// are filtered as those of known hosts are.
type Deferred struct {
	*inventory.Transaction
	seen  *SeenCache
	at    map[netview.Point][]Sighting
	count int
}

func (q *Deferred) add(s *Sighting) {
	list := q.at[s.At]
	if q.count >= q.Limits.Pending || len(list) >= max(q.Limits.Pending/pendingShare, 1) {
		q.Counts.Refused.Add(1)
		return
	}
	if !slices.Contains(list, *s) {
		q.at[s.At] = append(list, *s)
		q.count++
	}
	q.seen.add(q.seen.hashHost(s.ID, s.At, s.IP))
}

// List returns the sightings at a port.
func (q *Deferred) List(at netview.Point) []Sighting { return q.at[at] }

// Take removes and returns the sightings at a port.
func (q *Deferred) Take(at netview.Point) []Sighting {
	list := q.at[at]
	if list != nil {
		delete(q.at, at)
		q.count -= len(list)
	}
	for i := range list {
		q.seen.remove(q.seen.hashHost(list[i].ID, at, list[i].IP))
	}
	return list
}
