package topology

import "github.com/weirnet/weir/netview"

// branch is a link of the network, both directions, as a candidate of a forest.
type branch struct {
	key                   netview.LinkKey // the smaller of both
	a, b                  int32           // nodes of its ends
	usable                bool
	unconfirmed, draining bool // of a usable one
	avoid                 bool // an earlier forest left it out
	in, keep              bool // whether it is in the forest; during rebuild, whether it will be
}

func compareBranch(l branch, key netview.LinkKey) int { return l.key.Compare(key) }

// stays reports whether a link stays in a forest that has it.
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

// tier returns when a link is added. A forest that continues an earlier one takes what that did not
// leave out, unconfirmed or not: switches that have not connected yet may still use it.
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

// grade updates a link from its rows.
func (l *branch) grade(there, back *netview.Link) {
	_, _, up := costsOf(there, back)
	l.usable = up && l.a != l.b
	l.unconfirmed, l.draining = l.usable && (unsure(there) || unsure(back)), l.usable && (there.Draining || back.Draining)
}
