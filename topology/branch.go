package topology

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/route"
)

// branch is a link of the network, both directions, as a forest sees it.
type branch struct {
	key                   netview.LinkKey // the smaller of both
	a, b                  int32           // nodes of its ends
	usable                bool
	unconfirmed, draining bool // means something if it is usable
	avoid                 bool // an earlier forest left it out
	in, keep              bool // whether it is in the forest, and, while that is planted, whether it will be
}

func compareBranch(l branch, key netview.LinkKey) int { return l.key.Compare(key) }

// stays reports whether it stays in a forest that it is in.
func (l *branch) stays() bool { return l.usable && (!l.draining || l.unconfirmed) }

// The tiers of links that do not stay: those of a lower one are added first.
const (
	tierNew         = iota // the others
	tierBefore             // unconfirmed, but the earlier forest may have used it
	tierAvoid              // left out of an earlier forest
	tierHeld               // draining, but in the forest
	tierDraining           //
	tierUnconfirmed        // unconfirmed
	tierDown               // cannot be used: not added at all
)

// tier is when a link is added. A forest that begins like an earlier one takes what that did not
// leave out, unconfirmed or not: what is left out of it now, switches that have not connected yet
// may still use.
func (l *branch) tier(in, begins bool) uint8 {
	switch {
	case !l.usable:
		return tierDown
	case l.unconfirmed && begins && !l.draining && !l.avoid:
		return tierBefore
	case l.unconfirmed:
		return tierUnconfirmed
	case l.draining && in:
		return tierHeld
	case l.draining:
		return tierDraining
	case l.avoid:
		return tierAvoid
	}
	return tierNew
}

// grade takes in the rows of a link.
func (l *branch) grade(there, back *netview.Link) {
	cost, _ := costsOf(there, back)
	l.usable = cost != route.Down && l.a != l.b
	l.unconfirmed, l.draining = l.usable && (unsure(there) || unsure(back)), l.usable && (there.Draining || back.Draining)
}
