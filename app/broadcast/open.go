package broadcast

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// This file decides which links may be added to the tree now.
//
// A link forwards broadcasts only if both its ends have it in the tree: an end that does not sends
// nothing there, and drops what comes from there. So a removed link is closed as soon as one of its
// ends has confirmed, and an end that does not answer delays only links that would make a loop with
// what it may still forward. Such a link is added at one of its ends already: when the other may
// follow, one switch is left to be written.

// ruleState is the state of the tree's rules at a switch, as in the view.
type ruleState struct {
	pending bool // some are in flight
	failed  bool // some were refused, or failed otherwise
	unknown bool // what the switch holds in the place of some is unknown
}

// updateState updates the state of a switch's rules from the view.
func (sw *treeSwitch) updateState(snap *netview.Snapshot) {
	sw.looked, sw.lacks = true, ruleState{}
	for r := range snap.Rules(sw.dpid) {
		if r.Owner == RowOwner {
			sw.lacks.pending = sw.lacks.pending || r.State == netview.RulePending
			sw.lacks.failed = sw.lacks.failed || r.State == netview.RuleFailed
			sw.lacks.unknown = sw.lacks.unknown || r.Unknown()
		}
	}
}

// confirm records which switches hold what was published last, and nothing else. It reports whether
// there were any, also those that hold what they can (see settled).
func (c *core) confirm(snap *netview.Snapshot) bool {
	any := false
	c.unconfirmed = slices.DeleteFunc(c.unconfirmed, func(sw *treeSwitch) bool {
		if !sw.unconfirmed || snap.Revision() < sw.rev {
			return !sw.unconfirmed
		}
		if !sw.looked {
			sw.updateState(snap)
			c.net.markLinksStale(sw)
		}
		if sw.row != nil && sw.row.Connected && !sw.lacks.pending && !sw.lacks.failed {
			sw.possible, sw.unconfirmed = sw.ports.inTree(), false
			c.use.setPossible(sw.dpid, nil)
			c.net.markLinksStale(sw)
		}
		any = any || !sw.lacks.pending
		return !sw.unconfirmed
	})
	return any
}

// settled reports whether a switch holds what it can: nothing more will be confirmed. One that lost
// its connection before it confirmed, or that answers nothing, may not have been told: it continues
// with what it held, and is waited for.
func (sw *treeSwitch) settled(snap *netview.Snapshot) bool {
	if !sw.unconfirmed {
		return true
	}
	if snap.Revision() < sw.rev {
		return false
	}
	if !sw.looked {
		sw.updateState(snap)
	}
	return sw.row != nil && sw.row.Connected && !sw.lacks.pending && !sw.lacks.unknown
}

// mayForward reports whether a switch may hold rules that have a port in the tree.
func (sw *treeSwitch) mayForward(port uint32) bool {
	return !sw.known || slices.Contains(sw.possible, port)
}

// confirmedOut reports whether a switch was told that a port is not in the tree, and holds what it
// can.
func (sw *treeSwitch) confirmedOut(snap *netview.Snapshot, port uint32) bool {
	return sw.published && !slices.Contains(sw.ports.out, port) && sw.settled(snap)
}

// isOpen reports whether a link may carry broadcasts now. If both ends refused a rule there is
// nothing to wait for: they forward what they were told last.
func (l *treeLink) isOpen(snap *netview.Snapshot) bool {
	return !replaced(snap, l.key) && l.a.mayForward(l.key.Src.Port) && l.b.mayForward(l.key.Dst.Port) &&
		!(l.a.confirmedOut(snap, l.key.Src.Port) && l.b.confirmedOut(snap, l.key.Dst.Port))
}

// replaced reports whether a link is down, and both its ports have other links that are up: its
// cable is there no more, or never was (a probe that strayed is one link for a moment, and its row
// stays as long as any). What its ports forward goes along the others.
func replaced(snap *netview.Snapshot, key netview.LinkKey) bool {
	for _, way := range [...]netview.LinkKey{key, key.Reverse()} {
		if l, ok := snap.Link(way); ok && l.Up {
			return false
		}
	}
	return linked(snap, key.Src) && linked(snap, key.Dst)
}

// linked reports whether a port has a link that is up.
func linked(snap *netview.Snapshot, at netview.Point) bool {
	for l := range snap.LinksFromPoint(at) {
		if l.Up {
			return true
		}
	}
	return false
}

// updateOpen updates which links are open, at switches whose links are stale.
func (c *core) updateOpen(snap *netview.Snapshot) {
	for _, sw := range c.net.staleLinks {
		sw.linksStale = false
		for _, i := range sw.links {
			c.net.set(i, c.net.links[i].in, c.net.links[i].isOpen(snap))
		}
	}
	c.net.staleLinks = c.net.staleLinks[:0]
}

// updateHeldBack updates which ports of the forest cannot be in the tree yet.
func (c *core) updateHeldBack() {
	if c.net.notOpen == 0 && len(c.held) == 0 {
		return
	}
	held := c.holdBack()
	for _, was := range []heldBack{c.held, held} {
		for _, at := range was {
			if sw, ok := c.net.switches[at.DPID]; ok && !(c.held.has(at) && held.has(at)) {
				c.net.markRulesStale(sw)
			}
		}
	}
	c.held = held
}

// holdBack returns, for each link of the forest that would make a loop with those that are open, in
// order of key, the end that must not forward yet.
func (c *core) holdBack() (held heldBack) {
	if c.net.notOpen == 0 {
		return nil
	}
	c.sets.Reset(int(c.net.numbers.next))
	var fresh []*treeLink
	for i := range c.net.links {
		switch l := &c.net.links[i]; {
		case l.open:
			c.sets.Union(l.na, l.nb)
		case l.in:
			fresh = append(fresh, l)
		}
	}
	slices.SortFunc(fresh, func(l, m *treeLink) int { return l.key.Compare(m.key) })
	for _, l := range fresh {
		switch {
		case c.sets.Union(l.na, l.nb):
		case l.a.mayForward(l.key.Src.Port):
			held = append(held, l.key.Dst)
		default:
			held = append(held, l.key.Src)
		}
	}
	slices.SortFunc(held, netview.Point.Compare)
	return held
}

// heldBack are ports of the forest that cannot be in the tree yet, sorted.
type heldBack []netview.Point

// has reports whether a port is held back.
func (h heldBack) has(at netview.Point) bool {
	_, ok := slices.BinarySearchFunc(h, at, netview.Point.Compare)
	return ok
}

// at returns the ports of a switch that are held back.
func (h heldBack) at(dpid netview.DPID) heldBack {
	first, _ := slices.BinarySearchFunc(h, netview.Point{DPID: dpid}, netview.Point.Compare)
	last := first
	for last < len(h) && h[last].DPID == dpid {
		last++
	}
	return h[first:last]
}
