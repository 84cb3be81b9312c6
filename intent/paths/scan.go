package paths

import (
	"math"
	"slices"

	"github.com/weirnet/weir/netview"
)

// scan is the look at the paths over links that have changed. To look at a thousand takes as long as to
// re-route the intents of many of them: who scans takes the first that are found, and comes back for the
// rest.
type scan struct {
	keys    []netview.LinkKey // links whose paths are not all looked at
	done    int               // paths into the port of the first of them that are
	touched []uint32          // paths that use these links, or pass their ports, and have to be evaluated
}

// touchedKept is the number of paths for which memory is kept.
const touchedKept = 1 << 16

// Scan begins a look at the paths over links that have changed. The one before is over (Pending).
func (s *Status) Scan(keys []netview.LinkKey) { s.scan.keys = keys }

// Pending reports whether paths are left to be looked at, or evaluated.
func (s *Status) Pending() bool { return len(s.scan.keys)+len(s.scan.touched) > 0 }

// Into returns the number of paths into the ports that links lead to.
func (s *Status) Into(keys []netview.LinkKey) (n int) {
	for _, key := range keys {
		if into := s.registry.inPorts.At(key.Dst); into != nil {
			n += len(into.Paths)
		}
	}
	return n
}

// ScanFirst looks at the paths into the ports of the links, until it has found enough users of paths that
// these have taken down, or to the end. It returns the users, some twice.
func (s *Status) ScanFirst(enough int) (broken []uint32) {
	sc := &s.scan
	for ; len(sc.keys) > 0; sc.keys, sc.done = sc.keys[1:], 0 {
		key := sc.keys[0]
		into := s.registry.inPorts.At(key.Dst)
		if into == nil {
			continue
		}
		_, up, known := s.network.Map.LinkCost(key)
		into.State.measured = false
		for ; sc.done < len(into.Paths); sc.done++ {
			if len(broken) >= enough {
				return broken
			}
			id := into.Paths[sc.done]
			switch path := s.registry.At(id); {
			case !path.Used(): // evaluated when next used
				path.evaluatedOn = nil
			case !up && (known || s.network.Settled) && path.Passes(key):
				path.down = true
				broken = append(broken, path.users.list...)
			default:
				sc.touched = append(sc.touched, id)
			}
		}
	}
	return broken
}

// Found is what the rest of a scan has found: users, some twice, and paths.
type Found struct {
	Broken   []uint32 // users of paths that are down
	Changed  []uint32 // users of others whose state has changed
	Draining []*Path  // that did not drain before
}

// ScanRest looks at all paths that are left, and evaluates those that still work.
func (s *Status) ScanRest() (found Found) {
	found.Broken = s.ScanFirst(math.MaxInt)
	slices.Sort(s.scan.touched)
	for _, id := range slices.Compact(s.scan.touched) {
		path := s.registry.At(id)
		unsure, down, drain := path.unconfirmed, path.down, path.draining
		s.Evaluate(path)
		switch {
		case path.down:
			found.Broken = append(found.Broken, path.users.list...)
		case path.unconfirmed != unsure || down:
			found.Changed = append(found.Changed, path.users.list...)
		}
		if path.draining && !drain {
			found.Draining = append(found.Draining, path)
		}
	}
	if s.scan = (scan{touched: s.scan.touched[:0]}); cap(s.scan.touched) > touchedKept {
		s.scan.touched = nil
	}
	return found
}
