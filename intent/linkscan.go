package intent

import (
	"math"

	"github.com/weirnet/weir/netview"
)

// linkScan is the look at the paths over links that have changed. To look at a thousand takes as long as
// to re-route the intents of many of them: a step looks until it has found the first ones, and the next
// step begins with the rest.
type linkScan struct {
	keys    []netview.LinkKey // links whose paths are not all looked at
	done    int               // paths into the port of the first of them that are
	touched []uint32          // paths that use these links, or pass their ports, and have to be evaluated
}

// scanAtOnce is the number of paths that are always looked at in one step.
const scanAtOnce = 64

// pending reports whether paths are left to be looked at, or evaluated.
func (s *linkScan) pending() bool { return len(s.keys)+len(s.touched) > 0 }

// pathsInto returns the number of paths into the ports that links lead to.
func (c *Core) pathsInto(keys []netview.LinkKey) (n int) {
	for _, key := range keys {
		if into := c.paths.inPorts.lookup(key.Dst); into != nil {
			n += len(into.paths)
		}
	}
	return n
}

// scanLinks looks at the paths into the ports of changed links, until it has found enough users of paths
// that these have taken down, or to the end. It returns the users, some twice.
func (c *Core) scanLinks(enough int) (broken []uint32) {
	s := &c.scan
	for ; len(s.keys) > 0; s.keys, s.done = s.keys[1:], 0 {
		key := s.keys[0]
		into := c.paths.inPorts.lookup(key.Dst)
		if into == nil {
			continue
		}
		_, up, known := c.m.LinkCost(key)
		into.measured = false
		for ; s.done < len(into.paths); s.done++ {
			if len(broken) >= enough {
				return broken
			}
			id := into.paths[s.done]
			switch path := c.paths.list[id]; {
			case path.users.count() == 0: // evaluated when next used
				path.evaluatedOn = nil
			case !up && (known || c.settled) && path.passes(key):
				path.down = true
				broken = append(broken, path.users.list...)
			default:
				s.touched = append(s.touched, id)
			}
		}
	}
	return broken
}

// scanRest looks at all paths that are left, evaluates those that still work, and queues the users of the
// others.
func (c *Core) scanRest() {
	if !c.scan.pending() {
		return
	}
	broken := c.scanLinks(math.MaxInt)
	var other []uint32
	for _, id := range inOrder(c.scan.touched) {
		path := c.paths.list[id]
		unsure, down, drain := path.unconfirmed, path.down, path.draining
		c.paths.evaluate(path, c.m, c.settled)
		switch {
		case path.down:
			broken = append(broken, path.users.list...)
		case path.unconfirmed != unsure || down:
			other = append(other, path.users.list...)
		}
		if path.draining && !drain {
			c.queueIfDrained(path)
		}
	}
	c.scan = linkScan{}
	c.broken = append(c.broken, inOrder(broken)...)
	for _, n := range inOrder(other) {
		c.emitState(n)
	}
}
