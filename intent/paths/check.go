package paths

import (
	"fmt"
	"iter"

	"github.com/weirnet/weir/ruleset"
)

// Check compares who takes paths with who should: of each number below end, desired is its rule set, nil
// without one, and sets yields that and the retiring ones.
func (r *Registry) Check(end uint32, desired func(uint32) *ruleset.Set, sets func(uint32) iter.Seq[*ruleset.Set]) error {
	users, left, leave := make(map[*ruleset.Route]int), make(map[*ruleset.Route][]uint32), 0
	for n := range end {
		want := desired(n)
		seen := make(map[*ruleset.Route]bool)
		for g := range sets(n) {
			for route := range g.Routes() {
				switch {
				case g == want:
					users[route]++
				case !seen[route]:
					seen[route] = true
					left[route] = append(left[route], n)
					leave++
				}
			}
		}
	}
	for path := range r.All() {
		if have := path.users.Count(); have != users[&path.route] {
			return fmt.Errorf("path %v has %d users, there are %d", path.route, have, users[&path.route])
		}
		for _, n := range left[&path.route] {
			found := 0
			r.retiring.Find(hashOf(&path.route), func(m uint32) bool {
				if m == n {
					found++
				}
				return true
			})
			if found != 1 {
				return fmt.Errorf("path %v: number %d leaves it, and is there %d times", path.route, n, found)
			}
		}
	}
	if r.retiring.Len() != leave {
		return fmt.Errorf("%d leave paths, there are %d", r.retiring.Len(), leave)
	}
	return nil
}

// Check compares the latencies that are known with those of the network.
func (s *Status) Check() error {
	for in := range s.registry.inPorts.All() {
		was, again := &in.State, portState{}
		if !was.measured {
			continue
		}
		again.measure(in.Point, s.network.Snap)
		if was.latency != again.latency || was.uncertain != again.uncertain {
			return fmt.Errorf("port %v: a latency of %d, uncertain %v, it is %d, %v", in.Point, was.latency, was.uncertain,
				again.latency, again.uncertain)
		}
	}
	return nil
}
